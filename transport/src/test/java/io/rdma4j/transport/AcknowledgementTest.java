// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.ScriptedNetwork.Mode;
import io.rdma4j.wire.Aeth;
import io.rdma4j.wire.CreditCode;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.NakCode;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Syndrome;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When the requester asks for an acknowledgement, when the responder answers, and what the answer says. */
class AcknowledgementTest {
    @Test
    @Covers("RXE-121")
    void lastPacketOfEachMessageAsks() {
        try (EnginePair pair = new EnginePair(new PairSettings().mode(Mode.CUT))) {
            pair.postSends(2, 3000);
            pair.transmit();
            assertThat(pair.network.inFlight())
                    .extracting(parcel -> parcel.ackRequest)
                    .containsExactly(false, false, true, false, false, true);
        }
    }

    @Test
    @Covers({"RXE-26", "RXE-121"})
    void everySixtyFourthPacketOfALongMessageAsks() {
        PairSettings settings =
                new PairSettings().mode(Mode.CUT).mtu(Mtu.MTU_256).budget(1);
        try (EnginePair pair = new EnginePair(settings)) {
            pair.postSends(1, 256 * 500);
            pair.transmit();
            List<Parcel> sent = pair.network.inFlight();
            assertThat(sent).hasSize(128);
            assertThat(sent.stream().filter(parcel -> parcel.ackRequest).map(parcel -> parcel.psn - settings.psnA + 1))
                    .containsExactly(64, 128);
        }
    }

    @Test
    void packetsInTheMiddleAndAtTheEndOfTheWindowAsk() {
        PairSettings settings =
                new PairSettings().mode(Mode.CUT).mtu(Mtu.MTU_4096).budget(1);
        try (EnginePair pair = new EnginePair(settings)) {
            pair.postSends(1, 4096 * 100);
            pair.transmit();
            List<Parcel> sent = pair.network.inFlight();
            assertThat(sent).hasSize(48);
            assertThat(sent.stream().filter(parcel -> parcel.ackRequest)).containsExactly(sent.get(23), sent.getLast());
        }
    }

