// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Deadline;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.ScriptedNetwork.Mode;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WrOpcode;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.TransportClass;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** UC: nothing is answered, what is lost is lost, and the next message is served. */
class UnreliableConnectionTest {
    private static EnginePair uc(Mode mode) {
        return new EnginePair(new PairSettings().type(QpType.UC).rdma(0).mode(mode));
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Covers({"QP-11", "RXE-170"})
    void everyOperationOfTheServiceArrivesUnanswered(Mode mode) {
        try (EnginePair pair = uc(mode)) {
            for (int size : new int[] {0, 1, 1024, 1025, 100_000}) {
                TestRegion source = pair.a.region(100_000).filled(size);
                TestRegion written = pair.b.shared(100_000);
                TestRegion received = pair.b.region(100_000);
                pair.b.receive(1, received.first(size));
                pair.b.receive(2);
                pair.a.send(1, source.first(size));
                pair.a
                        .sends()
                        .wrId(2)
                        .rdmaWriteImm(written.lkey(), written.address(), 99)
                        .sge(source.lkey(), source.address(), size)
                        .complete();
                pair.settle();
                assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS");
                List<Completion> receives = pair.b.receiveCompletions();
                assertThat(receives)
                        .extracting(Completion::opcode)
                        .containsExactly(WcOpcode.RECV, WcOpcode.RECV_RDMA_WITH_IMM);
                assertThat(receives).extracting(Completion::byteLength).containsExactly(size, size);
                assertThat(EnginePair.sameBytes(source, received, size)).isTrue();
                assertThat(EnginePair.sameBytes(source, written, size)).isTrue();
            }
            assertThat(pair.network.sent())
                    .allMatch(parcel -> parcel.opcode.transport() == TransportClass.UC && !parcel.ackRequest);
            assertThat(pair.network.responses()).isEmpty();
            assertThat(pair.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
        }
    }

    @Test
    @Covers({"RXE-235", "RXE-109"})
    void sendCompletesWhenItsPacketsHaveLeftThisHostsMemory() {
        try (EnginePair pair = uc(Mode.WHOLE)) {
            pair.postReceives(1, 5000);
            pair.postSends(1, 5000);
            pair.transmit();
            assertThat(pair.a.sendResults())
                    .as("the train still points into registered memory")
                    .isEmpty();
            pair.deliver();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS");
        }
        try (EnginePair pair = uc(Mode.CUT)) {
            pair.network.lose(parcel -> true);
            pair.postSends(2, 5000);
            pair.transmit();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS", "1 SUCCESS");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 4})
    @Covers("RXE-170")
    void messageThatLostAPacketIsDroppedAndItsReceiveServesTheNext(int lost) {
        try (EnginePair pair = uc(Mode.CUT)) {
            TestRegion target = pair.postReceives(1, 5000);
            pair.network.loseNext(parcel -> parcel.psn == 100 + lost);
            TestRegion source = pair.postSends(2, 5000);
            pair.settle();
            assertThat(pair.b.receiveResults()).containsExactly("0 SUCCESS");
            assertThat(target.bytes(0, 5000)).isEqualTo(source.bytes(5000, 5000));
            assertThat(pair.b.state()).isEqualTo(QpState.RTS);
        }
    }

    @Test
    @Covers("RXE-171")
    void messageThatBeginsInsideAnotherTakesItsPlace() {
        try (EnginePair pair = uc(Mode.CUT)) {
            pair.postReceives(1, 5000);
            pair.requestToB(Opcode.UC_SEND_FIRST, 100, false, 1024);
            pair.requestToB(Opcode.UC_SEND_ONLY, 101, false, 10);
            assertThat(pair.b.receiveCompletions())
                    .singleElement()
                    .satisfies(completion -> assertThat(completion.byteLength()).isEqualTo(10));
        }
    }

    @Test
    @Covers("RXE-196")
    void messageWithoutAReceiveIsDropped() {
        try (EnginePair pair = uc(Mode.CUT)) {
            pair.postSends(2, 3000);
            pair.settle();
            assertThat(pair.b.counters().droppedPackets).isEqualTo(6);
            TestRegion target = pair.postReceives(1, 3000);
            TestRegion source = pair.postSends(1, 3000);
            pair.settle();
            assertThat(EnginePair.sameBytes(source, target, 3000)).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Covers("RXE-198")
    void faultsOfThePeerDropTheMessageAndNothingElse(Mode mode) {
        try (EnginePair pair = uc(mode)) {
            TestRegion target = pair.b.shared(3000);
            TestRegion readOnly = pair.b.region(3000);
            TestRegion source = pair.a.region(4000).filled(1);
            pair.postReceives(1, 100);
            pair.a.write(1, readOnly.first(0), source.first(3000));
            pair.a.write(2, target.first(0), source.first(3001));
            pair.a.write(3, new TestRegion.Piece(0xBAD, 0, 0), source.first(10));
            pair.a.send(4, source.first(101));
            pair.a.write(5, target.first(0), source.first(3000));
            pair.settle();
            assertThat(pair.a.sendResults()).hasSize(5).allMatch(result -> result.endsWith("SUCCESS"));
            assertThat(pair.b.receiveResults()).isEmpty();
            assertThat(pair.b.events).isEmpty();
            assertThat(pair.b.state()).isEqualTo(QpState.RTS);
            assertThat(readOnly.bytes(0, 3000)).containsOnly(0);
            assertThat(EnginePair.sameBytes(source, target, 3000)).isTrue();
            pair.a.send(6, source.first(100));
            pair.settle();
            assertThat(pair.b.receiveResults()).containsExactly("0 SUCCESS");
        }
    }

    @Test
    void faultOfTheReceiversOwnEndsTheReceiver() {
        try (EnginePair pair = uc(Mode.CUT)) {
            pair.b.receive(1, new TestRegion.Piece(0xBAD, 0, 100));
            pair.postSends(1, 10);
            pair.settle();
            assertThat(pair.b.receiveResults()).containsExactly("1 LOC_PROT_ERR");
            assertThat(pair.b.state()).isEqualTo(QpState.ERR);
        }
    }

    @Test
    @Covers("QP-28")
    void sendThatFailsHereFlushesTheOthersButReceivingGoesOn() {
        try (EnginePair pair = uc(Mode.CUT)) {
            pair.postReceives(1, 10);
            TestRegion good = pair.a.region(10).filled(1);
            TestRegion target = pair.a.region(10);
            pair.a.receive(9, target.first(10));
            pair.a.send(1, good.first(10));
            pair.a.send(2, new TestRegion.Piece(0xBAD, 0, 10));
            pair.a.send(3, good.first(10));
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS", "2 LOC_PROT_ERR", "3 WR_FLUSH_ERR");
            assertThat(pair.a.state()).isEqualTo(QpState.SQE);
            pair.a.send(4, good.first(10));
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("4 WR_FLUSH_ERR");
            pair.b.send(5, pair.b.region(10).filled(7).first(10));
            pair.settle();
            assertThat(pair.a.receiveResults()).containsExactly("9 SUCCESS");
        }
    }

    @Test
    void queuePairThatFailedASendSendsAgainAfterItWasSetRight() {
        try (EnginePair pair = uc(Mode.CUT)) {
            pair.postReceives(2, 10);
            TestRegion good = pair.a.region(10).filled(1);
            pair.a.send(1, new TestRegion.Piece(0xBAD, 0, 10));
            pair.settle();
            pair.a.modify(QpState.RTS);
            pair.a.send(2, good.first(10));
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 LOC_PROT_ERR", "2 SUCCESS");
            assertThat(pair.b.receiveResults()).containsExactly("0 SUCCESS");
        }
    }

    @Test
    void operationsThatNeedAnAnswerAreNotServed() {
        for (WrOpcode opcode :
                List.of(WrOpcode.RDMA_READ, WrOpcode.ATOMIC_FETCH_AND_ADD, WrOpcode.FLUSH, WrOpcode.SEND_WITH_INV)) {
            try (EnginePair pair = uc(Mode.CUT)) {
                pair.a.send(1);
                RingForgery.sendOpcode(pair.a.sendQueue, 0, opcode.code());
                pair.settle();
                assertThat(pair.a.sendResults()).containsExactly("1 LOC_QP_OP_ERR");
                assertThat(pair.a.state()).isEqualTo(QpState.SQE);
            }
        }
    }

    @Test
    void packetsThatLeaveAfterAResetCompleteNothing() {
        try (EnginePair pair = uc(Mode.WHOLE)) {
            pair.postSends(1, 5000);
            pair.transmit();
            pair.a.modify(QpState.RESET);
            pair.a.init();
            pair.a.readyToReceive(EnginePair.QPN_B, PairSettings.PSN_B);
            pair.a.readyToSend(100);
            pair.network.lose(parcel -> false);
            pair.a.send(7, pair.a.region(5000).first(5000));
            pair.transmit();
            pair.network.drop(0);
            assertThat(pair.a.sendResults())
                    .as("only the packets of before have left")
                    .isEmpty();
            pair.network.drop(0);
            assertThat(pair.a.sendResults()).containsExactly("7 SUCCESS");
        }
    }

    @Test
    void packetsOfOtherServicesAreDropped() {
        try (EnginePair pair = uc(Mode.CUT)) {
            pair.postReceives(1, 10);
            pair.requestToB(Opcode.RC_SEND_ONLY, 100, true, 10);
            pair.responseToA(0x1F, 100);
            assertThat(pair.b.receiveResults()).isEmpty();
            assertThat(pair.b.counters().droppedPackets).isEqualTo(1);
            assertThat(pair.a.counters().droppedPackets).isEqualTo(1);
        }
    }
}
