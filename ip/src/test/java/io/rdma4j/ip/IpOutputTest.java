// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import static io.rdma4j.ip.WireTap.ip;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.ip.route.Route;
import io.rdma4j.net.address.IpPrefix;
import io.rdma4j.net.skb.PacketChecksum;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.AllocatedBytes;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Ipv6Fragment;
import io.rdma4j.wire.ip.Udp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Packets that a host and a router send, as they are on the wire. */
class IpOutputTest {
    private static final int MTU = 1000;
    private static final int PORT = 4791;
    private static final int BUFFERS = 4;

    private final SkBuffPool pool = new SkBuffPool(BUFFERS, 4096);
    private final WireTap wire = new WireTap("out", 2, MTU, "10.0.0.1/24", "fd00::1/64");
    private final WireTap other = new WireTap("in", 3, 4000, "10.1.0.1/24", "fd01::1/64");
    private final IpStack stack = new IpStack(IpSettings.DEFAULT, () -> 0);
    private final IpInterface in;
    private final UdpEndpoint endpoint;

    IpOutputTest() {
        stack.add(wire.device);
        in = stack.add(other.device);
        endpoint = stack.ports().bind(0);
    }

    @AfterEach
    void close() {
        stack.close();
        assertThat(stack.buffersInUse()).isZero();
        assertThat(pool.available()).isEqualTo(BUFFERS);
        pool.close();
    }

    private SkBuff payload(int length) {
        SkBuff skb = Packets.allocate(pool);
        skb.reserve(UdpPorts.HEADROOM);
        skb.put(length);
        return skb;
    }

    private boolean hasFlag(int packet, int flag) {
        return (Ipv4.fragment(MemorySegment.ofArray(wire.packets.get(packet)), 0) & flag) != 0;
    }

    /** Result of each mode for a packet that fits, and for one that does not. */
    @ParameterizedTest
    @CsvSource({
        "DONT,  true,  false, 2",
        "WANT,  true,  true,  2",
        "DO,    false, true,  0",
        "PROBE, false, true,  0",
    })
    @Covers({"SKB-32", "SKB-34"})
    void theModeSaysWhetherAPacketMayBeCutHereAndElsewhere(
            PmtuDiscovery mode, boolean localDf, boolean dontFragment, int pieces) {
        endpoint.options().mtuDiscover(mode);
        assertThat(endpoint.sendTo(payload(100), ip("10.0.0.2"), PORT)).isNull();
        assertThat(wire.localDf).containsExactly(localDf);
        assertThat(hasFlag(0, Ipv4.DONT_FRAGMENT)).isEqualTo(dontFragment);

        wire.packets.clear();
        Errno error = endpoint.sendTo(payload(1500), ip("10.0.0.2"), PORT);
        assertThat(error).isEqualTo(pieces == 0 ? Errno.EMSGSIZE : null);
        assertThat(wire.packets).hasSize(pieces);
        for (int i = 0; i < pieces; i++) {
            assertThat(hasFlag(i, Ipv4.DONT_FRAGMENT)).isFalse();
        }
    }

    /**
     * "Don't fragment" makes routers report the path MTU. A route with a locked MTU ignores such reports and leaves it
     * out.
     */
    @Test
    @Covers("SKB-32")
    void aRouteWithAFixedMtuLeavesOutDontFragment() {
        stack.routes()
                .add(Route.onLink(IpPrefix.parse("192.0.2.0/24"), wire.device).withMtu(600, true));
        endpoint.sendTo(payload(100), ip("192.0.2.1"), PORT);
        assertThat(hasFlag(0, Ipv4.DONT_FRAGMENT)).isFalse();
        endpoint.options().mtuDiscover(PmtuDiscovery.DO);
        endpoint.sendTo(payload(100), ip("192.0.2.1"), PORT);
        assertThat(hasFlag(1, Ipv4.DONT_FRAGMENT)).isTrue();
        assertThat(endpoint.sendTo(payload(600), ip("192.0.2.1"), PORT)).isEqualTo(Errno.EMSGSIZE);
    }

    @Test
    void theModesHaveLinuxsNumbers() {
        assertThat(PmtuDiscovery.values()).extracting(PmtuDiscovery::code).containsExactly(0, 1, 2, 3);
    }

