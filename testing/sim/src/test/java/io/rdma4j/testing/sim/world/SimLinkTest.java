// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.links.LinkEvent;
import io.rdma4j.links.LinkProfile;
import io.rdma4j.links.LinkStats;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.wire.ip.Ipv4;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests the impairments of a link and their times. */
class SimLinkTest {
    private static final int HERE = 0x0A00_0001;
    private static final int THERE = 0x0A00_0002;
    private static final int NOWHERE = 0x0A00_0003;
    private static final int BYTES = 1000;
    private static final long LATENCY_NS = LinkProfile.PERFECT.latencyNs();

    private final SkBuffPool pool = new SkBuffPool(1, 2 * BYTES);
    private final VirtualClock clock = new VirtualClock(0);
    private final List<Integer> arrived = new ArrayList<>();
    private final List<Long> times = new ArrayList<>();
    private boolean pristine = true;

    @AfterEach
    void nothingIsLost() {
        assertThat(pool.available()).isEqualTo(1);
        pool.close();
    }

    @Test
    void latencyCountsFromTheMomentTheLastBitHasLeft() {
        LinkProfile eightGigabits = LinkProfile.PERFECT.withBandwidth(8_000_000_000L, 10);
        send(eightGigabits, THERE, 3);
        assertThat(arrived).containsExactly(0, 1, 2);
        assertThat(times).containsExactly(LATENCY_NS + 1000, LATENCY_NS + 2000, LATENCY_NS + 3000);
    }

    @Test
    void whatIsSentAtTheSameTimeArrivesInTheSameOrder() {
        send(LinkProfile.PERFECT, THERE, 100);
        assertThat(arrived).isEqualTo(IntStream.range(0, 100).boxed().toList());
        assertThat(times).containsOnly(LATENCY_NS);
    }

    @Test
    void aFullQueueDropsTheNewest() {
        LinkStats stats = send(LinkProfile.PERFECT.withBandwidth(1_000_000, 3), THERE, 5);
        assertThat(arrived).containsExactly(0, 1, 2);
        assertThat(stats.count(LinkEvent.QUEUE_FULL)).isEqualTo(2);
    }

    @Test
    void certainLossLosesAll() {
        assertThat(send(LinkProfile.PERFECT.withLoss(1), THERE, 20).count(LinkEvent.LOST))
                .isEqualTo(20);
        assertThat(arrived).isEmpty();
    }

    @Test
    void probabilitiesAreKept() {
        LinkStats stats = send(LinkProfile.PERFECT.withLoss(0.2), THERE, 2000);
        assertThat(stats.count(LinkEvent.LOST)).isBetween(320L, 480L);
        assertThat(stats.count(LinkEvent.ARRIVED)).isEqualTo(2000 - stats.count(LinkEvent.LOST));
    }

    @Test
    void certainDuplicationDoublesAll() {
        send(LinkProfile.PERFECT.withDuplication(1), THERE, 2);
        assertThat(arrived).containsExactly(0, 0, 1, 1);
    }

    @Test
    void reorderingDelaysWithinItsLimit() {
        send(LinkProfile.PERFECT.withReordering(0.5, 500), THERE, 100);
        assertThat(arrived)
                .hasSize(100)
                .isNotEqualTo(IntStream.range(0, 100).boxed().toList());
        assertThat(times).allSatisfy(time -> assertThat(time).isBetween(LATENCY_NS, LATENCY_NS + 500));
    }

    @Test
    void aPacketLongerThanThePathVanishes() {
        assertThat(send(LinkProfile.PERFECT.withMtuBytes(BYTES - 1), THERE, 1).count(LinkEvent.TOO_LONG))
                .isEqualTo(1);
        assertThat(send(LinkProfile.PERFECT.withMtuBytes(BYTES), THERE, 1).count(LinkEvent.TOO_LONG))
                .isZero();
        assertThat(arrived).containsExactly(0);
    }

    @Test
    void aPacketToNobodyIsCounted() {
        assertThat(send(LinkProfile.PERFECT, NOWHERE, 1).count(LinkEvent.SENT)).isZero();
        assertThat(arrived).isEmpty();
    }

    @Test
    void corruptionChangesTheCopyThatTravelsOnly() {
        LinkStats stats = send(LinkProfile.PERFECT.withCorruption(1), THERE, 50);
        assertThat(stats.count(LinkEvent.CORRUPTED)).isEqualTo(50);
        assertThat(arrived).hasSize(50);
        assertThat(pristine).isTrue();
    }

    @Test
    void aProfileOutOfRangeIsRefusedByName() {
        assertThatThrownBy(() -> LinkProfile.PERFECT.withLoss(1.1))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
                .hasMessageContaining("loss 1.1");
        assertThatThrownBy(() -> LinkProfile.PERFECT.withCorruption(Double.NaN)).hasMessageContaining("corruption");
        assertThatThrownBy(() -> LinkProfile.PERFECT.withBandwidth(-1, 1)).hasMessageContaining("bandwidth");
        assertThatThrownBy(() -> LinkProfile.PERFECT.withBandwidth(1, 0)).hasMessageContaining("queue");
    }

    /** Sends numbered packets from the first of two hosts at the same time and lets all of them arrive. */
    private LinkStats send(LinkProfile profile, int destination, int count) {
        try (SimNetwork network = new SimNetwork(clock, new EventTrace(clock), profile, 1)) {
            SimLinkDevice here = attach(network, HERE);
            SimLinkDevice there = attach(network, THERE);
            there.netDevice().rxHandler().registerReceiver(skb -> {
                arrived.add(Ipv4.identification(skb.memory(), skb.data()));
                times.add(clock.nanoTime());
                skb.free();
            });
            for (int i = 0; i < count; i++) {
                SkBuff packet = packet(destination, i);
                packet.get();
                here.netDevice().transmit(packet);
                pristine &= Ipv4.identification(packet.memory(), packet.data()) == i;
                packet.free();
            }
            while (network.nextArrivalNs() != Deadline.NEVER) {
                clock.advanceTo(network.nextArrivalNs());
                network.deliver();
                while (there.netDevice().napi().poll(64) == 64) {
                    // The next 64.
                }
            }
            here.netDevice().unregister();
            there.netDevice().unregister();
            assertThat(network.buffersInUse()).isZero();
            assertThat(network.unroutable()).isEqualTo(destination == NOWHERE ? count : 0);
            return network.stats();
        }
    }

    private static SimLinkDevice attach(SimNetwork network, int address) {
        SimLinkDevice device = network.attach(1500, List.of(Gid.ofIpv4(address)));
        device.netDevice().up();
        return device;
    }

    private SkBuff packet(int destination, int number) {
        SkBuff packet = Objects.requireNonNull(pool.allocate());
        int at = packet.put(BYTES);
        Ipv4.write(packet.memory(), at, BYTES, number, 0, 64, Ipv4.PROTOCOL_UDP, HERE, destination);
        return packet;
    }
}
