// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import static io.rdma4j.links.LinkEvent.ARRIVED;
import static io.rdma4j.links.LinkEvent.CORRUPTED;
import static io.rdma4j.links.LinkEvent.DELAYED;
import static io.rdma4j.links.LinkEvent.DUPLICATED;
import static io.rdma4j.links.LinkEvent.LOST;
import static io.rdma4j.links.LinkEvent.QUEUE_FULL;
import static io.rdma4j.links.LinkEvent.SENT;
import static io.rdma4j.links.LinkEvent.TOO_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.AllocatedBytes;
import io.rdma4j.testing.fixtures.Frames;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.wire.ip.Ethernet;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FaultyLinkTest {
    private static final long LEFT = MacAddress.parse("02:00:00:00:00:01");
    private static final long RIGHT = MacAddress.parse("02:00:00:00:00:02");
    private static final int TYPE = 0x88B5;
    private static final long SEED = 11;
    private static final int PACKETS = 512;
    private static final LinkProfile PERFECT = LinkProfile.PERFECT.withLatencyNs(0);
    private static final LinkProfile ALL_FAULTS = LinkProfile.PERFECT
            .withLatencyNs(2000)
            .withJitterNs(1000)
            .withBandwidth(40_000_000_000L, 200)
            .withMtuBytes(1400)
            .withLoss(0.02)
            .withDuplication(0.02)
            .withReordering(0.05, 5000)
            .withCorruption(0.02)
            .withBursts(new BurstLoss(0.001, 0.2));

    private final SkBuffPool pool = new SkBuffPool(8, 2048);
    private final VethDevice.Pair pair = VethDevice.pair(
            VethDevice.end("veth0", 2, 1500, LEFT, List.of()), VethDevice.end("veth1", 2, 1500, RIGHT, List.of()));
    private final NetDevice left = pair.first();
    private final NetDevice right = pair.second();
    private final List<Integer> received = new ArrayList<>();
    private long nowNs;

    @BeforeEach
    void receive() {
        right.protocols().addHandler(TYPE, skb -> {
            received.add((int) skb.memory().get(ValueLayout.JAVA_BYTE, skb.data()));
            skb.free();
        });
    }

    @AfterEach
    void close() {
        left.unregister();
        right.unregister();
        assertThat(pool.available()).isEqualTo(8);
        pool.close();
    }

    private FaultyLink install(NetDevice device, LinkProfile send, LinkProfile receive) {
        FaultyLink link = FaultyLink.install(device, send, receive, SEED, () -> nowNs, PACKETS);
        left.up();
        right.up();
        return link;
    }

    private void send(int number) {
        assertThat(left.transmit(Frames.frame(pool, RIGHT, LEFT, TYPE, new byte[] {(byte) number, 7, 7})))
                .isEqualTo(NetdevTx.OK);
    }

    private void poll() {
        left.napi().poll(64);
        right.napi().poll(64);
    }

    @Test
    void packetsArriveWhenTheirTimeHasComeInWhicheverDirectionTheyAreDelayed() {
        LinkProfile late = PERFECT.withLatencyNs(1000);
        install(left, late, PERFECT);
        right.down();
        install(right, PERFECT, late);
        send(1);
        for (int i = 0; i < 2; i++) {
            poll();
            nowNs += 999;
            poll();
            assertThat(received).isEmpty();
            nowNs += 1;
        }
        poll();
        assertThat(received).containsExactly(1);
    }

    @Test
    void aLoopKnowsWhenTheFirstPacketUnderWayIsDueAndSleepsUntilThen() {
        NetLoop loop = new NetLoop(() -> nowNs, ProgressMode.MANUAL);
        loop.add(left);
        install(left, PERFECT.withLatencyNs(1000), PERFECT);
        assertThat(loop.nextDeadlineNs())
                .as("the device may have something since it is up")
                .isEqualTo(0);
        loop.progress(nowNs);
        assertThat(loop.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
        for (int number = 1; number <= 2; number++) {
            send(number);
            loop.progress(nowNs);
            nowNs += 300;
        }
        for (int number = 1; number <= 2; number++) {
            assertThat(loop.nextDeadlineNs()).isEqualTo(1000 + 300 * (number - 1));
            nowNs = loop.nextDeadlineNs();
            while (loop.progress(nowNs) || loop.nextDeadlineNs() == nowNs) {
                assertThat(nowNs).isLessThan(2000);
            }
            right.napi().poll(64);
            assertThat(received).hasSize(number);
        }
        assertThat(loop.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
        left.down();
        loop.remove(left);
    }

    /** A loop that does not get the link's deadline polls only every 20 ms. */
    @Test
    void theThreadOfALoopComesInTimeForAPacketThatIsDueWhileEverybodySleeps() throws InterruptedException {
        BlockingQueue<Long> arrivalsNs = new LinkedBlockingQueue<>();
        right.protocols().addTap(TYPE, _ -> arrivalsNs.add(System.nanoTime()));
        try (NetLoop loop = new NetLoop(NanoClock.SYSTEM, ProgressMode.AUTOMATIC)) {
            loop.add(left);
            loop.add(right);
            FaultyLink.install(left, PERFECT.withLatencyNs(2_000_000), PERFECT, SEED, NanoClock.SYSTEM, PACKETS);
            left.up();
            right.up();
            loop.start("test");
            long[] tookNs = new long[15];
            for (int i = 0; i < tookNs.length; i++) {
                long beginNs = System.nanoTime();
                loop.exclusively(() -> send(1));
                loop.poll();
                loop.sleep().beforeBlocking();
                Long arrivedNs = arrivalsNs.poll(10, TimeUnit.SECONDS);
                assertThat(arrivedNs).as("packet %d", i).isNotNull();
                tookNs[i] = arrivedNs - beginNs;
            }
            Arrays.sort(tookNs);
            assertThat(tookNs[0]).isGreaterThanOrEqualTo(2_000_000);
            assertThat(tookNs[tookNs.length / 2]).isLessThan(12_000_000);
            left.down();
            right.down();
            loop.remove(left);
            loop.remove(right);
        }
    }

    @Test
    void theSameSeedDoesTheSameToTheSamePackets() {
        FaultyLink link = install(left, PERFECT.withLoss(0.5), PERFECT.withLoss(0.5));
        IntStream.range(0, 100).forEach(this::send);
        poll();
        poll();
        assertThat(received).hasSizeBetween(30, 70).isSorted();
        assertThat(link.send().stats().count(LOST)).isEqualTo(100 - received.size());
        List<Integer> first = List.copyOf(received);
        left.down();
        link.remove();
        received.clear();
        install(left, PERFECT.withLoss(0.5), PERFECT);
        IntStream.range(0, 100).forEach(this::send);
        poll();
        poll();
        assertThat(received).isEqualTo(first);
    }

    @Test
    void whatIsReceivedMeetsFaultsOfItsOwn() {
        FaultyLink link = install(right, PERFECT, PERFECT.withDuplication(1));
        send(5);
        poll();
        assertThat(received).containsExactly(5, 5);
        link.receive().profile(PERFECT.withLoss(1));
        send(6);
        poll();
        assertThat(received).containsExactly(5, 5);
        assertThat(link.receive().stats().count(LOST)).isEqualTo(1);
        assertThat(link.send().stats().count(SENT)).isZero();
        assertThat(right.stats().rxErrors() + right.stats().rxDropped())
                .as("the device cannot know")
                .isZero();
    }

    @Test
    void corruptionSpoilsTheCopyThatTravelsAndNotTheSendersBuffer() {
        install(left, PERFECT.withCorruption(1), PERFECT);
        right.link().setPromiscuity(1);
        List<byte[]> arrived = new ArrayList<>();
        right.rxHandler().registerReceiver(skb -> {
            skb.push(Ethernet.BYTES);
            arrived.add(Packets.bytes(skb));
            skb.free();
        });
        SkBuff skb = Frames.frame(pool, RIGHT, LEFT, TYPE, new byte[1000]);
        byte[] before = Packets.bytes(skb);
        skb.get();
        left.transmit(skb);
        poll();
        assertThat(Packets.bytes(skb)).isEqualTo(before);
        assertThat(arrived).singleElement().isNotEqualTo(before);
        skb.free();
    }

    @Test
    void goingDownLosesWhatIsUnderWayAndTheDriverBelowIsAskedAgainAfterwards() {
        FaultyLink link = install(left, PERFECT.withLatencyNs(1000), PERFECT);
        assertThatThrownBy(link::remove)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY));
        send(1);
        left.down();
        left.up();
        nowNs += 5000;
        poll();
        assertThat(received).isEmpty();
        left.down();
        link.remove();
        left.up();
        send(2);
        poll();
        assertThat(received).containsExactly(2);
    }

    @Test
    void onlyTheLastOneThatWasPutThereCanBeTakenAway() {
        FaultyLink below = FaultyLink.install(left, PERFECT, PERFECT, SEED, () -> nowNs, PACKETS);
        FaultyLink above = FaultyLink.install(left, PERFECT, PERFECT, SEED, () -> nowNs, PACKETS);
        assertThatThrownBy(below::remove)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY));
        above.remove();
        below.remove();
    }

    @Test
    void theDeviceHandsDownFinishedPacketsOnlyAndHasItsFeaturesAgainAfterwards() {
        FeatureSet before = left.features().active();
        assertThat(before.has(NetDeviceFeature.SG)).isTrue();
        FaultyLink link = FaultyLink.install(left, PERFECT, PERFECT, SEED, () -> nowNs, PACKETS);
        assertThat(left.features().has(NetDeviceFeature.SG)).isFalse();
        link.remove();
        assertThat(left.features().active()).isEqualTo(before);
    }

    @Test
    void aMillionPacketsUnderEveryFaultLeaveNothingBehindAndAllocateNothing() {
        FaultyLink out = install(left, ALL_FAULTS, PERFECT);
        right.down();
        FaultyLink in = install(right, PERFECT, ALL_FAULTS);
        right.protocols().removeHandler(TYPE);
        right.protocols().addHandler(TYPE, SkBuff::free);
        byte[] payload = new byte[200];
        byte[] tooLong = new byte[1480];
        long allocated = AllocatedBytes.inSteadyState(() -> {
            for (int i = 0; i < 170_000; i++) {
                left.transmit(Frames.frame(pool, RIGHT, LEFT, TYPE, i % 50 == 0 ? tooLong : payload));
                nowNs += 40;
                if (i % 16 == 0) {
                    poll();
                }
            }
        });
        assertThat(allocated).isZero();
        for (LinkStats stats : List.of(out.send().stats(), in.receive().stats())) {
            for (LinkEvent event : List.of(LOST, DUPLICATED, DELAYED, CORRUPTED, ARRIVED)) {
                assertThat(stats.count(event)).as("%s", event).isPositive();
            }
        }
        assertThat(out.send().stats().count(QUEUE_FULL)).isPositive();
        assertThat(out.send().stats().count(TOO_LONG)).isPositive();
        assertThat(out.send().stats().count(SENT)).isGreaterThanOrEqualTo(1_000_000);
        for (int i = 0; i < 100; i++) {
            nowNs += 1_000_000;
            poll();
        }
        assertThat(pool.available()).as("the sender's").isEqualTo(8);
        assertThat(out.inUse() + in.inUse()).as("copies").isZero();
    }
}
