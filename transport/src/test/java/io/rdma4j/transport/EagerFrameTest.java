// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.transport.EagerLink.EagerFrame;
import io.rdma4j.transport.EagerLink.Way;
import io.rdma4j.transport.port.EagerMessage;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.wire.Aeth;
import io.rdma4j.wire.NakCode;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Syndrome;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What goes between two processes past packets: messages, their acknowledgements and refusals, and what becomes of lost
 * ones.
 */
class EagerFrameTest {
    private static EnginePair pair() {
        return new EnginePair(settings());
    }

    private static PairSettings settings() {
        return new PairSettings().way(Way.NOTE).rdma(4);
    }

    private static List<String> notes(EnginePair pair) {
        return pair.notes.sent().stream().map(EagerFrame::toString).toList();
    }

    private static List<String> packets(EnginePair pair) {
        return pair.network.sent().stream().map(Parcel::toString).toList();
    }

    @Test
    void messagesAndTheirAcknowledgementAreNotesAndTheirNumbersAreThoseOfPackets() {
        try (EnginePair pair = pair()) {
            pair.postReceives(3, 5000);
            pair.postSends(3, 2500);
            pair.settle();
            assertThat(notes(pair))
                    .containsExactly("message 100..102", "message 103..105", "message 106..108", "ACK 108");
            assertThat(pair.network.sent()).isEmpty();
            assertThat(pair.notes.sent().getLast().aeth).isEqualTo(Aeth.word(Syndrome.ack(31), 3));
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS", "1 SUCCESS", "2 SUCCESS");
            assertThat(pair.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
        }
    }

    @Test
    void acknowledgementGoesAlongWithAMessage() {
        try (EnginePair pair = pair()) {
            pair.postReceives(1, 10);
            pair.a.receive(1, pair.a.region(10).first(10));
            pair.postSends(1, 10);
            pair.transmit();
            pair.b.send(5, pair.b.region(10).first(10));
            pair.deliver();
            pair.transmit();
            assertThat(notes(pair)).containsExactly("message 100", "message 7000, ACK 100");
            pair.settle();
            assertThat(notes(pair)).hasSize(3).endsWith("ACK 7000");
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS");
        }
    }

    @Test
    void acknowledgementThatFoundNoRoomIsStillOwed() {
        try (EnginePair pair = pair()) {
            pair.postReceives(1, 10);
            pair.a.receive(1, pair.a.region(10).first(10));
            pair.postSends(1, 10);
            pair.transmit();
            pair.notes.full = true;
            pair.b.send(5, pair.b.region(10).first(10));
            pair.deliver();
            pair.transmit();
            assertThat(packets(pair)).containsExactly("RC SEND Only 7000", "ACK 100");
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS");
            assertThat(pair.b.sendResults()).containsExactly("5 SUCCESS");
        }
    }

    @Test
    void messageNeverOvertakesPacketsUnderWay() {
        try (EnginePair pair = pair()) {
            TestRegion target = pair.postReceives(2, 20_000);
            TestRegion source = pair.a.region(20_000).filled(1);
            pair.a.send(1, source.first(20_000));
            pair.a.send(2, source.first(500));
            pair.transmit();
            assertThat(notes(pair)).containsExactly("message 120");
            pair.run();
            assertThat(pair.b.receiveResults()).containsExactly("0 SUCCESS", "1 SUCCESS");
            assertThat(EnginePair.sameBytes(source, target, 20_000)).isTrue();
            assertThat(target.bytes(20_000, 500)).isEqualTo(source.bytes(0, 500));
            assertThat(pair.a.counters().retransmittedPackets).isZero();
        }
    }

    /** As one that its sender has given up waiting for, and sent as packets by another way. */
    @Test
    void messageThatWasServedBeforeIsAcknowledgedAgain() {
        try (EnginePair pair = pair()) {
            pair.postReceives(2, 10);
            pair.postSends(1, 10);
            pair.transmit();
            EagerLink.EagerFrame note = pair.notes.inFlight().getFirst();
            pair.settle();
            pair.notes.post(note);
            pair.settle();
            assertThat(notes(pair)).containsExactly("message 100", "ACK 100", "message 100", "ACK 100");
            assertThat(packets(pair)).isEmpty();
            assertThat(pair.b.receiveResults()).containsExactly("0 SUCCESS");
        }
    }

    @Test
    void messageBehindALostPacketIsRefusedAndComesAgain() {
        try (EnginePair pair = pair()) {
            pair.postReceives(3, 20_000);
            TestRegion source = pair.a.region(20_000).filled(1);
            pair.network.loseNext(Parcel::isRequest);
            pair.a.send(1, source.first(20_000));
            pair.a.send(2, source.first(500));
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS");
            assertThat(pair.b.receiveResults()).containsExactly("0 SUCCESS", "1 SUCCESS");
        }
    }

    /**
     * A receiver without a receive refuses once; what was under way behind is dropped in silence and comes as packets.
     */
    @Test
    void refusedBurstComesAsPacketsWhichAreTold() {
        try (EnginePair pair = pair()) {
            pair.postReceives(1, 10);
            TestRegion source = pair.postSends(4, 10);
            pair.transmit();
            pair.deliver();
            assertThat(notes(pair))
                    .containsExactly("message 100", "message 101", "message 102", "message 103", "refusal");
            pair.settle();
            assertThat(packets(pair)).contains("RNR NAK 0.64 ms 101");
            assertThat(pair.b.counters().sentRnrNaks).isEqualTo(1);
            assertThat(pair.a.counters().receivedSequenceNaks).isZero();
            TestRegion late = pair.postReceives(3, 10);
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS", "1 SUCCESS", "2 SUCCESS", "3 SUCCESS");
            assertThat(late.bytes(0, 30)).isEqualTo(source.bytes(10, 30));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void whatWasRefusedOnceGoesByNotesAgainAfterwards(int burst) {
        try (EnginePair pair = pair()) {
            pair.postSends(burst, 10);
            pair.settle();
            pair.postReceives(burst + 3, 10);
            pair.run();
            assertThat(pair.b.receiveResults()).hasSize(burst);
            pair.network.forgetSent();
            for (int i = 0; i < 3; i++) {
                pair.postSends(1, 10);
                pair.settle();
            }
            assertThat(pair.b.receiveResults()).hasSize(3);
            assertThat(pair.network.sent()).as("packets").isEmpty();
        }
    }

    /** The same after a sequence error. */
    @Test
    void whatWasLostOnceGoesByNotesAgainAfterwards() {
        try (EnginePair pair = new EnginePair(settings().mode(ScriptedNetwork.Mode.CUT))) {
            TestRegion target = pair.b.shared(20_000);
            TestRegion source = pair.a.region(20_000);
            pair.network.loseNext(Parcel::isRequest);
            pair.a.write(1, target.first(0), source.first(20_000));
            pair.run();
            pair.network.forgetSent();
            pair.a.write(2, target.first(0), source.first(100));
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS");
            assertThat(pair.network.sent()).as("packets").isEmpty();
        }
    }

    /** A peer that waits for a receive costs no retry, not even if others come behind that go as packets. */
    @Test
    void refusalCostsNoRetry() {
        try (EnginePair pair = new EnginePair(settings().retryCount(0))) {
            TestRegion far = pair.b.shared(3000).filled(5);
            TestRegion near = pair.a.region(3000);
            pair.postSends(1, 10);
            pair.a.read(7, far.first(0), near.first(3000));
            pair.settle();
            pair.postReceives(1, 10);
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS", "7 SUCCESS");
            assertThat(EnginePair.sameBytes(far, near, 3000)).isTrue();
            assertThat(pair.a.counters().retries).isZero();
        }
    }

    /**
     * Without a timer nobody else would ask for the message: the peer says by a packet what it cannot say by a note.
     */
    @Test
    void refusalThatFindsNoRoomIsANak() {
        try (EnginePair pair = new EnginePair(settings().timeout(0))) {
            pair.postReceives(2, 10);
            pair.postSends(2, 10);
            pair.notes.open = false;
            pair.transmit();
            pair.notes.full = true;
            pair.run();
            assertThat(packets(pair)).contains("NAK PSN sequence error 100");
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS", "1 SUCCESS");
        }
    }

    @Test
    void receiverThatWantsToSeePacketsRefuses() {
        try (EnginePair pair = new EnginePair(settings().timeout(0))) {
            pair.notes.open = false;
            TestRegion target = pair.postReceives(3, 10);
            TestRegion source = pair.postSends(3, 10);
            pair.run();
            assertThat(pair.network.requests()).extracting(parcel -> parcel.psn).containsExactly(100, 101, 102);
            assertThat(notes(pair)).contains("refusal");
            assertThat(EnginePair.sameBytes(source, target, 30)).isTrue();
            assertThat(pair.a.sendResults()).hasSize(3);
        }
    }

    @Test
    void lostRefusalIsAMatterOfTheTimer() {
        try (EnginePair pair = pair()) {
            pair.notes.lose(note -> note.refuses);
            pair.notes.open = false;
            pair.postReceives(2, 10);
            pair.postSends(2, 10);
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS", "1 SUCCESS");
            assertThat(pair.a.counters().retries).isEqualTo(1);
        }
    }

    @Test
    void lostMessageIsAMatterOfTheTimer() {
        try (EnginePair pair = pair()) {
            boolean[] first = {true};
            pair.notes.lose(note -> {
                boolean loses = first[0];
                first[0] = false;
                return loses;
            });
            TestRegion target = pair.postReceives(3, 10);
            TestRegion source = pair.postSends(3, 10);
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS", "1 SUCCESS", "2 SUCCESS");
            assertThat(EnginePair.sameBytes(source, target, 30)).isTrue();
        }
    }

    @Test
    void lostAcknowledgementIsAMatterOfTheTimerAndTheDuplicateIsAcknowledged() {
        try (EnginePair pair = pair()) {
            pair.notes.lose(note -> note.acknowledges);
            pair.postReceives(2, 10);
            pair.postSends(1, 10);
            pair.settle();
            assertThat(pair.a.sendResults()).isEmpty();
            pair.notes.lose(note -> false);
            pair.run();
            assertThat(pair.network.requests()).extracting(Parcel::toString).containsExactly("RC SEND Only 100");
            assertThat(pair.b.counters().duplicateRequests).isEqualTo(1);
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS");
            assertThat(pair.b.receiveResults()).containsExactly("0 SUCCESS");
        }
    }

    // What a peer may say that is not so

    private static void toA(EnginePair pair, Consumer<EagerMessage> what) {
        EagerMessage message = new EagerMessage();
        message.beginWithout();
        what.accept(message);
        message.address(EnginePair.QPN_A, Endpoint.PKEY);
        MemorySegment memory = Arena.ofAuto().allocate(EagerMessage.HEADER_BYTES, Long.BYTES);
        message.write(memory, 0);
        pair.a.onLocalMessage(memory, EagerMessage.HEADER_BYTES, true, pair.nowNs());
    }

    @ParameterizedTest
    @CsvSource({"98", "103", "0", "8388707", "16777215"})
    void acknowledgementOfWhatIsNotAwaitedIsDroppedAndCounted(int psn) {
        try (EnginePair pair = pair()) {
            pair.postReceives(3, 10);
            pair.postSends(3, 10);
            pair.transmit();
            toA(pair, note -> note.acknowledge(psn, Aeth.word(Syndrome.ack(31), 3)));
            assertThat(pair.a.counters().droppedPackets).isEqualTo(1);
            assertThat(pair.a.sendResults()).isEmpty();
            pair.settle();
            assertThat(pair.a.sendResults()).hasSize(3);
        }
    }

    @Test
    void acknowledgementThatIsNoneIsDroppedAndCounted() {
        int[] syndromes = {Syndrome.nak(NakCode.REMOTE_ACCESS_ERROR), Syndrome.rnrNak(3), 0x5F, 0xFF};
        try (EnginePair pair = pair()) {
            pair.postSends(1, 10);
            pair.transmit();
            for (int syndrome : syndromes) {
                toA(pair, note -> note.acknowledge(100, Aeth.word(syndrome, 1)));
            }
            assertThat(pair.a.counters().droppedPackets).isEqualTo(syndromes.length);
            assertThat(pair.a.sendResults()).isEmpty();
            assertThat(pair.a.state()).isEqualTo(QpState.RTS);
        }
    }

    @Test
    void acknowledgementThatWasHeardBeforeChangesNothing() {
        try (EnginePair pair = pair()) {
            pair.postReceives(2, 10);
            pair.postSends(1, 10);
            pair.settle();
            pair.postSends(1, 10);
            pair.transmit();
            toA(pair, note -> note.acknowledge(100, Aeth.word(Syndrome.ack(31), 1)));
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS");
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS");
        }
    }

    @Test
    void refusalOfNothingIsNothing() {
        try (EnginePair pair = pair()) {
            toA(pair, EagerMessage::refuse);
            pair.postReceives(1, 10);
            pair.postSends(1, 10);
            pair.settle();
            toA(pair, EagerMessage::refuse);
            pair.settle();
            assertThat(notes(pair)).containsExactly("message 100", "ACK 100");
            assertThat(pair.network.sent()).isEmpty();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS");
        }
    }

    /** It has to be what the length and the path say, or the numbers of the two would differ. */
    @ParameterizedTest
    @CsvSource({"0, 2", "1024, 2", "1025, 1", "4096, 5"})
    void messageWithAWrongNumberOfPacketsIsRefused(int bytes, int packets) {
        try (EnginePair pair = pair()) {
            TestRegion target = pair.b.shared(5000);
            EagerMessage message = new EagerMessage();
            message.begin(Opcode.RC_WRITE_ONLY, 100, packets, bytes);
            message.address = target.address();
            message.rkey = target.lkey();
            message.payload(pair.a.region(5000).filled(1).memory(), 0);
            pair.b.engine.onLocalMessage(message, true, pair.nowNs());
            assertThat(target.bytes(0, 5000)).containsOnly(0);
            assertThat(pair.b.engine.query().rqPsn()).isEqualTo(100);
            message.packets = Math.max(1, (bytes + 1023) / 1024);
            pair.b.engine.onLocalMessage(message, true, pair.nowNs());
            assertThat(pair.b.engine.query().rqPsn()).isEqualTo(100 + message.packets);
        }
    }

    @Test
    void notesAfterResetAreNoMessages() {
        try (EnginePair pair = pair()) {
            pair.postReceives(1, 10);
            pair.postSends(1, 10);
            pair.transmit();
            pair.b.modify(QpState.RESET);
            pair.deliver();
            assertThat(pair.b.receiveResults()).isEmpty();
            assertThat(pair.b.state()).isEqualTo(QpState.RESET);
            toA(pair, note -> note.acknowledge(100, Aeth.word(Syndrome.ack(31), 1)));
            pair.a.modify(QpState.RESET);
            toA(pair, note -> note.acknowledge(100, Aeth.word(Syndrome.ack(31), 1)));
            toA(pair, EagerMessage::refuse);
            assertThat(pair.a.counters().droppedPackets).isEqualTo(1);
            EnginePair.connect(pair.a, pair.b, PairSettings.PSN_A);
            pair.notes.inFlight().clear();
            pair.a.sendResults();
            TestRegion target = pair.postReceives(1, 10);
            TestRegion source = pair.postSends(1, 10);
            pair.settle();
            assertThat(EnginePair.sameBytes(source, target, 10)).isTrue();
            assertThat(pair.network.sent()).isEmpty();
        }
    }

    /** Nothing of one connection is in a note to the peer of another one, as the key of a memory would be. */
    @Test
    void notesSayNothingOfOtherMessages() {
        try (EnginePair pair = new EnginePair(settings().mtu(Mtu.MTU_4096))) {
            TestRegion far = pair.b.shared(100);
            pair.a.write(1, far.first(0), pair.a.region(10).first(10));
            pair.postReceives(1, 10);
            pair.settle();
            pair.postSends(1, 10);
            pair.settle();
            assertThat(notes(pair)).containsExactly("message 100", "ACK 100", "message 101", "ACK 101");
            for (int i : IntStream.range(1, 4).toArray()) {
                byte[] header = Arrays.copyOf(
                        pair.notes.sent().get(i).memory.toArray(ValueLayout.JAVA_BYTE), EagerMessage.HEADER_BYTES);
                assertThat(Arrays.copyOfRange(header, 28, 40)).containsOnly(0);
            }
        }
    }
}
