// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rdma4j.verbs.device.PortState;
import io.rdma4j.wire.ib.Lid;
import io.rdma4j.wire.ib.LinkPacket;
import io.rdma4j.wire.ib.LocalPacket;
import io.rdma4j.wire.ib.Lrh;
import io.rdma4j.wire.roce.Icrc;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Links that make bytes, with rate, latency and credits. */
class WireLinkTest {
    /** 4x SDR: 1 ns a byte. */
    private static final IbLinkProfile WIRE = IbLinkProfile.wire(100, 128);

    private static final int SEED = 11;

    @Test
    void bytesOnTheLinkHaveLaneLengthAndCrcs() {
        List<byte[]> seen = new ArrayList<>();
        LinkNoise tap = (bytes, fromFirst) -> {
            if (fromFirst && bytes.byteSize() > LinkPacket.BYTES) {
                seen.add(bytes.toArray(ValueLayout.JAVA_BYTE));
            }
        };
        Star star = new Star(2, WIRE.with(tap));
        star.end(1).slToVl(3, 5);
        star.end(1).send(star.packets.send(1, 2, 3, 8, 0xABC));
        star.run();

        assertThat(seen).hasSize(1);
        ByteBuffer view = ByteBuffer.allocateDirect(34);
        MemorySegment packet = MemorySegment.ofBuffer(view).copyFrom(MemorySegment.ofArray(seen.getFirst()));
        assertThat(LocalPacket.check(packet, 0, 34).isOk()).isTrue();
        assertThat(LocalPacket.hasGoodVcrc(packet, 0)).isTrue();
        assertThat(LocalPacket.computeIcrc(new Icrc(), packet, view, 0))
                .isEqualTo(Icrc.load(packet, LocalPacket.icrcOffset(packet, 0)));
        assertThat(Lrh.virtualLane(packet, 0)).isEqualTo(5);
        assertThat(star.mail(2).numbers()).containsExactly(0xABC);
        star.assertEmpty();
    }

    @Test
    void timeIsBytesTimesRatePlusLatencyOnEachLink() {
        Star star = new Star(2, WIRE);
        long startNs = star.schedule.nowNs();
        star.send(1, 2, 1000, 1);
        star.run();

        int bytes = 8 + 12 + 1000 + 4 + 2;
        assertThat(star.mail(2).arrivals.getFirst().atNs() - startNs).isEqualTo(2L * (bytes + 100));
    }

    @Test
    void aDamagedPacketIsDroppedCountedAndItsCreditsReturn() {
        SplittableRandom random = new SplittableRandom(SEED);
        LinkNoise noise = (bytes, _) -> {
            if (bytes.byteSize() > LinkPacket.BYTES && random.nextInt(5) == 0) {
                long at = random.nextLong(bytes.byteSize());
                bytes.set(ValueLayout.JAVA_BYTE, at, (byte)
                        (bytes.get(ValueLayout.JAVA_BYTE, at) ^ 1 << random.nextInt(8)));
            }
        };
        Star star = new Star(2, WIRE.with(noise));
        for (int i = 0; i < 500; i++) {
            star.send(1, 2, 4 * (1 + random.nextInt(60)), i);
        }
        star.run();

        long bad = star.hub.port(1).counts().dropped(DropReason.BAD_VCRC)
                + star.end(2).port().counts().dropped(DropReason.BAD_VCRC);
        assertThat(bad).isGreaterThan(50);
        assertThat(star.dropped()).isEqualTo(bad);
        assertThat(star.mail(2).arrivals).hasSize(500 - (int) bad);
        assertThat(star.mail(2).numbers()).isSorted();
        assertThat(star.hub.port(1).counts().get(PortCount.LOCAL_PHYSICAL_ERRORS))
                .isPositive();
        assertCreditsAreBack(star);
        star.assertEmpty();
    }

    private static void assertCreditsAreBack(Star star) {
        for (int number = 1; number <= star.ends.size(); number++) {
            for (int lane = 0; lane < 15; lane++) {
                assertThat(star.hub.port(number).credits(lane).available()).isEqualTo(128);
                assertThat(star.end(number).port().credits(lane).available()).isEqualTo(128);
                assertThat(star.hub.port(number).credits(lane).used()).isZero();
            }
        }
    }

