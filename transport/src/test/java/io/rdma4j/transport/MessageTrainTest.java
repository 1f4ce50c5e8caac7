// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.ScriptedNetwork.Mode;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.SendBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Several SENDs of one packet each that make one buffer: what may be in one, and that each stays a message of its own.
 */
class MessageTrainTest {
    private static final int PIECES = 32;

    /** Bytes of a receive. */
    private static final long ROOM = 2048;

    private static EnginePair pair(PairSettings settings) {
        EnginePair pair = new EnginePair(settings);
        pair.a.messagesPerBuffer = PIECES;
        pair.b.messagesPerBuffer = PIECES;
        return pair;
    }

    /** Posts messages of these lengths; each has a piece of the region of its own. */
    private static TestRegion send(EnginePair pair, int... lengths) {
        TestRegion source = pair.a.region(1024L * lengths.length).filled(lengths.length);
        for (int i = 0; i < lengths.length; i++) {
            pair.a.send(i, source.piece(1024L * i, lengths[i]));
        }
        return source;
    }

    private static TestRegion receives(EnginePair pair, int count) {
        TestRegion target = pair.b.region(ROOM * count);
        for (int i = 0; i < count; i++) {
            pair.b.receive(i, target.piece(ROOM * i, (int) ROOM));
        }
        return target;
    }

    private static List<String> requests(EnginePair pair) {
        return pair.network.requests().stream().map(Parcel::toString).toList();
    }

