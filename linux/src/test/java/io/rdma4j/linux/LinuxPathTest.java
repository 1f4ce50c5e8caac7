// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.ip.IpSettings;
import io.rdma4j.ip.IpStack;
import io.rdma4j.ip.PmtuDiscovery;
import io.rdma4j.ip.UdpEndpoint;
import io.rdma4j.ip.UdpPorts;
import io.rdma4j.ip.route.Route;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.address.InterfaceAddress;
import io.rdma4j.net.address.IpPrefix;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Programs of Linux and of this library's stack exchange packets over a TAP link. Linux routes to a link with a smaller
 * MTU.
 */
@ExtendWith(OwnNamespace.class)
@Timeout(60)
class LinuxPathTest {
    private static final long TURN_NS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final String INTERFACE = "tap0";
    private static final long MAC = 0x02_0000_0000_02L;
    private static final int PORT = 4000;
    private static final int NARROW = 1300;

    /**
     * The device's end of the link, with its stack. Each test creates it, because only the test's thread is in the
     * namespace.
     */
    private static final class Station implements AutoCloseable {
        private final SkBuffPool payloads = new SkBuffPool(8, 2048);
        private final NetDevice device;
        private final IpStack stack;
        private long nowNs = System.nanoTime();

        Station() {
            device = TapDevice.open(new TapSettings(INTERFACE, MAC, List.of(), 0, 64))
                    .netDevice();
            device.ip().set(List.of(InterfaceAddress.parse("10.9.0.2/24"), InterfaceAddress.parse("fd09::2/64")));
            stack = new IpStack(IpSettings.DEFAULT, () -> nowNs);
            stack.add(device);
            device.up();
            Shell.ip("addr add 10.9.0.1/24 dev " + INTERFACE);
            Shell.ip("addr add fd09::1/64 dev " + INTERFACE + " nodad");
        }

        /** Runs the stack until a condition is true; the timeout of the test limits the wait. */
        void driveUntil(BooleanSupplier happened) {
            while (!happened.getAsBoolean()) {
                nowNs = System.nanoTime();
                device.napi().poll(64);
                stack.onTimeout(nowNs);
                stack.flush();
                device.driver().awaitReadable(TURN_NS);
            }
        }

        int pathMtu(UdpEndpoint endpoint) {
            return endpoint.pathMtu(() -> nowNs);
        }

        SkBuff payload(byte[] bytes) {
            SkBuff skb = Objects.requireNonNull(payloads.allocate());
            skb.reserve(UdpPorts.HEADROOM);
            MemorySegment.copy(bytes, 0, skb.memory(), ValueLayout.JAVA_BYTE, skb.put(bytes.length), bytes.length);
            return skb;
        }

        @Override
        public void close() {
            stack.close();
            device.unregister();
            assertThat(payloads.available()).isEqualTo(payloads.count());
            payloads.close();
        }
    }

    @Test
    void datagramsGoBothWays() throws IOException {
        try (Station station = new Station()) {
            talk(station, "10.9.0.1", "10.9.0.2");
            talk(station, "fd09::1", "fd09::2");
        }
    }

    private static void talk(Station station, String linux, String ours) throws IOException {
        byte[] question = new byte[1000];
        question[999] = 7;
        try (UdpEndpoint endpoint = station.stack.ports().bind(PORT);
                DatagramChannel socket = DatagramChannel.open()) {
            socket.bind(new InetSocketAddress(InetAddress.ofLiteral(linux), 0));
            socket.configureBlocking(false);
            socket.send(ByteBuffer.wrap(question), new InetSocketAddress(InetAddress.ofLiteral(ours), PORT));
            station.driveUntil(() -> endpoint.waiting() > 0);

            SkBuff heard = Objects.requireNonNull(endpoint.receive());
            Gid from = UdpEndpoint.source(heard);
            int port = UdpEndpoint.sourcePort(heard);
            byte[] bytes = heard.memory().asSlice(heard.data(), heard.len()).toArray(ValueLayout.JAVA_BYTE);
            heard.free();
            assertThat(from).isEqualTo(Gid.of(InetAddress.ofLiteral(linux)));
            assertThat(bytes).isEqualTo(question);

            assertThat(endpoint.sendTo(station.payload(new byte[] {1, 2, 3}), from, port))
                    .isNull();
            ByteBuffer answer = ByteBuffer.allocate(16);
            station.driveUntil(() -> received(socket, answer));
            assertThat(answer.position()).isEqualTo(3);
            assertThat(answer.get(2)).isEqualTo((byte) 3);
        }
    }

    private static boolean received(DatagramChannel socket, ByteBuffer into) {
        try {
            return socket.receive(into) != null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aNarrowLinkBehindLinuxIsFoundOut() {
        try (Station station = new Station()) {
            Shell.run("sysctl -q -w net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1");
            Shell.ip("link add far type veth peer name farther");
            Shell.ip("link set farther up");
            Shell.ip("link set far mtu " + NARROW + " up");
            Shell.ip("addr add 10.77.0.1/24 dev far");
            Shell.ip("addr add fd77::1/64 dev far nodad");
            findOut(station, "10.77.0.0/24", "10.9.0.1", "10.77.0.9");
            findOut(station, "fd77::/64", "fd09::1", "fd77::9");
        }
    }

    private static void findOut(Station station, String network, String router, String beyond) {
        station.stack.routes().add(Route.via(IpPrefix.parse(network), Gid.of(InetAddress.ofLiteral(router))));
        try (UdpEndpoint endpoint = station.stack.ports().bind(0)) {
            endpoint.options().mtuDiscover(PmtuDiscovery.DO);
            endpoint.connect(Gid.of(InetAddress.ofLiteral(beyond)), PORT);
            assertThat(station.pathMtu(endpoint)).isEqualTo(1500);
            assertThat(endpoint.send(station.payload(new byte[1400]))).isNull();
            station.driveUntil(() -> station.pathMtu(endpoint) == NARROW);

            assertThat(endpoint.takeError()).isEqualTo(Errno.EMSGSIZE);
            assertThat(endpoint.send(station.payload(new byte[1400]))).isEqualTo(Errno.EMSGSIZE);
            assertThat(endpoint.send(station.payload(new byte[1200]))).isNull();
        }
    }
}
