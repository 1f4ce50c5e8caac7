// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.ScriptedNetwork.Mode;
import io.rdma4j.verbs.spi.ring.RingMemory;
import io.rdma4j.verbs.spi.ring.SharedReceiveRing;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.Opcode;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A queue pair that takes its receives from a shared queue. */
class SharedReceiveTest {
    private static EnginePair shared(QpType type, Mode mode) {
        return new EnginePair(new PairSettings().type(type).sharedReceives(7).mode(mode));
    }

    private static SharedReceiveRing ring(EnginePair pair) {
        return Objects.requireNonNull(pair.b.shared);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Covers({"SRQ-1", "SRQ-5", "RXE-173"})
    void messagesTakeTheirReceivesFromTheSharedQueue(Mode mode) {
        try (EnginePair pair = shared(QpType.RC, mode)) {
            TestRegion target = pair.postReceives(3, 3000);
            TestRegion source = pair.postSends(3, 3000);
            pair.settle();
            assertThat(pair.a.sendResults()).hasSize(3).allMatch(result -> result.endsWith("SUCCESS"));
            assertThat(pair.b.receiveResults()).containsExactly("0 SUCCESS", "1 SUCCESS", "2 SUCCESS");
            assertThat(EnginePair.sameBytes(source, target, 9000)).isTrue();
            assertThat(ring(pair).available()).isZero();
        }
    }

    @Test
    void emptySharedQueueIsNotReadyAndPostingHelps() {
        try (EnginePair pair = shared(QpType.RC, Mode.CUT)) {
            pair.postSends(1, 3000);
            pair.settle();
            assertThat(pair.a.counters().receivedRnrNaks).isEqualTo(1);
            pair.postReceives(1, 3000);
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS");
            assertThat(pair.b.receiveResults()).containsExactly("0 SUCCESS");
        }
    }

    @Test
    void requestOfAMessageUnderWayIsOutOfTheOthersReach() {
        try (EnginePair pair = shared(QpType.RC, Mode.CUT)) {
            TestRegion target = pair.postReceives(2, 3000);
            TestRegion source = pair.postSends(1, 3000);
            pair.transmit();
            pair.network.deliverNext(pair.nowNs());
            assertThat(ring(pair).available()).isEqualTo(1);
            RingMemory other = RingMemory.allocate(ring(pair).elementBytes());
            assertThat(ring(pair).take(other, 0)).isTrue();
            pair.settle();
            assertThat(pair.b.receiveResults()).containsExactly("0 SUCCESS");
            assertThat(EnginePair.sameBytes(source, target, 3000)).isTrue();
        }
    }

    @Test
    @Covers({"SRQ-8", "SRQ-10", "EVT-22"})
    void eventIsRaisedOnceWhenFewerThanTheLimitAreLeft() {
        try (EnginePair pair = shared(QpType.RC, Mode.WHOLE)) {
            ring(pair).arm(2);
            pair.postReceives(4, 10);
            pair.postSends(2, 10);
            pair.settle();
            assertThat(pair.b.limitEvents).isZero();
            pair.postSends(2, 10);
            pair.settle();
            assertThat(pair.b.limitEvents).isEqualTo(1);
        }
    }

    @Test
    @Covers({"EVT-23", "SRQ-1"})
    void errorFlushesTheRequestUnderWayOnlyAndSaysThatNoMoreAreTaken() {
        try (EnginePair pair = shared(QpType.RC, Mode.CUT)) {
            pair.postReceives(3, 3000);
            pair.postSends(1, 3000);
            pair.transmit();
            pair.network.deliverNext(pair.nowNs());
            pair.b.modify(QpState.ERR);
            pair.settle();
            assertThat(pair.b.receiveResults()).containsExactly("0 WR_FLUSH_ERR");
            assertThat(pair.b.events).containsExactly(EventType.QP_LAST_WQE_REACHED);
            assertThat(ring(pair).available()).isEqualTo(2);
            pair.b.modify(QpState.RESET);
            assertThat(ring(pair).available()).isEqualTo(2);
        }
    }

    @Test
    void messageTooLongEndsTheRequestItTook() {
        try (EnginePair pair = shared(QpType.RC, Mode.CUT)) {
            pair.postReceives(2, 2000);
            pair.postSends(1, 3000);
            pair.settle();
            assertThat(pair.b.receiveResults()).containsExactly("0 LOC_LEN_ERR");
            assertThat(pair.b.events).containsExactly(EventType.QP_LAST_WQE_REACHED);
            assertThat(ring(pair).available()).isEqualTo(1);
        }
    }

    /** Class E where the message ends in the middle (IBA 9.9.3.1.4): the request is not given to the next one. */
    @Test
    @Covers("RXE-202")
    void aMessageOfAnUnreliableConnectionThatLostAPacketEndsItsRequestWithAnError() {
        try (EnginePair pair = shared(QpType.UC, Mode.CUT)) {
            TestRegion target = pair.postReceives(2, 3000);
            pair.network.loseNext(parcel -> parcel.psn == 101);
            TestRegion source = pair.postSends(2, 3000);
            pair.settle();
            assertThat(pair.b.receiveResults()).containsExactly("0 REM_INV_REQ_ERR", "1 SUCCESS");
            assertThat(target.bytes(3000, 3000)).isEqualTo(source.bytes(3000, 3000));
            assertThat(pair.b.state()).isEqualTo(QpState.RTS);
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Covers("RXE-197")
    void aMessageOfAnUnreliableConnectionThatIsTooLongEndsItsRequestWithAnError(Mode mode) {
        try (EnginePair pair = shared(QpType.UC, mode)) {
            pair.postReceives(2, 2000);
            pair.postSends(1, 3000);
            pair.postSends(1, 2000);
            pair.settle();
            assertThat(pair.b.receiveResults()).containsExactly("0 REM_INV_REQ_ERR", "1 SUCCESS");
            assertThat(pair.b.state()).isEqualTo(QpState.RTS);
        }
    }

    @Test
    @Covers("RXE-198")
    void aWriteWithImmediateOfAnUnreliableConnectionToAForeignKeyEndsItsRequestWithAnError() {
        PairSettings settings =
                new PairSettings().type(QpType.UC).sharedReceives(7).rdma(0);
        try (EnginePair pair = new EnginePair(settings)) {
            pair.postReceives(1, 10);
            TestRegion source = pair.a.region(10);
            pair.a
                    .sends()
                    .wrId(1)
                    .rdmaWriteImm(0xBAD, 0, 7)
                    .sge(source.lkey(), source.address(), 10)
                    .complete();
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
            assertThat(pair.b.receiveResults()).containsExactly("0 REM_ACCESS_ERR");
            assertThat(pair.b.events).isEmpty();
            assertThat(pair.b.state()).isEqualTo(QpState.RTS);
        }
    }

    @Test
    @Covers("RXE-197")
    void aDatagramThatDoesNotFitEndsItsRequestWithAnError() {
        try (EnginePair pair = shared(QpType.UD, Mode.CUT)) {
            pair.postReceives(1, 39);
            pair.a.datagram(1, EnginePair.QPN_B, pair.settings.qkey);
            pair.settle();
            assertThat(pair.b.receiveResults()).containsExactly("0 REM_INV_REQ_ERR");
            assertThat(pair.b.state()).isEqualTo(QpState.RTS);
        }
    }

    @Test
    void anErrorThatOverflowsTheCompletionQueueEndsTheQueuePair() {
        PairSettings settings =
                new PairSettings().type(QpType.UC).sharedReceives(7).completionEntries(1);
        try (EnginePair pair = new EnginePair(settings)) {
            pair.postReceives(3, 10);
            pair.requestToB(Opcode.UC_SEND_FIRST, 100, false, 1024);
            pair.requestToB(Opcode.UC_SEND_FIRST, 101, false, 1024);
            assertThat(pair.b.state()).isEqualTo(QpState.ERR);
            assertThat(pair.b.receiveResults()).containsExactly("0 REM_INV_REQ_ERR");
        }
    }

    @Test
    void datagramsUseASharedQueueToo() {
        try (EnginePair pair = shared(QpType.UD, Mode.CUT)) {
            pair.postReceives(2, 100);
            pair.a.datagram(1, EnginePair.QPN_B, pair.settings.qkey);
            pair.settle();
            assertThat(pair.b.receiveResults()).containsExactly("0 SUCCESS");
            assertThat(ring(pair).available()).isEqualTo(1);
        }
    }
}
