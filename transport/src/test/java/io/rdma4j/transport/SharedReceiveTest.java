package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.ScriptedNetwork.Mode;
import io.rdma4j.verbs.EventType;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.queue.SharedReceiveRing;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
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
            MemorySegment other = Arena.ofAuto().allocate(ring(pair).elementBytes(), 16);
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

    @Test
    @Covers("RXE-196")
    void droppedMessageOfAnUnreliableConnectionKeepsItsRequestForTheNext() {
        try (EnginePair pair = shared(QpType.UC, Mode.CUT)) {
            TestRegion target = pair.postReceives(1, 3000);
            pair.network.loseNext(parcel -> parcel.psn == 101);
            TestRegion source = pair.postSends(2, 3000);
            pair.settle();
            assertThat(pair.b.receiveResults()).containsExactly("0 SUCCESS");
            assertThat(target.bytes(0, 3000)).isEqualTo(source.bytes(3000, 3000));
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
