// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Gid;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.AllocatedBytes;
import io.rdma4j.testing.fixtures.Frames;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.wire.ip.Ecn;
import io.rdma4j.wire.ip.Ethernet;
import io.rdma4j.wire.ip.Ipv4;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Covers behaviour of links that the tests of the simulator do not cover. */
class ImpairedPathTest {
    private static final Gid HERE = Gid.ofIpv4(0x0A00_0001);
    private static final Gid THERE = Gid.ofIpv4(0x0A00_0002);
    private static final long SEED = 7;

    private final SkBuffPool pool = new SkBuffPool(2, 2048);
    private final SkBuffPool memory = new SkBuffPool(4, 2048);
    private final List<Long> times = new ArrayList<>();
    private final List<Integer> codepoints = new ArrayList<>();

    @AfterEach
    void nothingIsLost() {
        assertThat(pool.available()).isEqualTo(2);
        assertThat(memory.available()).isEqualTo(4);
        pool.close();
        memory.close();
    }

    /** Records the arrival time of each copy, and delivers it immediately. */
    private class Recorder implements ImpairedPath.Carrier {
        private final LinkType linkType;
        private final ImpairedPath path;

        Recorder(LinkType linkType, LinkProfile profile) {
            this.linkType = linkType;
            this.path = new ImpairedPath(this, linkType, profile, SEED);
        }

        @Override
        public @Nullable SkBuff copy(SkBuff packet) {
            SkBuff copy = memory.allocate();
            if (copy != null) {
                packet.copyBits(0, copy.memory(), copy.put(packet.len()), packet.len());
            }
            return copy;
        }

        @Override
        public void schedule(long timeNs, SkBuff copy) {
            times.add(timeNs);
            codepoints.add(Ecn.codepoint(copy.memory(), copy.data() + linkType.headerBytes()));
            path.arrived(copy);
            copy.free();
        }
    }

    private SkBuff ipPacket(int codepoint) {
        SkBuff skb = Packets.udp(pool, HERE, 1, THERE, 2, new byte[972]);
        Ipv4.typeOfService(skb.memory(), skb.data(), codepoint);
        Ipv4.updateChecksum(skb.memory(), skb.data());
        return skb;
    }

    private void send(Recorder to, SkBuff packet, int times, long everyNs) {
        for (int i = 0; i < times; i++) {
            to.path.send(packet, i * everyNs);
        }
        packet.free();
    }

    @Test
    void jitterDelaysWithinItsLimitAndKeepsTheOrder() {
        Recorder path = new Recorder(
                LinkType.IP, LinkProfile.PERFECT.withLatencyNs(1000).withJitterNs(500));
        send(path, ipPacket(Ecn.ECT_0), 200, 100);
        assertThat(times).isSorted().hasSize(200);
        for (int i = 0; i < 200; i++) {
            assertThat(times.get(i) - i * 100L).isBetween(1000L, 1500L);
        }
        assertThat(times.stream().distinct().count()).as("delays differ").isGreaterThan(50);
        assertThatThrownBy(() -> LinkProfile.PERFECT.withJitterNs(-1)).hasMessageContaining("jitter");
    }

    @Test
    void theSameSeedHasTheSameOutcome() {
        LinkProfile bad = LinkProfile.PERFECT.withLoss(0.3).withDuplication(0.2).withReordering(0.4, 999);
        send(new Recorder(LinkType.IP, bad), ipPacket(0), 500, 10);
        List<Long> first = List.copyOf(times);
        times.clear();
        send(new Recorder(LinkType.IP, bad), ipPacket(0), 500, 10);
        assertThat(times).isEqualTo(first).hasSizeBetween(300, 550);
    }

