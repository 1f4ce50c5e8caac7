// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.skb;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.AllocatedBytes;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.wire.ip.Ethernet;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.VlanTag;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FlowHashTest {
    private static final Gid V4_A = Gid.ofIpv4(0x0A000001);
    private static final Gid V4_B = Gid.ofIpv4(0x0A000002);
    private static final Gid V6_A = new Gid(0x2001_0DB8_0000_0000L, 1);
    private static final Gid V6_B = new Gid(0x2001_0DB8_0000_0000L, 2);
    private static final int IPPROTO_ICMP = 1;

    private final SkBuffPool pool = new SkBuffPool(1, 256);
    private final FlowHash hash = new FlowHash(42);

    @AfterEach
    void nothingIsLeaked() {
        pool.close();
        assertThat(pool.leaked()).isZero();
    }

    private SkBuff packet(Gid from, int fromPort, Gid to, int toPort) {
        SkBuff skb = Packets.udp(pool, from, fromPort, to, toPort, new byte[20]);
        skb.meta().protocol(from.isIpv4() ? EtherType.IPV4 : EtherType.IPV6);
        skb.setNetworkHeader(0);
        return skb;
    }

    private int hashOf(SkBuff skb) {
        int result = hash.of(skb);
        skb.free();
        return result;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Covers({"SKB-56", "SKB-57", "SKB-58"})
    void addressesAndPortsGoIntoTheHashWhicheverWayThePacketGoes(boolean v6) {
        Gid a = v6 ? V6_A : V4_A;
        Gid b = v6 ? V6_B : V4_B;
        SkBuff skb = packet(a, 1000, b, 2000);
        assertThat(skb.meta().hash()).as("not computed").isZero();
        int first = hash.of(skb);
        assertThat(first).isNotZero();
        assertThat(skb.meta().hash()).isEqualTo(first);
        assertThat(skb.meta().l4Hash()).isTrue();
        skb.free();

        assertThat(hashOf(packet(a, 1000, b, 2000))).isEqualTo(first);
        assertThat(hashOf(packet(b, 2000, a, 1000))).as("the answers").isEqualTo(first);
        assertThat(hashOf(packet(a, 2000, b, 1000))).as("other ends").isNotEqualTo(first);
        assertThat(hashOf(packet(a, 1001, b, 2000))).isNotEqualTo(first);
        assertThat(hashOf(packet(a, 1000, b, 2001))).isNotEqualTo(first);
        assertThat(hashOf(packet(a, 1000, a, 2000))).isNotEqualTo(first);
        SkBuff elsewhere = packet(a, 1000, b, 2000);
        assertThat(new FlowHash(43).of(elsewhere)).as("another host").isNotEqualTo(first);
        elsewhere.free();
    }

    @Test
    @Covers({"SKB-56", "SKB-57", "SKB-58"})
    void withoutPortsItIsAHashOverAddressesOnly() {
        SkBuff icmp = packet(V4_A, 1000, V4_B, 2000);
        icmp.memory().set(ValueLayout.JAVA_BYTE, icmp.data() + 9L, (byte) IPPROTO_ICMP);
        assertThat(hash.of(icmp)).isNotZero();
        assertThat(icmp.meta().l4Hash()).isFalse();
        icmp.free();
    }

    @Test
    @Covers("SKB-58")
    void allPiecesOfADatagramAreOneFlow() {
        int[] hashes = new int[2];
        for (int i = 0; i < 2; i++) {
            SkBuff skb = packet(V4_A, 1000 + i, V4_B, 2000);
            skb.memory().set(ValueLayout.JAVA_BYTE, skb.data() + (long) Ipv4.FRAGMENT, (byte) (i == 0 ? 0x20 : 0));
            skb.memory().set(ValueLayout.JAVA_BYTE, skb.data() + (long) Ipv4.FRAGMENT + 1, (byte) (i * 185));
            hashes[i] = hash.of(skb);
            assertThat(skb.meta().l4Hash()).isFalse();
            skb.free();
        }
        assertThat(hashes[0]).isNotZero().isEqualTo(hashes[1]);
    }

    @Test
    void theHeadersOfIpv6ThatComeBetweenArePassedOver() {
        int plain = hashOf(packet(V6_A, 1000, V6_B, 2000));
        SkBuff skb = packet(V6_A, 1000, V6_B, 2000);
        int ip = skb.push(16);
        skb.setNetworkHeader(0);
        Ipv6.write(
                skb.memory(),
                ip,
                0,
                0,
                44,
                0,
                64,
                V6_A.prefix(),
                V6_A.interfaceId(),
                V6_B.prefix(),
                V6_B.interfaceId());
        long options = ip + 40L;
        skb.memory().asSlice(options, 16).fill((byte) 0);
        skb.memory().set(ValueLayout.JAVA_BYTE, options, (byte) 60);
        skb.memory().set(ValueLayout.JAVA_BYTE, options + 8, (byte) Ipv6.NEXT_HEADER_UDP);
        assertThat(hash.of(skb)).isEqualTo(plain);
        assertThat(skb.meta().l4Hash()).isTrue();
        skb.free();
    }

    @Test
    void tagsOfVirtualNetworksArePassedOver() {
        int plain = hashOf(packet(V4_A, 1000, V4_B, 2000));
        SkBuff skb = packet(V4_A, 1000, V4_B, 2000);
        VlanTag.write(skb.memory(), skb.push(VlanTag.BYTES), 0, false, 7, Ethernet.TYPE_IPV4);
        VlanTag.write(skb.memory(), skb.push(VlanTag.BYTES), 0, false, 9, Ethernet.TYPE_VLAN);
        skb.meta().protocol(Ethernet.TYPE_SERVICE_VLAN);
        skb.setNetworkHeader(0);
        assertThat(hash.of(skb)).isEqualTo(plain);
        skb.free();
    }

    @Test
    void headersThatGoOnInFragmentsAreReadThere() {
        int plain = hashOf(packet(V6_A, 1000, V6_B, 2000));
        try (Arena arena = Arena.ofConfined()) {
            SkBuff skb = packet(V6_A, 1000, V6_B, 2000);
            MemorySegment rest = arena.allocate(28);
            MemorySegment.copy(skb.memory(), skb.data() + 40L, rest, 0, 28);
            skb.trim(40);
            skb.addFrag(rest, 0, 3);
            skb.addFrag(rest, 3, 25);
            assertThat(hash.of(skb)).isEqualTo(plain);
            assertThat(skb.meta().l4Hash()).isTrue();
            skb.free();
        }
    }

    @Test
    @Covers("SKB-56")
    void whatIsThereIsNotComputedAgainAndWhatIsNoIpPacketHasNone() {
        SkBuff hashed = packet(V4_A, 1000, V4_B, 2000);
        hashed.meta().hash(77);
        assertThat(hashOf(hashed)).isEqualTo(77);
        SkBuff arp = packet(V4_A, 1000, V4_B, 2000);
        arp.meta().protocol(EtherType.ARP);
        assertThat(hashOf(arp)).isZero();
    }

    @Test
    void noBytesWhateverMakeItThrow() {
        Random random = new Random(11);
        for (int i = 0; i < 20_000; i++) {
            SkBuff skb = Packets.allocate(pool);
            int length = random.nextInt(90);
            int at = skb.put(length);
            for (int j = 0; j < length; j++) {
                skb.memory().set(ValueLayout.JAVA_BYTE, at + (long) j, (byte) random.nextInt());
            }
            if (length > 0) {
                skb.memory().set(ValueLayout.JAVA_BYTE, at, (byte) ((i & 1) == 0 ? 0x45 : 0x60));
            }
            if (length > 6) {
                skb.memory().set(ValueLayout.JAVA_BYTE, at + 6L, (byte) (random.nextBoolean() ? 0 : 60));
            }
            skb.meta().protocol((i & 1) == 0 ? EtherType.IPV4 : EtherType.IPV6);
            hash.compute(skb);
            skb.free();
        }
    }

    @Test
    void aThousandFlowsSpreadOverEightWorkers() {
        int[] flows = new int[8];
        for (int port = 0; port < 1000; port++) {
            flows[Math.floorMod(hashOf(packet(V4_A, 49152 + port, V4_B, 4791)), 8)]++;
        }
        assertThat(Arrays.stream(flows).boxed()).allMatch(count -> count > 80 && count < 180);
    }

    @Test
    void hashingAllocatesNothing() {
        SkBuff skb = packet(V6_A, 1000, V6_B, 2000);
        assertThat(AllocatedBytes.inSteadyState(() -> {
                    for (int i = 0; i < 10_000; i++) {
                        hash.compute(skb);
                    }
                }))
                .isZero();
        skb.free();
    }
}