    @Test
    void lostLinkPacketsOnlyCostTime() {
        SplittableRandom random = new SplittableRandom(SEED);
        boolean[] isNoisy = {false};
        LinkNoise noise = (bytes, _) -> {
            if (isNoisy[0] && bytes.byteSize() == LinkPacket.BYTES && random.nextInt(10) < 3) {
                bytes.set(ValueLayout.JAVA_BYTE, 3, (byte) ~bytes.get(ValueLayout.JAVA_BYTE, 3));
            }
        };
        Star star = new Star(3, WIRE.with(noise));
        isNoisy[0] = true;
        for (int i = 0; i < 2000; i++) {
            star.send(1 + i % 2, 3, 256, i);
        }
        star.run();

        assertThat(star.mail(3).arrivals).hasSize(2000);
        assertThat(star.dropped()).isZero();
        assertCreditsAreBack(star);
        star.assertEmpty();
    }

    @Test
    void aBufferOfOnePacketMakesStopAndWait() {
        int bytes = 8 + 12 + 1000 + 4 + 2;
        int blocks = (bytes + 63) / 64;
        Star star = new Star(2, IbLinkProfile.wire(1000, blocks));
        long startNs = star.schedule.nowNs();
        int packets = 100;
        for (int i = 0; i < packets; i++) {
            star.send(1, 2, 1000, i);
        }
        star.run();

        long tookNs = star.mail(2).arrivals.getLast().atNs() - startNs;
        // The switch forwards the packet completely before its buffer is free: two serializations and a round trip.
        assertThat((double) tookNs / packets).isCloseTo(2 * bytes + 2 * 1000, within(100.0));
        assertThat(star.dropped()).isZero();
        assertThat(star.end(1).port().counts().get(PortCount.XMIT_WAIT)).isPositive();
    }

    @Test
    void aBufferSmallerThanAPacketNeverSendsIt() {
        Star star = new Star(2, IbLinkProfile.wire(10, 4));
        star.send(1, 2, 400, 1);
        star.run();
        assertThat(star.mail(2).arrivals).isEmpty();
        assertThat(star.subnet.packetsInFlight()).isEqualTo(1);
        assertThat(star.end(1).waiting(0)).isEqualTo(1);
    }

    @Test
    void managementGoesFirstOnASaturatedLink() {
        Star star = new Star(2, WIRE);
        for (int i = 0; i < 50; i++) {
            star.send(1, 2, 2048, i);
        }
        long atNs = star.schedule.nowNs();
        star.hub.tables().linear(7, 0);
        star.end(1).send(star.packets.management(1, 7));
        star.run();

        int largest = 8 + 12 + 2048 + 4 + 2;
        int own = 8 + 12 + 8 + 256 + 4 + 2;
        assertThat(star.switchMail.arrivals.getFirst().atNs() - atNs).isLessThanOrEqualTo(largest + own + 100);
        assertThat(star.mail(2).arrivals).hasSize(50);
    }

    @Test
    void aBlockedFlowBlocksThoseOfItsLaneAndNoOthers() {
        Star star = new Star(4, WIRE);
        long startNs = star.schedule.nowNs();
        // Ports 2 and 3 keep the output to 4 busy; port 1 sends to 4 and to 2.
        for (int i = 0; i < 200; i++) {
            star.send(2, 4, 2048, i);
            star.send(3, 4, 2048, i);
            star.send(1, 4, 2048, i);
            star.send(1, 2, 2048, 1000 + i);
            star.end(1).send(star.packets.send(1, 2, 1, 2048, 2000 + i));
        }
        star.run();

        long sameLaneNs = lastNs(star, 1000) - startNs;
        long otherLaneNs = lastNs(star, 2000) - startNs;
        assertThat(star.mail(2).arrivals).hasSize(400);
        assertThat(otherLaneNs).isLessThan(sameLaneNs * 3 / 4);
        assertThat(star.dropped()).isZero();
    }

    private static long lastNs(Star star, int first) {
        return star.mail(2).arrivals.stream()
                .filter(arrival -> arrival.number() >= first && arrival.number() < first + 1000)
                .mapToLong(Mailbox.Arrival::atNs)
                .max()
                .orElseThrow();
    }

