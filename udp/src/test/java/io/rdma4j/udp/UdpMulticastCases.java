// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.ip.IpSettings;
import io.rdma4j.ip.IpStack;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.receive.Napi;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Udp;
import java.io.UncheckedIOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Multicast over real sockets; the system reports a join by IGMP or MLD. The loopback interface supports only IPv4
 * groups, so IPv6 needs another interface.
 */
public abstract class UdpMulticastCases {
    private static final long TIMEOUT_NS = 5_000_000_000L;
    private static final long QUIET_NS = 50_000_000;
    private static final int PAYLOAD = 12;

    /** Distinguishes the groups of test runs on the same machine. */
    private static final int OWN = (int) (ProcessHandle.current().pid() & 0xFFFF);

    @SuppressWarnings("ImmutableEnumChecker") // a Gid is two longs
    public enum Family {
        IPV4("::ffff:239.%d.%d.128".formatted(OWN >> 8, OWN & 0xFF)),
        /** Packets of scope 1 (interface-local) do not leave the machine. */
        IPV6("ff11::%x".formatted(OWN));

        private final Gid group;

        Family(String group) {
            this.group = Gid.parse(group);
        }

        Optional<Gid> source() throws SocketException {
            if (this == IPV4) {
                return Optional.of(Gid.parse("::ffff:127.0.0.1"));
            }
            return NetworkInterface.networkInterfaces()
                    .filter(Family::hasGroups)
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(address -> address instanceof Inet6Address && !address.isLinkLocalAddress())
                    .findFirst()
                    .map(Gid::of);
        }

        private static boolean hasGroups(NetworkInterface candidate) {
            try {
                return candidate.isUp() && candidate.supportsMulticast() && !candidate.isLoopback();
            } catch (SocketException e) {
                throw new UncheckedIOException(e);
            }
        }

        void pushHeaders(SkBuff skb, Gid source, int port) {
            int udpBytes = Udp.BYTES + PAYLOAD;
            Udp.write(skb.memory(), skb.push(Udp.BYTES), port, port, udpBytes);
            if (this == IPV4) {
                int ip = skb.push(Ipv4.BYTES);
                int bytes = Ipv4.BYTES + udpBytes;
                Ipv4.write(skb.memory(), ip, bytes, 0, 0, 64, Ipv4.PROTOCOL_UDP, source.ipv4(), group.ipv4());
            } else {
                int ip = skb.push(Ipv6.BYTES);
                Ipv6.write(
                        skb.memory(),
                        ip,
                        0,
                        0,
                        udpBytes,
                        Ipv6.NEXT_HEADER_UDP,
                        64,
                        source.prefix(),
                        source.interfaceId(),
                        group.prefix(),
                        group.interfaceId());
            }
        }

        void assertAddresses(SkBuff skb, Gid source) {
            int ip = skb.networkHeader();
            if (this == IPV4) {
                assertThat(Ipv4.destination(skb.memory(), ip)).isEqualTo(group.ipv4());
                assertThat(Ipv4.source(skb.memory(), ip)).isEqualTo(source.ipv4());
            } else {
                assertThat(Ipv6.destinationPrefix(skb.memory(), ip)).isEqualTo(group.prefix());
                assertThat(Ipv6.destinationInterfaceId(skb.memory(), ip)).isEqualTo(group.interfaceId());
                assertThat(Ipv6.sourceInterfaceId(skb.memory(), ip)).isEqualTo(source.interfaceId());
            }
        }
    }

    private final Family family;
    private final Gid source;
    private final SkBuffPool pool = new SkBuffPool(4, 256);
    private NetDevice device;
    private int received;

    protected UdpMulticastCases(Family family) throws SocketException {
        Optional<Gid> found = family.source();
        assumeThat(found).as("an interface with groups of " + family).isPresent();
        this.family = family;
        this.source = found.orElseThrow();
    }

    @BeforeEach
    void open() throws SocketException {
        InetAddress address = source.toInetAddress();
        NetworkInterface link = Objects.requireNonNull(LocalInterface.find(address));
        device = driver(UdpUnderlaySettings.of(link.getName(), link.getIndex(), address)
                        .withPort(0))
                .netDevice();
        device.up();
        IpStack stack = new IpStack(IpSettings.DEFAULT, () -> 0);
        stack.add(device);
        stack.udp().register(device.driver().udpSourcePort(), skb -> {
            family.assertAddresses(skb, source);
            assertThat(skb.len()).isEqualTo(PAYLOAD);
            received++;
            skb.free();
        });
    }

    /** Creates the driver under test. */
    protected abstract UdpDriver driver(UdpUnderlaySettings settings);

    @AfterEach
    void close() {
        device.unregister();
        pool.close();
    }

    private void sendToGroup() {
        SkBuff skb = Objects.requireNonNull(pool.allocate());
        skb.reserve(64);
        skb.put(PAYLOAD);
        family.pushHeaders(skb, source, device.driver().udpSourcePort());
        device.transmit(skb);
    }

    private void poll(int expected, long forNs) {
        long end = System.nanoTime() + forNs;
        while (received < expected && System.nanoTime() - end < 0) {
            device.napi().poll(Napi.POLL_WEIGHT);
            Thread.onSpinWait();
        }
    }

    @Test
    void packetsToAGroupArriveFromJoiningToLeaving() {
        sendToGroup();
        poll(1, QUIET_NS);
        assertThat(received).isZero();

        device.ip().join(family.group);
        sendToGroup();
        poll(1, TIMEOUT_NS);
        assertThat(received).isEqualTo(1);

        device.ip().leave(family.group);
        sendToGroup();
        poll(2, QUIET_NS);
        assertThat(received).isEqualTo(1);
    }

    /** Multicast packets end the wait of a thread, like unicast packets. */
    @Test
    void aGroupsPacketsWakeWhoSleeps() {
        device.ip().join(family.group);
        device.driver().awaitReadable(1);
        sendToGroup();
        long before = System.nanoTime();
        device.driver().awaitReadable(TIMEOUT_NS);
        assertThat(System.nanoTime() - before).isLessThan(TIMEOUT_NS / 2);
        poll(1, TIMEOUT_NS);
        assertThat(received).isEqualTo(1);
    }

    @Test
    void anAddressThatIsNoGroupCannotBeJoined() {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> device.ip().join(source))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }
}