    @Test
    void congestionIsMarkedBehindTheLinkHeaderAndInIpPacketsOnly() {
        LinkProfile slow = LinkProfile.PERFECT.withBandwidth(8_000_000, 100).withEcnBytes(1500);
        Recorder path = new Recorder(LinkType.ETHERNET, slow);
        SkBuff ip = ipPacket(Ecn.ECT_0);
        Ethernet.write(ip.memory(), ip.push(Ethernet.BYTES), 2, 4, Ethernet.TYPE_IPV4);
        send(path, ip, 4, 0);
        assertThat(codepoints).containsExactly(Ecn.ECT_0, Ecn.ECT_0, Ecn.CE, Ecn.CE);
        assertThat(path.path.stats().count(LinkEvent.MARKED)).isEqualTo(2);

        for (int type : new int[] {Ethernet.TYPE_ARP, Ethernet.TYPE_IPV4, Ethernet.TYPE_IPV6}) {
            Recorder other = new Recorder(LinkType.ETHERNET, slow);
            byte[] noHeader = new byte[600];
            noHeader[0] = 0x6F;
            noHeader[1] = 0x20;
            send(other, Frames.frame(pool, 2, 4, type, noHeader), 4, 0);
            assertThat(other.path.stats().count(LinkEvent.MARKED)).isEqualTo(type == Ethernet.TYPE_IPV6 ? 1 : 0);
            send(other, Frames.frame(pool, 2, 4, type, new byte[19]), 4, 0);
        }
    }

    @Test
    void theQueueCountsPacketsThatWaitForTheirTurn() {
        Recorder path = new Recorder(LinkType.IP, LinkProfile.PERFECT.withBandwidth(8_000_000, 150));
        SkBuff packet = ipPacket(0);
        // A packet takes 1 ms. There are so many packets that the ring of departures grows and wraps.
        for (int i = 0; i < 400; i++) {
            path.path.send(packet, 250_000L * i);
        }
        packet.free();
        assertThat(path.path.stats().count(LinkEvent.QUEUE_FULL)).isEqualTo(400 - 150 - 99);
        assertThat(path.path.waitingBytes(250_000L * 399)).isBetween(149_000L, 150_000L);
        assertThat(times).isSorted();
        assertThat(times.getLast()).isEqualTo(249 * 1_000_000L + LinkProfile.PERFECT.latencyNs());
    }

    @Test
    void whatThereIsNoMemoryForIsLostAsInAQueueThatWasTooShort() {
        Recorder path = new Recorder(LinkType.IP, LinkProfile.PERFECT);
        List<SkBuff> taken = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            taken.add(Packets.allocate(memory));
        }
        send(path, ipPacket(0), 3, 0);
        taken.forEach(SkBuff::free);
        assertThat(path.path.stats().count(LinkEvent.QUEUE_FULL)).isEqualTo(3);
        assertThat(path.path.stats())
                .hasToString(
                        "3 sent, 0 arrived, 0 lost, 0 too long, 3 overflowed, 0 held back, 0 duplicated, 0 delayed, 0 marked, 0 corrupted");
    }

    @Test
    void aPacketAllocatesNothing() {
        LinkProfile bad = LinkProfile.PERFECT
                .withLoss(0.1)
                .withDuplication(0.1)
                .withReordering(0.1, 1000)
                .withJitterNs(100)
                .withCorruption(0.1)
                .withBandwidth(1_000_000_000, 1000)
                .withEcnBytes(10_000)
                .withBursts(new BurstLoss(0.01, 0.5));
        ImpairedPath[] path = new ImpairedPath[1];
        path[0] = new ImpairedPath(
                new ImpairedPath.Carrier() {
                    @Override
                    public @Nullable SkBuff copy(SkBuff packet) {
                        return memory.allocate();
                    }

                    @Override
                    public void schedule(long timeNs, SkBuff copy) {
                        copy.free();
                    }
                },
                LinkType.IP,
                bad,
                SEED);
        SkBuff packet = ipPacket(Ecn.ECT_0);
        long[] nowNs = {0};
        assertThat(AllocatedBytes.inSteadyState(() -> {
                    for (int i = 0; i < 20_000; i++) {
                        path[0].send(packet, nowNs[0] += 7000);
                    }
                }))
                .isZero();
        packet.free();
    }
}