    @Test
    void inputsShareAnOutputFairly() {
        Star star = new Star(6, WIRE);
        for (int i = 0; i < 300; i++) {
            for (int from = 1; from <= 5; from++) {
                star.send(from, 6, 1024, i);
            }
        }
        star.run();

        List<Integer> firstHalf = star.mail(6).arrivals.subList(0, 750).stream()
                .map(Mailbox.Arrival::slid)
                .toList();
        for (int from = 1; from <= 5; from++) {
            int slid = from;
            assertThat(firstHalf.stream().filter(lid -> lid == slid).count()).isBetween(135L, 165L);
        }
        assertThat(star.dropped()).isZero();
    }

    @Test
    void aLostLinkDropsWhatIsUnderWayAndStartsWithFreshCredits() {
        Star star = new Star(2, WIRE);
        for (int i = 0; i < 20; i++) {
            star.send(1, 2, 2048, i);
        }
        star.schedule.runUntil(star.schedule.nowNs() + 10_000);
        star.links.getFirst().unplug();
        star.run();
        int arrived = star.mail(2).arrivals.size();
        assertThat(arrived).isBetween(2, 8);
        assertThat(arrived + star.dropped()).isEqualTo(20);
        star.assertEmpty();

        star.links.getFirst().plug();
        star.run();
        Star.activate(star.end(1).port());
        Star.activate(star.hub.port(1));
        star.send(1, 2, 2048, 77);
        star.run();
        assertThat(star.mail(2).numbers()).endsWith(77);
        assertCreditsAreBack(star);
    }

    @Test
    void packetsThatStayTooLongAreDiscarded() {
        Star star = new Star(3, WIRE);
        star.hub.lifeTime(0); // 4.096 µs
        for (int i = 0; i < 20; i++) {
            star.send(1, 3, 2048, i);
            star.send(2, 3, 2048, i);
        }
        star.run();

        long aged = star.hub.port(3).counts().get(PortCount.SW_LIFETIME_LIMIT_DISCARDS);
        assertThat(aged).isPositive();
        assertThat(star.mail(3).arrivals).hasSize(40 - (int) aged);
        star.assertEmpty();
    }

    /** Everything is delivered exactly once, in order for each pair and level, and no credit is lost. */
    @Test
    void randomTrafficIsLossless() {
        SplittableRandom random = new SplittableRandom(SEED);
        Star star = new Star(6, IbLinkProfile.wire(250, 128), 8);
        int sent = 0;
        for (int round = 0; round < 100; round++) {
            for (int i = 0; i < 20; i++) {
                int from = 1 + random.nextInt(6);
                int to = 1 + (from + random.nextInt(5)) % 6;
                assertThat(star.end(from)
                                .send(star.packets.send(from, to, random.nextInt(8), 4 * random.nextInt(64), sent++)))
                        .isTrue();
            }
            star.schedule.runUntil(star.schedule.nowNs() + random.nextInt(20_000));
        }
        star.run();

        assertThat(star.mail.stream().mapToInt(box -> box.arrivals.size()).sum())
                .isEqualTo(sent);
        assertThat(star.dropped()).isZero();
        star.assertEmpty();
    }

    @Test
    void theSameSeedGivesTheSameBytes() {
        assertThat(trace()).isEqualTo(trace());
    }

    private static List<String> trace() {
        List<String> trace = new ArrayList<>();
        SplittableRandom random = new SplittableRandom(SEED);
        Star star = new Star(
                4,
                WIRE.with((bytes, fromFirst) ->
                        trace.add(fromFirst + " " + HexFormat.of().formatHex(bytes.toArray(ValueLayout.JAVA_BYTE)))));
        for (int i = 0; i < 200; i++) {
            star.send(1 + random.nextInt(3), 4, 4 * random.nextInt(100), i);
        }
        star.run();
        return trace;
    }

    @Test
    void withoutLidsManagementStillPasses() {
        EventSchedule schedule = new EventSchedule();
        IbSubnet subnet = new IbSubnet(schedule);
        Mailbox box = new Mailbox(schedule);
        Packets packets = new Packets();
        IbEndPort a = subnet.newEndPort(1, box, PortObserver.NONE);
        IbEndPort b = subnet.newEndPort(1, box, PortObserver.NONE);
        subnet.connect(a.port(), b.port(), WIRE);
        schedule.runUntil(1);
        assertThat(a.port().state()).isEqualTo(PortState.INIT);
        a.send(packets.management(Lid.PERMISSIVE, Lid.PERMISSIVE));
        schedule.runUntil(10_000);

        assertThat(box.arrivals).hasSize(1);
    }
}