    @Test
    @Covers("SKB-33")
    void piecesHaveTheirOffsetInUnitsOfEightBytesAndAllButTheLastSayThatMoreFollow() {
        endpoint.options().mtuDiscover(PmtuDiscovery.DONT);
        endpoint.sendTo(payload(2500), ip("10.0.0.2"), PORT);
        int step = (MTU - Ipv4.BYTES) / 8 * 8;
        assertThat(wire.packets).hasSize(3);
        for (int i = 0; i < 3; i++) {
            MemorySegment packet = MemorySegment.ofArray(wire.packets.get(i));
            assertThat(Ipv4.fragmentOffset(packet, 0)).isEqualTo(i * step / 8);
            assertThat(hasFlag(i, Ipv4.MORE_FRAGMENTS)).isEqualTo(i < 2);
            assertThat(hasFlag(i, Ipv4.CONGESTION)).isFalse();
            assertThat(Ipv4.fragment(packet, 0) & Ipv4.FRAGMENT_OFFSET_MASK).isEqualTo(i * step / 8);
            assertThat(Ipv4.isIntact(packet, 0)).isTrue();
            assertThat(Ipv4.totalLength(packet, 0)).isEqualTo(packet.byteSize());
            assertThat(Ipv4.identification(packet, 0))
                    .isEqualTo(Ipv4.identification(MemorySegment.ofArray(wire.packets.getFirst()), 0));
        }
        // On the wire, flags are the upper three bits of the first byte.
        assertThat(wire.packets.get(1)[Ipv4.FRAGMENT] >>> 5).isEqualTo(1);
        assertThat(wire.packets.get(1)[Ipv4.FRAGMENT + 1] & 0xFF).isEqualTo(step / 8);
    }

    @Test
    void piecesOfIpv6HaveAHeaderOfTheirOwn() {
        endpoint.options().mtuDiscover(PmtuDiscovery.DONT);
        endpoint.sendTo(payload(1500), ip("fd00::2"), PORT);
        assertThat(wire.packets).hasSize(2);
        int step = (MTU - Ipv6.BYTES - Ipv6Fragment.BYTES) / 8 * 8;
        for (int i = 0; i < 2; i++) {
            MemorySegment packet = MemorySegment.ofArray(wire.packets.get(i));
            assertThat(Ipv6.nextHeader(packet, 0)).isEqualTo(Ipv6Fragment.NEXT_HEADER);
            assertThat(Ipv6Fragment.nextHeader(packet, Ipv6.BYTES)).isEqualTo(Ipv6.NEXT_HEADER_UDP);
            assertThat(Ipv6Fragment.fragmentOffset(packet, Ipv6.BYTES)).isEqualTo(i * step / 8);
            assertThat(Ipv6Fragment.isMore(packet, Ipv6.BYTES)).isEqualTo(i == 0);
            assertThat(Ipv6.payloadLength(packet, 0)).isEqualTo(packet.byteSize() - Ipv6.BYTES);
        }
    }

    @Test
    @Covers("SKB-29")
    void theSendersPriorityGoesWithItsPackets() {
        endpoint.options().priority(6);
        endpoint.sendTo(payload(1), ip("10.0.0.2"), PORT);
        endpoint.options().priority(0);
        endpoint.sendTo(payload(1), ip("10.0.0.2"), PORT);
        NetPriority rules = new NetPriority();
        rules.set(wire.device, 3);
        endpoint.options().netPriority(rules);
        endpoint.sendTo(payload(1), ip("10.0.0.2"), PORT);
        endpoint.sendTo(payload(1), ip("10.1.0.2"), PORT);
        endpoint.options().priority(5);
        endpoint.sendTo(payload(1), ip("10.0.0.2"), PORT);
        assertThat(wire.priorities).containsExactly(6, 0, 3, 5);
        assertThat(other.priorities).as("a rule is for one device").containsExactly(0);
        arrive("10.1.0.9", "10.0.0.2", 0x10);
        assertThat(wire.priorities.getLast()).as("a packet that passes through").isEqualTo(TosPriority.INTERACTIVE);
    }

    private void arrive(String from, String to, int typeOfService) {
        stack.setForwarding(true);
        SkBuff skb = Packets.udp(pool, ip(from), 1, ip(to), PORT, new byte[20]);
        if (ip(from).isIpv4()) {
            Ipv4.typeOfService(skb.memory(), skb.data(), typeOfService);
            Ipv4.updateChecksum(skb.memory(), skb.data());
        } else {
            Ipv6.trafficClass(skb.memory(), skb.data(), typeOfService);
        }
        skb.meta().device(other.device);
        stack.input().receive(skb, in);
    }

    /** All sixteen values of the bits of RFC 1349. */
    @Test
    @Covers({"SKB-30", "SKB-31"})
    void aForwardedPacketHasThePriorityOfItsTypeOfService() {
        int[] expected = {0, 0, 0, 0, 2, 2, 2, 2, 6, 6, 6, 6, 4, 4, 4, 4};
        for (int tos = 0; tos < 16; tos++) {
            assertThat(TosPriority.of(tos << 1)).isEqualTo(expected[tos]);
            assertThat(TosPriority.of(0xE1 | tos << 1))
                    .as("other bits do not count")
                    .isEqualTo(expected[tos]);
            arrive("10.1.0.9", "10.0.0.2", tos << 1);
            assertThat(wire.priorities.getLast()).isEqualTo(expected[tos]);
            arrive("fd01::9", "fd00::2", tos << 1);
            assertThat(wire.priorities.getLast()).isEqualTo(expected[tos]);
        }
        assertThat(stack.counters().get(SnmpCounter.FORW_DATAGRAMS)).isEqualTo(32);
    }