    @Test
    @Covers({"RXE-166", "RXE-203", "RXE-205", "RXE-128"})
    void answerSaysTheLastPsnAndTheNumberOfMessagesWithoutLimitingCredits() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(2, 3000);
            pair.postSends(2, 3000);
            pair.transmit();
            pair.deliver();
            pair.transmit();
            Parcel ack = pair.network.inFlight().getFirst();
            assertThat(ack.opcode).isEqualTo(Opcode.RC_ACKNOWLEDGE);
            assertThat(ack.psn).isEqualTo(105);
            assertThat(ack.syndrome).isEqualTo(Syndrome.ack(CreditCode.UNLIMITED));
            int aeth = ack.skb.data() + ack.opcode.offsetOf(Header.AETH);
            assertThat(Aeth.msn(ack.skb.memory(), aeth)).isEqualTo(2);
        }
    }

    /** A device can send a short packet behind a long one with one call, but not before it. */
    @Test
    void anAcknowledgementGoesBehindAnAnswerOfTheApplication() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(1, 100);
            pair.postSends(1, 100);
            pair.transmit();
            pair.deliver();
            pair.b.send(7);
            pair.transmit();
            assertThat(pair.network.inFlight())
                    .extracting(parcel -> parcel.opcode)
                    .containsExactly(Opcode.RC_SEND_ONLY, Opcode.RC_ACKNOWLEDGE);
        }
    }

    @Test
    void anAcknowledgementWaitsAsLongAsThePortWantsAndANegativeOneDoesNot() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.b.keepsAcknowledgements = true;
            pair.postReceives(1, 100);
            pair.postSends(1, 100);
            pair.transmit();
            pair.deliver();
            pair.transmit();
            assertThat(pair.network.inFlight()).as("kept").isEmpty();
            pair.b.keepsAcknowledgements = false;
            pair.settle();
            assertThat(pair.a.sendCompletions()).hasSize(1);

            pair.b.keepsAcknowledgements = true;
            pair.postSends(1, 100);
            pair.transmit();
            pair.deliver();
            pair.transmit();
            assertThat(pair.network.inFlight()).as("receiver not ready").hasSize(1);
        }
    }

    /** No request waits for a task here, as in Linux, but its answer does: until the batch has been received. */
    @Test
    @Covers("RXE-160")
    void messagesOfOneBatchAreAcknowledgedTogether() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(5, 10);
            pair.postSends(5, 10);
            pair.settle();
            assertThat(pair.network.responses()).extracting(Parcel::toString).containsExactly("ACK 104");
            assertThat(pair.b.counters().deferredAcks).isEqualTo(4);
            assertThat(pair.a.sendResults()).hasSize(5);
        }
    }

    /** No acknowledgement has the number of a READ: it could be taken for the answer to that. */
    @Test
    void whatComesBeforeAReadIsAcknowledgedByItsAnswer() {
        try (EnginePair pair = EnginePair.rdma()) {
            TestRegion source = pair.b.shared(10);
            TestRegion target = pair.a.region(10);
            pair.postReceives(2, 10);
            pair.postSends(1, 10);
            pair.a.read(7, source.first(0), target.first(10));
            pair.settle();
            assertThat(pair.network.responses())
                    .extracting(Parcel::toString)
                    .containsExactly("RC RDMA READ Response Only 101");
            assertThat(pair.b.counters().deferredAcks).isEqualTo(1);
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS", "7 SUCCESS");
        }
    }

    @Test
    void whatComesBehindAReadIsAcknowledgedAfterItsAnswer() {
        try (EnginePair pair = EnginePair.rdma()) {
            TestRegion source = pair.b.shared(10);
            TestRegion target = pair.a.region(10);
            pair.postReceives(2, 10);
            pair.a.read(7, source.first(0), target.first(10));
            pair.postSends(1, 10);
            pair.settle();
            assertThat(pair.network.responses())
                    .extracting(Parcel::toString)
                    .containsExactly("RC RDMA READ Response Only 100", "ACK 101");
        }
    }

    @Test
    void packetThatDoesNotAskIsNotAnswered() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(2, 10);
            pair.requestToB(Opcode.RC_SEND_ONLY, 100, false, 10);
            pair.transmit();
            assertThat(pair.network.sent()).isEmpty();
            pair.requestToB(Opcode.RC_SEND_ONLY, 101, true, 10);
            pair.transmit();
            assertThat(pair.network.sent()).extracting(Parcel::toString).containsExactly("ACK 101");
        }
    }

    @Test
    @Covers({"RXE-218", "RXE-220", "RXE-234"})
    void oneAnswerCompletesAllRequestsBeforeItsPsn() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postSends(4, 10);
            pair.transmit();
            pair.network.dropAll();
            pair.responseToA(Syndrome.ack(CreditCode.UNLIMITED), 102);
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS", "1 SUCCESS", "2 SUCCESS");
        }
    }

    /**
     * Answers that came while the sender had no turn are handled in their order, and the request behind the last one
     * goes on.
     */
    @Test
    @Covers("RXE-161")
    void answersThatCameTogetherAreHandledInTheirOrder() {
        try (EnginePair pair = EnginePair.rdma()) {
            TestRegion source = pair.b.shared(30);
            TestRegion target = pair.a.region(30);
            for (int i = 0; i < 3; i++) {
                pair.a.read(i, source.first(0), target.first(10));
            }
            pair.postReceives(1, 10);
            pair.postSends(1, 10);
            pair.settle();
            assertThat(pair.network.responses())
                    .extracting(parcel -> parcel.psn)
                    .containsExactly(100, 101, 102, 103);
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS", "1 SUCCESS", "2 SUCCESS", "0 SUCCESS");
        }
    }

    @Test
    void finiteCreditsAreReadAsAnAcknowledgementLikeAnyOther() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postSends(1, 10);
            pair.transmit();
            pair.network.dropAll();
            pair.responseToA(Syndrome.ack(5), 100);
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS");
        }
    }

    /**
     * What waited for the answer goes on. Linux counts here ({@code ack_deferred}) the answers that must wait for the
     * sender's task; ours wait for none, and that counter tells of acknowledgements that were put off.
     */
    @Test
    @Covers({"RXE-109", "RXE-218", "RXE-221", "RXE-233"})
    void answerInsideAMessageCompletesNothingButOpensTheWindow() {
        try (EnginePair pair =
                new EnginePair(new PairSettings().mtu(Mtu.MTU_4096).budget(1))) {
            pair.postSends(1, 4096 * 50);
            pair.transmit();
            pair.network.dropAll();
            pair.network.forgetSent();
            pair.responseToA(Syndrome.ack(CreditCode.UNLIMITED), 100);
            assertThat(pair.a.sendResults()).isEmpty();
            pair.transmit();
            assertThat(pair.network.sent()).extracting(parcel -> parcel.psn).containsExactly(148);
        }
    }

    @Test
    @Covers({"RXE-213", "RXE-222"})
    void answersToPacketsThatWereNeverSentAreIgnored() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postSends(2, 10);
            pair.transmit();
            int ack = Syndrome.ack(CreditCode.UNLIMITED);
            for (int psn : new int[] {102, 103, 5000, 0xFF_FFFF, 100 + (1 << 23) - 1, 98}) {
                pair.responseToA(ack, psn);
            }
            assertThat(pair.a.sendResults()).isEmpty();
            assertThat(pair.a.counters().droppedPackets).isEqualTo(6);
            pair.responseToA(ack, 101);
            assertThat(pair.a.sendResults()).hasSize(2);
            pair.responseToA(ack, 101);
            assertThat(pair.a.sendResults()).isEmpty();
        }
    }

    @Test
    void nakOfAPacketThatWasNeverSentIsIgnored() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(2, 10);
            pair.postSends(2, 10);
            pair.transmit();
            pair.responseToA(Syndrome.nak(NakCode.INVALID_REQUEST), 102);
            pair.responseToA(Syndrome.rnrNak(12), 103);
            assertThat(pair.a.sendResults()).isEmpty();
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS", "1 SUCCESS");
        }
    }

    @Test
    @Covers("RXE-215")
    void reservedSyndromesAreDropped() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postSends(1, 10);
            pair.transmit();
            for (int syndrome : new int[] {0x40, 0x5F, 0x65, 0x7F, 0x80, 0xFF}) {
                pair.responseToA(syndrome, 100);
            }
            assertThat(pair.a.sendResults()).isEmpty();
            assertThat(pair.a.counters().droppedPackets).isEqualTo(6);
        }
    }

    @Test
    @Covers("RXE-159")
    void packetsOfOtherClassesAreDropped() {
        try (EnginePair pair = new EnginePair(new PairSettings().psnA(0))) {
            pair.postReceives(1, 100);
            pair.postSends(1, 10);
            pair.transmit();
            pair.network.dropAll();
            List<Opcode> strangers = List.of(Opcode.UD_SEND_ONLY, Opcode.UC_SEND_ONLY, Opcode.XRC_ACKNOWLEDGE);
            for (Opcode stranger : strangers) {
                SkBuff skb = pair.packet(stranger, 0, false, EnginePair.QPN_A, 0);
                pair.a.receive(skb, pair.nowNs());
                skb.free();
            }
            assertThat(pair.a.sendResults()).isEmpty();
            assertThat(pair.a.counters().droppedPackets).isEqualTo(strangers.size());
            for (Opcode stranger : List.of(Opcode.UC_SEND_ONLY, Opcode.UD_SEND_ONLY, Opcode.XRC_SEND_ONLY)) {
                pair.requestToB(stranger, 0, true, 10);
            }
            pair.transmit();
            assertThat(pair.network.responses()).isEmpty();
            assertThat(pair.b.receiveResults()).isEmpty();
            assertThat(pair.b.events).isEmpty();
        }
    }
}
