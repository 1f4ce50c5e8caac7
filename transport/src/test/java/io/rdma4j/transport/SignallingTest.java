// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.WcFlag;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Which requests complete visibly, in which order, and whom that wakes. */
class SignallingTest {
    @Test
    @Covers({"QP-7", "WR-25", "RXE-227"})
    void onlyFlaggedSendsCompleteUnderSelectiveSignalling() {
        try (EnginePair pair = new EnginePair(new PairSettings().signalsOnRequest())) {
            pair.postReceives(6, 100);
            SendBatch batch = pair.a.sends();
            for (int i = 0; i < 6; i++) {
                if (i % 3 == 2) {
                    batch.signaled();
                }
                batch.wrId(i).send();
            }
            batch.complete();
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("2 SUCCESS", "5 SUCCESS");
            assertThat(pair.b.receiveCompletions()).hasSize(6);
            assertThat(pair.a.counters().sends).isEqualTo(6);
        }
    }

    @Test
    @Covers("QP-5")
    void everySendCompletesIfTheQueuePairSignalsAll() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(3, 10);
            pair.postSends(3, 10);
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS", "1 SUCCESS", "2 SUCCESS");
        }
    }

    @Test
    @Covers("RXE-227")
    void failedSendCompletesEvenUnsignalled() {
        try (EnginePair pair = new EnginePair(new PairSettings().signalsOnRequest())) {
            pair.a.send(1, new TestRegion.Piece(0xBAD, 0, 10));
            pair.a.send(2);
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 LOC_PROT_ERR", "2 WR_FLUSH_ERR");
        }
    }

    @Test
    @Covers("QP-1")
    void requestsCompleteInTheOrderOfPostingThroughManyTurnsOfTheRings() {
        try (EnginePair pair = new EnginePair(new PairSettings().queueEntries(7))) {
            TestRegion source = pair.a.region(3000);
            TestRegion target = pair.b.region(3000);
            List<Long> sent = new ArrayList<>();
            List<Long> received = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                pair.b.receive(i, target.first(3000));
                pair.a.send(i, source.first(i * 30));
                if (i % 5 == 4) {
                    pair.settle();
                    pair.a.sendCompletions().forEach(completion -> sent.add(completion.wrId()));
                    pair.b.receiveCompletions().forEach(completion -> received.add(completion.wrId()));
                }
            }
            List<Long> expected = LongStream.range(0, 100).boxed().toList();
            assertThat(sent).isEqualTo(expected);
            assertThat(received).isEqualTo(expected);
        }
    }

    @Test
    @Covers({"WR-26", "CQ-13", "RXE-119", "RXE-186", "RXE-237", "RXE-238"})
    void solicitedSendWakesAReceiverThatWaitsForSolicitedCompletions() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(3, 3000);
            TestRegion source = pair.a.region(3000);
            pair.b.receiveRing.requestNotification(true);
            pair.a.send(1, source.first(3000));
            pair.settle();
            assertThat(pair.b.receiveNotifications).isZero();

            pair.a
                    .sends()
                    .solicited()
                    .send()
                    .sge(source.lkey(), source.address(), 3000)
                    .complete();
            pair.settle();
            assertThat(pair.b.receiveNotifications).isEqualTo(1);
            assertThat(pair.network.requests())
                    .extracting(parcel -> parcel.solicited)
                    .containsExactly(false, true);
        }
    }

    @Test
    @Covers("RXE-119")
    void solicitedBitIsOnTheLastPacketOnly() {
        try (EnginePair pair = new EnginePair(new PairSettings().mode(ScriptedNetwork.Mode.CUT))) {
            TestRegion source = pair.a.region(3000);
            pair.a
                    .sends()
                    .solicited()
                    .send()
                    .sge(source.lkey(), source.address(), 3000)
                    .complete();
            pair.transmit();
            assertThat(pair.network.inFlight())
                    .extracting(parcel -> parcel.solicited)
                    .containsExactly(false, false, true);
        }
    }

    @Test
    @Covers("CQ-12")
    void anyCompletionWakesOnceAReceiverThatWaitsForTheNext() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(2, 10);
            pair.b.receiveRing.requestNotification(false);
            pair.postSends(2, 10);
            pair.settle();
            assertThat(pair.b.receiveNotifications).isEqualTo(1);
        }
    }

    @Test
    void slotOfASendIsFreeWhenItsCompletionIsSeen() {
        try (EnginePair pair = new EnginePair(new PairSettings().queueEntries(1))) {
            pair.postReceives(1, 10);
            pair.postSends(1, 10);
            pair.a.sendRing.requestNotification(false);
            pair.a.onSendCompletion = () -> {
                pair.b.receive(1);
                pair.a.send(99); // a full queue would throw ENOMEM
            };
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS", "99 SUCCESS");
        }
    }

    @Test
    void completionsCarryTheTimeAtWhichTheyWereMade() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(1, 10);
            pair.postSends(1, 10);
            pair.transmit();
            pair.advance(5000);
            long arrivedNs = pair.nowNs();
            pair.deliver();
            pair.transmit();
            pair.advance(7000);
            pair.deliver();
            assertThat(pair.b.receiveCompletions().getFirst().timestampNs()).isEqualTo(arrivedNs);
            assertThat(pair.a.sendCompletions().getFirst().timestampNs()).isEqualTo(arrivedNs + 7000);
        }
    }

    @Test
    @Covers("RXE-228")
    void completionsOfSendsSayWhatWasSent() {
        try (EnginePair pair = EnginePair.rdma()) {
            pair.postReceives(2, 100);
            TestRegion source = pair.a.region(100);
            TestRegion target = pair.b.shared(100);
            pair.a
                    .sends()
                    .wrId(7)
                    .sendImm(5)
                    .sge(source.lkey(), source.address(), 33)
                    .wrId(8)
                    .rdmaWrite(target.lkey(), target.address())
                    .sge(source.lkey(), source.address(), 44)
                    .complete();
            pair.settle();
            assertThat(pair.a.sendCompletions())
                    .extracting(
                            Completion::wrId,
                            Completion::status,
                            Completion::opcode,
                            Completion::byteLength,
                            Completion::flags,
                            Completion::qpNumber)
                    .containsExactly(
                            tuple(7L, WcStatus.SUCCESS, WcOpcode.SEND, 33, WcFlag.WITH_IMM.bit(), EnginePair.QPN_A),
                            tuple(8L, WcStatus.SUCCESS, WcOpcode.RDMA_WRITE, 44, 0, EnginePair.QPN_A));
        }
    }
}