    @Test
    void aForwardedPacketHasOneHopLess() {
        arrive("10.1.0.9", "10.0.0.2", 0);
        assertThat(Ipv4.timeToLive(wire.last(), 0)).isEqualTo(63);
        assertThat(Ipv4.isIntact(wire.last(), 0)).isTrue();
        arrive("fd01::9", "fd00::2", 0);
        assertThat(Ipv6.hopLimit(wire.last(), 0)).isEqualTo(63);
    }

    /** Only options that need not be copied are missing in later fragments. */
    @Test
    void optionsThatNeedNotBeCopiedAreInTheFirstPieceOnly() {
        stack.setForwarding(true);
        byte[] bytes = new byte[28 + 1200];
        MemorySegment packet = MemorySegment.ofArray(bytes);
        Ipv4.write(
                packet,
                0,
                bytes.length,
                7,
                0,
                9,
                200,
                ip("10.1.0.9").ipv4(),
                ip("10.0.0.2").ipv4());
        bytes[0] = 0x47;
        Ipv4.fragment(packet, 0, 0);
        byte[] options = {(byte) 0x94, 4, 0, 0, 7, 3, 4, 0};
        System.arraycopy(options, 0, bytes, 20, 8);
        Ipv4.updateChecksum(packet, 0);
        SkBuff skb = Packets.allocate(pool);
        skb.reserve(64);
        MemorySegment.copy(packet, 0, skb.memory(), skb.put(bytes.length), bytes.length);
        skb.meta().device(other.device);
        stack.input().receive(skb, in);
        assertThat(wire.packets).hasSize(2);
        assertThat(wire.packets.get(0)).startsWith(bytes[0]).contains(options);
        byte[] later = wire.packets.get(1);
        assertThat(new byte[] {later[20], later[21], later[24], later[25], later[26]})
                .containsExactly((byte) 0x94, (byte) 4, (byte) 1, (byte) 1, (byte) 1);
        assertThat(later.length + wire.packets.get(0).length).isEqualTo(2 * 28 + 1200);
    }

    @Test
    void theChecksumOfAnOddDatagramIsRight() {
        endpoint.sendTo(payload(33), ip("fd00::2"), PORT);
        MemorySegment packet = wire.last();
        assertThat(Udp.checksum(packet, Ipv6.BYTES)).isNotZero();
        SkBuff skb = Packets.allocate(pool);
        MemorySegment.copy(packet, 0, skb.memory(), skb.put((int) packet.byteSize()), packet.byteSize());
        skb.setNetworkHeader(0);
        skb.pull(Ipv6.BYTES);
        assertThat(PacketChecksum.validate(skb, Ipv4.PROTOCOL_UDP)).isTrue();
        skb.free();
    }

    @Test
    void whatABusyDeviceDoesNotTakeIsLostAndCounted() {
        wire.busy = true;
        assertThat(endpoint.sendTo(payload(33), ip("10.0.0.2"), PORT)).isNull();
        assertThat(stack.counters().get(SnmpCounter.OUT_DISCARDS)).isEqualTo(1);
    }

    /** A queued packet holds a reference to its route. */
    @Test
    @Covers("SKB-17")
    void aPacketHoldsItsRoute() {
        Destination route = stack.destinations().find(ip("10.0.0.2"));
        assertThat(route.references()).isEqualTo(1);
        endpoint.sendTo(payload(33), ip("10.0.0.2"), PORT);
        assertThat(wire.routeReferences).containsExactly(2);
        assertThat(route.references()).isEqualTo(1);
        stack.destinations().flush();
        assertThat(route.references()).as("nobody knows it any more").isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.2", "fd00::2"})
    void sendingForwardingAndReceivingAllocateNothing(String to) {
        stack.setForwarding(true);
        wire.busy = true;
        UdpEndpoint server = stack.ports().bind(PORT);
        var destination = ip(to);
        var from = ip(destination.isIpv4() ? "10.1.0.9" : "fd01::9");
        var own = ip(destination.isIpv4() ? "10.1.0.1" : "fd01::1");
        AtomicInteger rounds = new AtomicInteger();
        long bytes = AllocatedBytes.inSteadyState(() -> {
            rounds.incrementAndGet();
            for (int i = 0; i < 10_000; i++) {
                endpoint.sendTo(payload(100), destination, PORT);
                SkBuff passing = Packets.allocate(pool);
                passing.reserve(64);
                passing.put(20);
                Packets.pushHeaders(passing, from, 1, destination, PORT, 20);
                passing.meta().device(other.device);
                stack.input().receive(passing, in);
                SkBuff arriving = Packets.allocate(pool);
                arriving.reserve(64);
                arriving.put(20);
                Packets.pushHeaders(arriving, from, 1, own, PORT, 20);
                arriving.memory().set(ValueLayout.JAVA_BYTE, arriving.data() + 46L, (byte) 0);
                arriving.meta().device(other.device);
                stack.input().receive(arriving, in);
                SkBuff got = server.receive();
                if (got != null) {
                    got.free();
                }
            }
        });
        assertThat(bytes).isZero();
        assertThat(stack.counters().get(SnmpCounter.FORW_DATAGRAMS)).isEqualTo(10_000L * rounds.get());
    }
}
