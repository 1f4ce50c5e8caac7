// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import static io.rdma4j.ip.WireTap.ip;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.skb.PacketChecksum;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Udp;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class UdpEndpointTest {
    private static final int PORT = 4791;
    private static final int BUFFERS = 8;

    private final SkBuffPool pool = new SkBuffPool(BUFFERS, 2048);
    private final WireTap wire = new WireTap("eth0", 2, 1500, "10.0.0.1/24", "10.0.0.5/24", "fd00::1/64");
    private final WireTap other = new WireTap("eth1", 3, 1500, "10.1.0.1/24");
    private final IpStack stack = new IpStack(IpSettings.DEFAULT, () -> 0);
    private final IpInterface in = stack.add(wire.device);
    private final UdpPorts ports = stack.ports();

    @AfterEach
    void close() {
        stack.close();
        assertThat(pool.available()).isEqualTo(BUFFERS);
        pool.close();
    }

    private static void assertFails(Errno errno, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }

    private void arrive(String from, int fromPort, String to, int toPort) {
        SkBuff skb = Packets.udp(pool, ip(from), fromPort, ip(to), toPort, new byte[4]);
        arrive(skb);
    }

    private void arrive(SkBuff skb) {
        skb.meta().device(wire.device);
        stack.input().receive(skb, in);
    }

    private SkBuff payload(int length) {
        SkBuff skb = Packets.allocate(pool);
        skb.reserve(UdpPorts.HEADROOM);
        skb.put(length);
        return skb;
    }

    @Test
    void aPortIsOnesUntilItIsClosed() {
        UdpEndpoint first = ports.bind(ip("10.0.0.1"), PORT);
        UdpEndpoint second = ports.bind(ip("10.0.0.5"), PORT);
        assertFails(Errno.EADDRINUSE, () -> ports.bind(ip("10.0.0.1"), PORT));
        assertFails(Errno.EADDRINUSE, () -> ports.bind(PORT));
        assertFails(Errno.EADDRNOTAVAIL, () -> ports.bind(ip("10.0.0.9"), PORT));
        assertFails(Errno.EINVAL, () -> ports.bind(65_536));
        arrive("10.0.0.2", 7, "10.0.0.5", PORT);
        assertThat(first.waiting()).isZero();
        assertThat(second.waiting()).isEqualTo(1);
        first.close();
        second.close();
        second.close();
        ports.bind(PORT).close();
    }

    @Test
    void portsThatNobodyHasAreGivenOut() {
        Set<Integer> given = new HashSet<>();
        for (int i = 0; i < 600; i++) {
            given.add(ports.bind(0).port());
        }
        assertThat(given).hasSize(600).allMatch(port -> port >= 32_768 && port < 61_000);
    }

    /** The endpoint that matches best gets the datagram; a peer counts most. */
    @Test
    void anEndpointWithAPeerHearsNobodyElse() {
        UdpEndpoint one = ports.bind(ip("10.0.0.1"), PORT);
        one.connect(ip("10.0.0.2"), 7);
        arrive("10.0.0.2", 7, "10.0.0.1", PORT);
        arrive("10.0.0.2", 8, "10.0.0.1", PORT);
        arrive("10.0.0.3", 7, "10.0.0.1", PORT);
        assertThat(one.waiting()).isEqualTo(1);
        assertThat(stack.counters().get(SnmpCounter.UDP_NO_PORTS)).isEqualTo(2);
        one.disconnect();
        arrive("10.0.0.3", 7, "10.0.0.1", PORT);
        assertThat(one.waiting()).isEqualTo(2);
        SkBuff unsent = payload(1);
        assertThat(one.send(unsent)).isEqualTo(Errno.EINVAL);
        assertFails(Errno.EINVAL, () -> one.connect(ip("10.0.0.2"), 0));
        assertFails(Errno.ENETUNREACH, () -> one.connect(ip("192.0.2.1"), 7));
    }

    @Test
    void anEndpointOfADeviceHearsItOnly() {
        stack.add(other.device);
        UdpEndpoint one = ports.bind(PORT);
        one.bindToDevice(other.device);
        arrive("10.0.0.2", 7, "10.0.0.1", PORT);
        assertThat(one.waiting()).isZero();
        assertThat(one.sendTo(payload(1), ip("10.0.0.2"), 7)).isNull();
        assertThat(other.packets).hasSize(1);
        one.bindToDevice(null);
        arrive("10.0.0.2", 7, "10.0.0.1", PORT);
        assertThat(one.waiting()).isEqualTo(1);
    }

    /** Datagrams are dropped if the queue is full; later ones carry the number of drops. */
    @Test
    void theQueueHasALimit() {
        SkBuff probe = payload(1);
        int bytes = probe.truesize();
        probe.free();
        UdpEndpoint one = ports.bind(null, PORT, 2 * bytes);
        for (int i = 0; i < 5; i++) {
            arrive("10.0.0.2", 7, "10.0.0.1", PORT);
        }
        assertThat(one.waiting()).isEqualTo(2);
        assertThat(one.drops()).isEqualTo(3);
        assertThat(stack.counters().get(SnmpCounter.UDP_RCVBUF_ERRORS)).isEqualTo(3);
        SkBuff first = Objects.requireNonNull(one.receive());
        assertThat(first.marks().dropcount()).isZero();
        first.free();
        arrive("10.0.0.2", 7, "10.0.0.1", PORT);
        Objects.requireNonNull(one.receive()).free();
        SkBuff last = Objects.requireNonNull(one.receive());
        assertThat(last.marks().dropcount()).isEqualTo(3);
        assertThat(last.meta().dst()).as("a route is not held by what waits").isNull();
        last.free();
        assertThat(one.receive()).isNull();
    }

    @Test
    void theSourceIsTheEndpointsOrOneThatFitsTheRoute() {
        UdpEndpoint any = ports.bind(0);
        any.sendTo(payload(1), ip("10.0.0.2"), 7);
        assertThat(Ipv4.source(wire.last(), 0)).isEqualTo(ip("10.0.0.1").ipv4());
        ports.bind(ip("10.0.0.5"), 0).sendTo(payload(1), ip("10.0.0.2"), 7);
        assertThat(Ipv4.source(wire.last(), 0)).isEqualTo(ip("10.0.0.5").ipv4());
        any.sendTo(payload(1), ip("fd00::2"), 7);
        assertThat(Ipv6.source(wire.last(), 0)).isEqualTo(ip("fd00::1"));
        assertThat(ports.bind(ip("10.0.0.5"), 0).sendTo(payload(1), ip("fd00::2"), 7))
                .isEqualTo(Errno.EADDRNOTAVAIL);
    }

    /** A checksum that is present must be correct, unless the device has verified it; IPv6 requires one. */
    @Test
    void checksumsAreLookedAt() {
        UdpEndpoint one = ports.bind(PORT);
        arrive("10.0.0.2", 7, "10.0.0.1", PORT);
        assertThat(one.waiting()).as("IPv4 may lack it").isEqualTo(1);
        arrive("fd00::2", 7, "fd00::1", PORT);
        assertThat(one.waiting()).isEqualTo(1);
        SkBuff wrong = Packets.udp(pool, ip("10.0.0.2"), 7, ip("10.0.0.1"), PORT, new byte[4]);
        Udp.checksum(wrong.memory(), wrong.data() + 20L, 0x1234);
        arrive(wrong);
        assertThat(one.waiting()).isEqualTo(1);
        assertThat(stack.counters().get(SnmpCounter.UDP_IN_CSUM_ERRORS)).isEqualTo(2);

        SkBuff summed = Packets.udp(pool, ip("10.0.0.2"), 7, ip("10.0.0.1"), PORT, new byte[4]);
        summed.setNetworkHeader(0);
        summed.pull(20);
        summed.setTransportHeader(0);
        PacketChecksum.leave(summed, Ipv4.PROTOCOL_UDP, Udp.CHECKSUM);
        PacketChecksum.finish(summed);
        summed.push(20);
        summed.put(7);
        summed.memory().set(ValueLayout.JAVA_BYTE, summed.tail() - 1L, (byte) 9);
        PacketChecksum.complete(summed, 0);
        arrive(summed);
        assertThat(one.waiting())
                .as("summed by the device, with bytes behind the packet")
                .isEqualTo(2);
    }

    @Test
    void aDatagramThatIsTooLongForIpIsRefused() {
        SkBuffPool large = new SkBuffPool(1, 80_000);
        SkBuff skb = Packets.allocate(large);
        skb.reserve(UdpPorts.HEADROOM);
        skb.put(65_508);
        assertThat(ports.bind(0).sendTo(skb, ip("10.0.0.2"), 7)).isEqualTo(Errno.EMSGSIZE);
        assertThat(large.available()).isEqualTo(1);
        large.close();
    }
}
