// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.ScriptedNetwork.Mode;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.Reth;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Paths whose far end reads payload where it lies: long trains, a wide window, and what happens when that ends. */
class InPlaceTest {
    private static final int MTU = 4096;
    private static final int MEBIBYTE = 1 << 20;
    private static final int TRAIN = MEBIBYTE / MTU;
    private static final int BURST = 8 * MEBIBYTE;

    private static EnginePair pair(Mode mode, int burstBytes) {
        return pair(new PairSettings().rdma(8).mode(mode), burstBytes);
    }

    private static EnginePair pair(PairSettings settings, int burstBytes) {
        EnginePair pair = new EnginePair(settings.mtu(Mtu.MTU_4096));
        pair.a.burstBytes = burstBytes;
        pair.b.burstBytes = burstBytes;
        return pair;
    }

    private static List<Integer> trains(List<Parcel> parcels) {
        return parcels.stream().map(parcel -> parcel.packets).toList();
    }

    private static int packets(List<Parcel> parcels) {
        return parcels.stream().mapToInt(parcel -> parcel.packets).sum();
    }

    /** Both sides' paths are like any network from now on. */
    private static void narrow(EnginePair pair) {
        pair.a.burstBytes = 0;
        pair.b.burstBytes = 0;
    }

    @ParameterizedTest
    @CsvSource({"WHOLE, RC, 4194304", "CUT, RC, 1048576", "WHOLE, UC, 4194304", "CUT, UC, 1048576"})
    @Covers({"RXE-24", "RXE-99"})
    void messagesOfAllSizesArrive(Mode mode, QpType type, int burstBytes) {
        PairSettings settings = new PairSettings().rdma(8).mode(mode);
        settings.type = type;
        try (EnginePair pair = pair(settings, burstBytes)) {
            TestRegion source = pair.a.region(3 * MEBIBYTE).filled(1);
            TestRegion target = pair.b.shared(3 * MEBIBYTE + 16);
            for (int size :
                    List.of(61_440, 61_441, 65_537, 300_001, MEBIBYTE - 1, MEBIBYTE, MEBIBYTE + 1, 3 * MEBIBYTE)) {
                target.memory().fill((byte) 0);
                pair.a.write(size, target.piece(8, 0), source.first(size));
                pair.settle();
                assertThat(pair.a.sendResults()).containsExactly(size + " SUCCESS");
                assertThat(target.bytes(8, size)).isEqualTo(source.bytes(0, size));
                assertThat(target.bytes(0, 8)).containsOnly(0);
                assertThat(target.bytes(8 + size, 8)).containsOnly(0);
            }
            assertThat(pair.a.counters().retries).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({"WHOLE, 4194304", "CUT, 1048576"})
    void readsOfAllSizesArrive(Mode mode, int burstBytes) {
        try (EnginePair pair = pair(mode, burstBytes)) {
            TestRegion source = pair.b.shared(3 * MEBIBYTE).filled(1);
            TestRegion target = pair.a.region(3 * MEBIBYTE + 16);
            for (int size : List.of(61_440, 98_304, 98_305, 300_001, MEBIBYTE, MEBIBYTE + 1, 3 * MEBIBYTE)) {
                target.memory().fill((byte) 0);
                pair.a.read(size, source.first(0), target.piece(8, size));
                pair.settle();
                assertThat(pair.a.sendCompletions()).singleElement().satisfies(completion -> {
                    assertThat(completion.brief()).isEqualTo(size + " SUCCESS");
                    assertThat(completion.opcode()).isEqualTo(WcOpcode.RDMA_READ);
                });
                assertThat(target.bytes(8, size)).isEqualTo(source.bytes(0, size));
                assertThat(target.bytes(0, 8)).containsOnly(0);
                assertThat(target.bytes(8 + size, 8)).containsOnly(0);
            }
            assertThat(pair.a.counters().retries).isZero();
        }
    }

    @Test
    void trainsAreAnEighthOfWhatThePathTakesAtOnce() {
        try (EnginePair pair = pair(Mode.WHOLE, BURST)) {
            TestRegion source = pair.a.region(10 * MEBIBYTE).filled(1);
            TestRegion target = pair.b.shared(10 * MEBIBYTE);
            pair.a.write(1, target.first(0), source.first(10 * MEBIBYTE));
            pair.transmit();
            assertThat(trains(pair.network.sent())).hasSize(8).containsOnly(TRAIN);
            assertThat(pair.network.sent()).allMatch(parcel -> parcel.ackRequest);
            // As soon as one is acknowledged, the next one follows.
            pair.network.deliverNext(pair.nowNs());
            pair.transmit();
            pair.network.deliver(7, pair.nowNs());
            pair.transmit();
            assertThat(packets(pair.network.requests())).isEqualTo(9 * TRAIN);
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
            assertThat(EnginePair.sameBytes(source, target, 10 * MEBIBYTE)).isTrue();
        }
    }

    @Test
    void aSmallMessageBehindALongOneWaitsForNothing() {
        try (EnginePair pair = pair(Mode.WHOLE, BURST)) {
            TestRegion source = pair.a.region(BURST).filled(1);
            pair.a.write(1, pair.b.shared(BURST).first(0), source.first(BURST));
            pair.a.send(2, source.first(10));
            pair.postReceives(1, 10);
            pair.transmit();
            assertThat(trains(pair.network.sent())).hasSize(9).endsWith(TRAIN, 1);
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS");
        }
    }

    @Test
    void whatIsNotReadInPlaceGoesAsThroughAnyNetwork() {
        try (EnginePair pair = pair(Mode.WHOLE, BURST)) {
            pair.a.readsInPlace = false;
            pair.b.readsInPlace = false;
            TestRegion here = pair.a.shared(MEBIBYTE).filled(1);
            TestRegion there = pair.b.shared(MEBIBYTE).filled(2);
            pair.a.write(1, there.first(0), here.first(MEBIBYTE));
            pair.transmit();
            // Three trains of fifteen; the three packets that would fill the window wait.
            assertThat(packets(pair.network.sent())).isEqualTo(45);
            pair.settle();
            assertThat(EnginePair.sameBytes(here, there, MEBIBYTE)).isTrue();
            here.memory().fill((byte) 0);
            pair.a.read(2, there.first(0), here.first(MEBIBYTE));
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS");
            assertThat(EnginePair.sameBytes(here, there, MEBIBYTE)).isTrue();
            assertThat(pair.network.sent()).allMatch(parcel -> parcel.packets <= 15);
        }
    }

    @Test
    void payloadInManyPiecesGoesInOneTrain() {
        try (EnginePair pair = pair(new PairSettings().rdma(8).maxSge(SkBuff.MAX_FRAGS), BURST)) {
            TestRegion source = pair.a.region(320_000).filled(1);
            TestRegion target = pair.b.shared(320_000);
            TestRegion.Piece[] pieces = new TestRegion.Piece[SkBuff.MAX_FRAGS];
            for (int i = 0; i < pieces.length; i++) {
                pieces[i] = source.piece(i * 10_000L, 10_000);
            }
            pair.a.write(1, target.first(0), pieces);
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
            assertThat(EnginePair.sameBytes(source, target, 320_000)).isTrue();
            assertThat(trains(pair.network.requests())).containsExactly(79);
        }
    }

    @Test
    @Covers("RXE-99")
    void whenThePathEndsTheWindowIsThatOfAnyNetworkAgain() {
        try (EnginePair pair = pair(Mode.WHOLE, BURST)) {
            TestRegion source = pair.a.region(6 * MEBIBYTE).filled(1);
            TestRegion target = pair.b.shared(6 * MEBIBYTE);
            pair.a.write(1, target.first(0), source.first(6 * MEBIBYTE));
            pair.transmit();
            pair.network.deliverNext(pair.nowNs());
            pair.network.dropAll();
            narrow(pair);
            pair.network.forgetSent();
            pair.advanceTo(pair.nextDeadlineNs());
            pair.transmit();
            // Half of the window, because there was a loss.
            assertThat(packets(pair.network.requests())).isEqualTo(24);
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
            assertThat(EnginePair.sameBytes(source, target, 6 * MEBIBYTE)).isTrue();
            assertThat(pair.network.sent()).allMatch(parcel -> parcel.packets <= 15);
        }
    }

    /** The responder knows the request by its end. */
    @Test
    void aPartOfAReadEndsWhereItEndedAlthoughThePathIsAnotherOne() {
        try (EnginePair pair = pair(Mode.CUT, MEBIBYTE)) {
            TestRegion source = pair.b.shared(MEBIBYTE).filled(1);
            TestRegion target = pair.a.region(MEBIBYTE);
            pair.a.read(1, source.first(0), target.first(MEBIBYTE));
            pair.transmit();
            assertThat(pair.network.requests())
                    .extracting(parcel -> parcel.psn)
                    .containsExactly(100, 132, 164, 196, 228, 260, 292, 324);
            narrow(pair);
            pair.network.loseNext(parcel -> parcel.psn == 110 && !parcel.isRequest());
            pair.deliver();
            pair.transmit();
            pair.deliver();
            pair.network.forgetSent();
            pair.transmit();
            Parcel again = pair.network.requests().getFirst();
            assertThat(again.psn).isEqualTo(110);
            int reth = again.skb.data() + again.opcode.offsetOf(Header.RETH);
            assertThat(Reth.dmaLength(again.skb.memory(), reth)).isEqualTo(22L * MTU);
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
            assertThat(EnginePair.sameBytes(source, target, MEBIBYTE)).isTrue();
        }
    }

    @Test
    void aPathMayBecomeOneInTheMiddleOfAMessage() {
        try (EnginePair pair = pair(Mode.WHOLE, 0)) {
            TestRegion source = pair.a.region(2 * MEBIBYTE).filled(1);
            TestRegion target = pair.b.shared(2 * MEBIBYTE);
            pair.a.write(1, target.first(0), source.first(2 * MEBIBYTE));
            pair.a.read(2, target.first(0), source.first(2 * MEBIBYTE));
            pair.transmit();
            pair.a.burstBytes = BURST;
            pair.b.burstBytes = BURST;
            pair.network.forgetSent();
            pair.settle();
            assertThat(pair.network.sent()).anyMatch(parcel -> parcel.packets == TRAIN);
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS");
            assertThat(EnginePair.sameBytes(source, target, 2 * MEBIBYTE)).isTrue();
        }
    }

    @Test
    void eachLossMakesTheWindowSmaller() {
        try (EnginePair pair = pair(Mode.WHOLE, BURST)) {
            TestRegion source = pair.a.region(BURST);
            pair.a.write(1, pair.b.shared(BURST).first(0), source.first(BURST));
            int[] sent = new int[5];
            for (int i = 0; i < sent.length; i++) {
                pair.network.forgetSent();
                pair.transmit();
                pair.network.dropAll();
                sent[i] = packets(pair.network.sent());
                pair.advanceTo(pair.nextDeadlineNs());
            }
            assertThat(sent).containsExactly(2048, 1024, 512, 256, 170);
        }
    }

    /** Whoever answers without end sends requests of its own all the same. */
    @Test
    void answersLeaveRequestsTheirShareHoweverLongTheyAre() {
        try (EnginePair pair = pair(new PairSettings().rdma(8).budget(64), BURST)) {
            TestRegion there = pair.b.shared(4 * MEBIBYTE).filled(1);
            TestRegion here = pair.a.shared(4 * MEBIBYTE).filled(2);
            pair.a.read(1, there.first(0), here.first(4 * MEBIBYTE));
            pair.transmit();
            pair.deliver();
            pair.network.forgetSent();
            pair.b.write(2, here.first(0), there.first(4 * MEBIBYTE));
            pair.b.engine.pollTransmit(pair.nowNs(), 64);
            assertThat(pair.network.sent())
                    .extracting(Parcel::toString)
                    .startsWith("RC RDMA READ Response First 100..355", "RC RDMA WRITE First 7000..7255");
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
            assertThat(pair.b.sendResults()).containsExactly("2 SUCCESS");
        }
    }

    /** Channels come and go, memory is sometimes where the peer can read it, and packets are lost. */
    @ParameterizedTest
    @CsvSource({"WHOLE, 1", "WHOLE, 2", "WHOLE, 3", "CUT, 4", "CUT, 5", "CUT, 6"})
    void everythingArrivesHoweverThePathChanges(Mode mode, int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int requests = 40;
        int slot = 700_000;
        try (EnginePair pair = pair(mode, MEBIBYTE)) {
            TestRegion here = pair.a.shared((long) requests * slot).filled(1);
            TestRegion there = pair.b.shared((long) requests * slot).filled(2);
            int[] sizes = new int[requests];
            byte[][] expected = new byte[requests][];
            for (int i = 0; i < requests; i++) {
                sizes[i] = random.nextInt(3) == 0 ? random.nextInt(5000) : random.nextInt(slot);
                long at = (long) i * slot;
                if (i % 2 == 0) {
                    expected[i] = here.bytes(at, sizes[i]);
                    pair.a.write(i, there.piece(at, 0), here.piece(at, sizes[i]));
                } else {
                    expected[i] = there.bytes(at, sizes[i]);
                    pair.a.read(i, there.piece(at, 0), here.piece(at, sizes[i]));
                }
            }
            List<String> results = new ArrayList<>();
            for (int round = 0; results.size() < requests; round++) {
                assertThat(round).isLessThan(20_000);
                change(pair.a, random);
                change(pair.b, random);
                pair.transmit();
                if (random.nextInt(10) == 0 && !pair.network.inFlight().isEmpty()) {
                    pair.network.drop(random.nextInt(pair.network.inFlight().size()));
                }
                if (pair.network.inFlight().isEmpty()) {
                    pair.advanceTo(pair.nextDeadlineNs());
                }
                for (int left = random.nextInt(40);
                        left > 0 && !pair.network.inFlight().isEmpty();
                        left--) {
                    pair.network.deliverNext(pair.nowNs());
                }
                results.addAll(pair.a.sendResults());
            }
            for (int i = 0; i < requests; i++) {
                assertThat(results.get(i)).isEqualTo(i + " SUCCESS");
                TestRegion target = i % 2 == 0 ? there : here;
                assertThat(target.bytes((long) i * slot, sizes[i])).isEqualTo(expected[i]);
            }
            pair.run();
        }
    }

    private static void change(Endpoint endpoint, SplittableRandom random) {
        if (random.nextInt(4) == 0) {
            endpoint.burstBytes = random.nextBoolean() ? MEBIBYTE : 0;
            endpoint.readsInPlace = random.nextBoolean();
        }
    }
}
