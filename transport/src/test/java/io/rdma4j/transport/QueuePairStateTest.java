// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Syndrome;
import org.junit.jupiter.api.Test;

/**
 * What each state of a queue pair does with requests, packets and timers (IBA 10.3.1).
 *
 * <p>One effect of Linux's {@code modify} is not ours: it rounds the depths of READs and atomics up to a power of two,
 * and so may send a peer more than it granted.
 */
class QueuePairStateTest {
    @Test
    @Covers({"QP-29", "CQ-33", "RXE-164", "RXE-210", "RXE-231", "RXE-191", "RXE-76"})
    void errorFlushesBothQueuesInOrder() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.a.receive(10);
            pair.a.receive(11);
            pair.postSends(3, 10);
            pair.transmit();
            pair.a.modify(QpState.ERR);
            assertThat(pair.a.sendResults()).containsExactly("0 WR_FLUSH_ERR", "1 WR_FLUSH_ERR", "2 WR_FLUSH_ERR");
            assertThat(pair.a.receiveResults()).containsExactly("10 WR_FLUSH_ERR", "11 WR_FLUSH_ERR");
            assertThat(pair.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
        }
    }

    @Test
    @Covers({"QP-29", "RXE-164", "RXE-210"})
    void whatIsPostedInErrorIsFlushed() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.a.modify(QpState.ERR);
            pair.a.send(1, new TestRegion.Piece(0, 0, 50));
            pair.a.receive(2);
            pair.transmit();
            assertThat(pair.a.sendResults()).containsExactly("1 WR_FLUSH_ERR");
            assertThat(pair.a.receiveResults()).containsExactly("2 WR_FLUSH_ERR");
            assertThat(pair.network.sent()).isEmpty();
        }
    }

    @Test
    void answersThatArriveInErrorNeitherCompleteAnythingNorStartATimer() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(3, 10);
            pair.postSends(3, 10);
            pair.transmit();
            pair.network.drop(2);
            pair.a.modify(QpState.ERR);
            assertThat(pair.a.sendResults()).hasSize(3);
            pair.run();
            pair.responseToA(Syndrome.ack(31), 101);
            pair.responseToA(Syndrome.rnrNak(1), 102);
            assertThat(pair.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
            assertThat(pair.a.sendResults()).isEmpty();
            pair.a.send(9);
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("9 WR_FLUSH_ERR");
        }
    }

    @Test
    @Covers({"QP-23", "QP-24", "RXE-190", "RXE-191"})
    void packetsAreDroppedBeforeReadyToReceiveAndInError() {
        try (EnginePair pair = new EnginePair(new PairSettings().notConnected())) {
            pair.requestToB(Opcode.RC_SEND_ONLY, 100, true, 10);
            pair.b.init();
            assertThatThrownBy(() -> pair.b.send(1)).isInstanceOf(RdmaException.class);
            pair.b.receive(1, pair.b.region(100).first(100));
            pair.requestToB(Opcode.RC_SEND_ONLY, 100, true, 10);
            pair.transmit();
            assertThat(pair.b.receiveResults()).isEmpty();
            pair.b.readyToReceive(EnginePair.QPN_A, 100);
            pair.b.modify(QpState.ERR);
            pair.requestToB(Opcode.RC_SEND_ONLY, 100, true, 10);
            pair.transmit();
            assertThat(pair.b.receiveResults()).containsExactly("1 WR_FLUSH_ERR");
            assertThat(pair.network.sent()).isEmpty();
            assertThat(pair.b.counters().droppedPackets).isEqualTo(3);
        }
    }

    @Test
    @Covers("QP-25")
    void readyToReceiveServesRequestsButSendsNone() {
        try (EnginePair pair = new EnginePair(new PairSettings().notConnected())) {
            pair.b.init();
            pair.b.receive(1, pair.b.region(100).first(100));
            pair.b.readyToReceive(EnginePair.QPN_A, 100);
            assertThatThrownBy(() -> pair.b.send(1)).isInstanceOf(RdmaException.class);
            pair.requestToB(Opcode.RC_SEND_ONLY, 100, true, 10);
            pair.transmit();
            assertThat(pair.b.receiveResults()).containsExactly("1 SUCCESS");
            assertThat(pair.network.sent()).extracting(Parcel::toString).containsExactly("ACK 100");
        }
    }

    @Test
    @Covers("EVT-11")
    void firstPacketInReadyToReceiveIsAnnouncedOnce() {
        try (EnginePair pair = new EnginePair(new PairSettings().notConnected())) {
            pair.b.init();
            pair.postReceives(3, 100);
            pair.b.readyToReceive(EnginePair.QPN_A, 100);
            pair.requestToB(Opcode.RC_SEND_ONLY, 105, true, 10);
            assertThat(pair.b.events).isEmpty();
            pair.requestToB(Opcode.RC_SEND_ONLY, 100, true, 10);
            pair.requestToB(Opcode.RC_SEND_ONLY, 101, true, 10);
            assertThat(pair.b.events).containsExactly(EventType.COMM_EST);
            pair.b.readyToSend(PairSettings.PSN_B);
            pair.requestToB(Opcode.RC_SEND_ONLY, 102, true, 10);
            assertThat(pair.b.events).containsExactly(EventType.COMM_EST);
        }
    }

    @Test
    void packetInReadyToSendAnnouncesNothing() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(1, 10);
            pair.postSends(1, 10);
            pair.settle();
            assertThat(pair.b.events).isEmpty();
        }
    }

    @Test
    @Covers({"QP-23", "QP-33", "RXE-76"})
    void resetForgetsAllWorkWithoutCompletionsAndTheQueuePairCanBeConnectedAgain() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(3, 3000);
            pair.postSends(3, 3000);
            pair.transmit();
            // B is in the middle of a message and owes a NAK, A awaits answers.
            pair.requestToB(Opcode.RC_SEND_FIRST, 100, false, 1024);
            pair.requestToB(Opcode.RC_SEND_LAST, 105, true, 10);
            pair.network.dropAll();
            pair.a.modify(QpState.RESET);
            pair.b.modify(QpState.RESET);
            pair.run();
            assertThat(pair.a.sendResults()).isEmpty();
            assertThat(pair.b.receiveResults()).isEmpty();
            assertThat(pair.network.inFlight()).isEmpty();

            pair.connect();
            pair.network.forgetSent();
            TestRegion target = pair.postReceives(2, 3000);
            TestRegion source = pair.postSends(2, 3000);
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS", "1 SUCCESS");
            assertThat(pair.b.receiveResults()).containsExactly("0 SUCCESS", "1 SUCCESS");
            assertThat(EnginePair.sameBytes(source, target, 6000)).isTrue();
            assertThat(pair.network.responses()).extracting(Parcel::toString).containsExactly("ACK 105");
            assertThat(pair.a.counters().retries).isZero();
        }
    }

    @Test
    @Covers({"QP-32", "QP-33"})
    void queuePairInErrorIsUsedAgainAfterReset() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.a.send(1, new TestRegion.Piece(0xBAD, 0, 10));
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 LOC_PROT_ERR");
            pair.a.modify(QpState.RESET);
            pair.b.modify(QpState.RESET);
            pair.connect();
            pair.postReceives(1, 10);
            pair.postSends(1, 10);
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS");
        }
    }

    @Test
    void resetRenewsTheCommunicationEvent() {
        try (EnginePair pair = new EnginePair(new PairSettings().notConnected())) {
            for (int i = 1; i <= 2; i++) {
                pair.b.init();
                pair.b.receive(1, pair.b.region(10).first(10));
                pair.b.readyToReceive(EnginePair.QPN_A, 100);
                pair.requestToB(Opcode.RC_SEND_ONLY, 100, true, 10);
                assertThat(pair.b.events).hasSize(i);
                pair.b.modify(QpState.RESET);
            }
        }
    }

    // Draining

    private static QpAttributes.Builder drain() {
        return QpAttributes.builder().state(QpState.SQD).sqdAsyncNotify(true);
    }

    @Test
    @Covers({"QP-27", "QP-41", "QP-64", "QP-65", "EVT-12", "RXE-96", "RXE-219", "RXE-232", "RXE-233", "RXE-76"})
    void drainingFinishesWhatWasBegunHoldsTheRestAndSaysWhenItIsDone() {
        try (EnginePair pair = new EnginePair(new PairSettings().budget(1))) {
            pair.postReceives(4, 3000);
            pair.postSends(2, 3000);
            pair.a.engine.pollTransmit(pair.nowNs(), 1);
            pair.a.modify(drain());
            pair.a.send(7);
            assertThat(pair.a.engine.query().sqDraining()).isTrue();
            assertThat(pair.a.events).isEmpty();
            pair.settle();

            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS");
            assertThat(pair.a.events).containsExactly(EventType.SQ_DRAINED);
            assertThat(pair.a.engine.query().sqDraining()).isFalse();
            assertThat(pair.a.engine.query().sqPsn()).isEqualTo(103);

            pair.a.modify(QpState.RTS);
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS", "7 SUCCESS");
            assertThat(pair.a.events).containsExactly(EventType.SQ_DRAINED);
        }
    }

    @Test
    @Covers("EVT-12")
    void emptySendQueueIsDrainedAtOnce() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.a.modify(drain());
            assertThat(pair.a.events).containsExactly(EventType.SQ_DRAINED);
        }
    }

    @Test
    @Covers("QP-41")
    void drainingIsSilentUnlessTheEventWasAskedFor() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(1, 10);
            pair.postSends(1, 10);
            pair.transmit();
            pair.a.modify(QpState.SQD);
            pair.settle();
            assertThat(pair.a.sendResults()).hasSize(1);
            assertThat(pair.a.events).isEmpty();
        }
    }

    @Test
    @Covers("QP-64")
    void oneWishForTheEventIsGoodForOneEvent() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.a.modify(drain());
            pair.a.modify(QpState.RTS);
            pair.a.modify(QpState.SQD);
            assertThat(pair.a.events).containsExactly(EventType.SQ_DRAINED);
        }
    }

    @Test
    @Covers("QP-27")
    void drainingQueuePairRetriesAndServesItsPeer() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(1, 10);
            pair.postSends(1, 10);
            pair.network.loseNext(Parcel::isRequest);
            pair.transmit();
            pair.a.modify(drain());
            pair.a.receive(1);
            pair.b.send(2);
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS");
            assertThat(pair.a.receiveResults()).containsExactly("1 SUCCESS");
            assertThat(pair.a.events).containsExactly(EventType.SQ_DRAINED);
        }
    }

    @Test
    @Covers({"QP-47", "QP-48", "QP-59", "RXE-76"})
    void queryAnswersWhatModifySetAndTheStateOfTheMoment() {
        try (EnginePair pair =
                new EnginePair(new PairSettings().timeout(9).retryCount(5).rnrRetry(4))) {
            QpAttributes attributes = pair.a.engine.query();
            assertThat(attributes.state()).isEqualTo(QpState.RTS);
            assertThat(attributes.timeout()).isEqualTo(9);
            assertThat(attributes.retryCount()).isEqualTo(5);
            assertThat(attributes.rnrRetry()).isEqualTo(4);
            assertThat(attributes.destinationQpn()).isEqualTo(EnginePair.QPN_B);
            assertThat(attributes.pathMtu()).isEqualTo(pair.settings.mtu);
            assertThat(attributes.sqPsn()).isEqualTo(PairSettings.PSN_A);
            assertThat(attributes.rqPsn()).isEqualTo(PairSettings.PSN_B);
        }
    }
}