    private static List<String> results(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> i + " SUCCESS").toList();
    }

    @ParameterizedTest
    @CsvSource({"WHOLE, RC", "CUT, RC", "WHOLE, UC", "CUT, UC"})
    @Covers({"RXE-118", "RXE-119"})
    void messagesThatWerePostedTogetherMakeOneBufferAndEachIsReceivedByItself(Mode mode, QpType type) {
        int[] lengths = {64, 64, 64, 64, 3};
        try (EnginePair pair = pair(new PairSettings().mode(mode).type(type))) {
            TestRegion target = receives(pair, lengths.length);
            TestRegion source = send(pair, lengths);
            pair.settle();
            assertThat(pair.network.requests()).hasSize(mode == Mode.WHOLE ? 1 : lengths.length);
            assertThat(pair.a.sendResults()).isEqualTo(results(0, lengths.length));
            List<Completion> received = pair.b.receiveCompletions();
            assertThat(received).hasSize(lengths.length);
            for (int i = 0; i < lengths.length; i++) {
                assertThat(received.get(i).brief()).isEqualTo(i + " SUCCESS");
                assertThat(received.get(i).byteLength()).isEqualTo(lengths[i]);
                assertThat(target.bytes(ROOM * i, lengths[i])).isEqualTo(source.bytes(1024L * i, lengths[i]));
            }
            assertThat(pair.a.counters().retransmittedPackets).isZero();
        }
    }

    @Test
    void onlyTheLastOneAsksForAnAcknowledgement() {
        try (EnginePair pair = pair(new PairSettings().mode(Mode.CUT))) {
            receives(pair, 4);
            send(pair, 8, 8, 8, 8);
            pair.settle();
            assertThat(pair.network.requests())
                    .extracting(parcel -> parcel.ackRequest)
                    .containsExactly(false, false, false, true);
            assertThat(pair.network.requests()).extracting(parcel -> parcel.psn).containsExactly(100, 101, 102, 103);
            assertThat(pair.network.responses()).extracting(Parcel::toString).containsExactly("ACK 103");
        }
    }

    /** Longer ones, none, what carries a word more, what is long, and other operations. */
    @Test
    void whatIsNotLikeTheFirstOneBeginsAnotherBuffer() {
        try (EnginePair pair = pair(new PairSettings().rdma(1))) {
            receives(pair, 12);
            TestRegion source = pair.a.region(4096).filled(1);
            TestRegion target = pair.b.shared(64);
            send(pair, 16, 16, 17, 17, 5, 5);
            pair.a.send(6);
            pair.a.send(7, source.first(5));
            one(pair.a.sends().wrId(8).sendImm(9), source);
            pair.a.send(9, source.first(1100));
            pair.a.send(10, source.first(5));
            pair.a.write(11, target.first(0), source.first(5));
            one(pair.a.sends().wrId(12).fenced().send(), source);
            pair.settle();
            assertThat(requests(pair))
                    .containsExactly(
                            "RC SEND Only 100..101",
                            "RC SEND Only 102..104",
                            "RC SEND Only 105",
                            "RC SEND Only 106",
                            "RC SEND Only 107",
                            "RC SEND Only Immediate 108",
                            "RC SEND First 109..110",
                            "RC SEND Only 111",
                            "RC RDMA WRITE Only 112",
                            "RC SEND Only 113");
            assertThat(pair.a.sendResults()).hasSize(13).allMatch(result -> result.endsWith("SUCCESS"));
        }
    }

    private static void one(SendBatch batch, TestRegion source) {
        batch.sge(source.lkey(), source.address(), 5).complete();
    }

    @Test
    void aSolicitedMessageIsTheLastOfItsBuffer() {
        try (EnginePair pair = pair(new PairSettings())) {
            receives(pair, 5);
            TestRegion source = pair.a.region(64).filled(1);
            for (int i = 0; i < 5; i++) {
                SendBatch batch = pair.a.sends().wrId(i);
                one((i == 2 ? batch.solicited() : batch).send(), source);
            }
            pair.settle();
            assertThat(requests(pair)).containsExactly("RC SEND Only 100..102", "RC SEND Only 103..104");
            assertThat(pair.network.requests())
                    .extracting(parcel -> parcel.solicited)
                    .containsExactly(false, false);
            assertThat(pair.b.receiveResults()).isEqualTo(results(0, 5));
        }
    }

    @Test
    void aBufferHasNoMoreMessagesThanFragments() {
        try (EnginePair pair = pair(new PairSettings())) {
            receives(pair, 70);
            send(pair, IntStream.generate(() -> 10).limit(70).toArray());
            pair.settle();
            assertThat(requests(pair))
                    .containsExactly("RC SEND Only 100..131", "RC SEND Only 132..163", "RC SEND Only 164..169");
            assertThat(pair.a.sendResults()).isEqualTo(results(0, 70));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5})
    void aBufferHasNoMoreMessagesThanTheTurnMaySend(int budget) {
        PairSettings settings = new PairSettings();
        settings.budget = budget;
        try (EnginePair pair = pair(settings)) {
            receives(pair, 10);
            send(pair, IntStream.generate(() -> 10).limit(10).toArray());
            pair.settle();
            assertThat(pair.network.requests())
                    .extracting(parcel -> parcel.packets)
                    .hasSize(10 / budget)
                    .containsOnly(budget);
        }
    }

    /** Those before it are received. */
    @ParameterizedTest
    @EnumSource(Mode.class)
    void aMessageWithoutAReceiveIsSentAgainLater(Mode mode) {
        try (EnginePair pair = pair(new PairSettings().mode(mode))) {
            receives(pair, 2);
            send(pair, 8, 8, 8, 8);
            pair.settle();
            assertThat(pair.b.receiveResults()).isEqualTo(results(0, 2));
            assertThat(pair.b.counters().sentRnrNaks).isEqualTo(1);
            receives(pair, 2);
            pair.run();
            assertThat(pair.b.receiveResults()).isEqualTo(results(0, 2));
            assertThat(pair.a.sendResults()).isEqualTo(results(0, 4));
        }
    }

    @Test
    void aMessageWhoseMemoryIsNotThereFailsAndThoseBeforeItArrive() {
        try (EnginePair pair = pair(new PairSettings())) {
            receives(pair, 4);
            TestRegion source = pair.a.region(64).filled(1);
            pair.a.send(0, source.first(8));
            pair.a.send(1, source.first(8));
            pair.a.send(2, new TestRegion.Piece(source.lkey() + 1, source.address(), 8));
            pair.a.send(3, source.first(8));
            pair.settle();
            assertThat(pair.a.sendResults())
                    .containsExactly("0 SUCCESS", "1 SUCCESS", "2 LOC_PROT_ERR", "3 WR_FLUSH_ERR");
            assertThat(pair.a.state()).isEqualTo(QpState.ERR);
            assertThat(pair.b.receiveResults()).isEqualTo(results(0, 2));
        }
    }

    /** What the receiver has of a buffer that comes again is not received again. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    @Covers("RXE-99")
    void nothingIsLostOrDoubledOnABadLink(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (Mode mode : Mode.values()) {
            try (EnginePair pair = pair(new PairSettings().mode(mode).queueEntries(500))) {
                pair.network.lose(parcel -> random.nextInt(6) == 0);
                int[] lengths = random.ints(300, 1, 4).map(unit -> unit * 100).toArray();
                TestRegion target = receives(pair, lengths.length);
                TestRegion source = send(pair, lengths);
                pair.run();
                assertThat(pair.a.sendResults()).isEqualTo(results(0, lengths.length));
                List<byte[]> sent = new ArrayList<>();
                List<byte[]> received = new ArrayList<>();
                for (int i = 0; i < lengths.length; i++) {
                    sent.add(source.bytes(1024L * i, lengths[i]));
                    received.add(target.bytes(ROOM * i, lengths[i]));
                }
                assertThat(received).containsExactlyElementsOf(sent);
                assertThat(pair.b.receiveResults()).isEqualTo(results(0, lengths.length));
                assertThat(pair.a.counters().retransmittedPackets).isPositive();
            }
        }
    }
}
