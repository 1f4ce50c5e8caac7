// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.ScriptedNetwork.Mode;
import io.rdma4j.transport.port.SharedReceiveState;
import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.spi.ring.RingCompletionCursor;
import io.rdma4j.verbs.spi.ring.SharedReceiveRing;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.TransportClass;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An XRC initiator at A, a target at B with two shared receive queues behind it. */
class XrcTest {
    /** A shared receive queue of the domain, and its completion queue. */
    private static final class Srq {
        final SharedReceiveRing ring;
        final CompletionRing completions;
        final Object protectionDomain = new Object();
        final RingCompletionCursor cursor;

        Srq(EnginePair pair, int number, int maxSge) {
            ring = new SharedReceiveRing(7, maxSge, 0, _ -> {});
            completions = CompletionRing.silent(15);
            cursor = new RingCompletionCursor(completions, () -> {});
            pair.b.xrcQueues.put(number, new SharedReceiveState(ring, protectionDomain, completions));
        }

        TestRegion region(EnginePair pair, int bytes) {
            return pair.b.region(bytes, protectionDomain, Endpoint.ALL_RIGHTS);
        }

        void receive(long wrId, TestRegion.Piece piece) {
            ring.startReceive()
                    .receive(wrId)
                    .sge(piece.lkey(), piece.address(), piece.lengthBytes())
                    .complete();
        }

        List<String> results() {
            return Endpoint.poll(cursor).stream().map(Completion::brief).toList();
        }
    }

    private static EnginePair xrc(Mode mode) {
        return new EnginePair(new PairSettings().xrc().rdma(2).mode(mode));
    }

    private static void send(EnginePair pair, long wrId, int srq, TestRegion.Piece piece) {
        pair.a
                .sends()
                .wrId(wrId)
                .send()
                .xrcSrq(srq)
                .sge(piece.lkey(), piece.address(), piece.lengthBytes())
                .complete();
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Covers({"XRC-1", "XRC-4", "XRC-5", "XRC-6", "XRC-7", "XRC-14"})
    void eachMessageGoesToTheQueueItNamesAndCompletesThere(Mode mode) {
        try (EnginePair pair = xrc(mode)) {
            Srq first = new Srq(pair, 0x111, 1);
            Srq second = new Srq(pair, 0xFFFFFE, 4);
            TestRegion source = pair.a.region(6000).filled(1);
            TestRegion one = first.region(pair, 3000);
            TestRegion two = second.region(pair, 3000);
            first.receive(1, one.first(3000));
            second.receive(2, two.first(3000));
            send(pair, 10, 0xFFFFFE, source.first(3000));
            send(pair, 11, 0x111, source.piece(3000, 3000));
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("10 SUCCESS", "11 SUCCESS");
            assertThat(first.results()).containsExactly("1 SUCCESS");
            assertThat(second.results()).containsExactly("2 SUCCESS");
            assertThat(two.bytes(0, 3000)).isEqualTo(source.bytes(0, 3000));
            assertThat(one.bytes(0, 3000)).isEqualTo(source.bytes(3000, 3000));
            assertThat(pair.network.sent()).allMatch(parcel -> parcel.opcode.transport() == TransportClass.XRC);
            assertThat(pair.network.requests()).allMatch(parcel -> parcel.opcode.carries(Header.XRCETH));
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void readsWritesAndAtomicsAreCheckedAgainstTheQueuesProtectionDomain(Mode mode) {
        try (EnginePair pair = xrc(mode)) {
            Srq srq = new Srq(pair, 5, 1);
            TestRegion far = srq.region(pair, 5000);
            TestRegion near = pair.a.region(5000).filled(1);
            TestRegion back = pair.a.region(5000);
            pair.a
                    .sends()
                    .wrId(1)
                    .rdmaWrite(far.lkey(), far.address())
                    .xrcSrq(5)
                    .sge(near.lkey(), near.address(), 5000)
                    .wrId(2)
                    .rdmaRead(far.lkey(), far.address())
                    .xrcSrq(5)
                    .sge(back.lkey(), back.address(), 5000)
                    .complete();
            pair.settle();
            assertThat(EnginePair.sameBytes(near, back, 5000)).isTrue();
            far.memory().set(ValueLayout.JAVA_LONG, 0, 40);
            pair.a
                    .sends()
                    .wrId(3)
                    .atomicFetchAdd(far.lkey(), far.address(), 2)
                    .xrcSrq(5)
                    .sge(back.lkey(), back.address(), 8)
                    .complete();
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS", "3 SUCCESS");
            assertThat(far.memory().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(42);
            TestRegion ofTheTarget = pair.b.shared(10);
            pair.a
                    .sends()
                    .wrId(4)
                    .rdmaWrite(ofTheTarget.lkey(), ofTheTarget.address())
                    .xrcSrq(5)
                    .sge(near.lkey(), near.address(), 10)
                    .complete();
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("4 REM_ACCESS_ERR");
        }
    }

    @Test
    void answersThatAreLostAreAskedForAgain() {
        try (EnginePair pair = xrc(Mode.CUT)) {
            Srq srq = new Srq(pair, 5, 1);
            TestRegion far = srq.region(pair, 5000).filled(4);
            TestRegion back = pair.a.region(5000);
            pair.network.loseNext(parcel -> !parcel.isRequest() && parcel.psn == 102);
            pair.a
                    .sends()
                    .wrId(2)
                    .rdmaRead(far.lkey(), far.address())
                    .xrcSrq(5)
                    .sge(back.lkey(), back.address(), 5000)
                    .complete();
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("2 SUCCESS");
            assertThat(EnginePair.sameBytes(far, back, 5000)).isTrue();
        }
    }

    @Test
    void unknownQueueIsAnInvalidRequest() {
        try (EnginePair pair = xrc(Mode.CUT)) {
            send(pair, 1, 99, pair.a.region(10).first(10));
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 REM_INV_REQ_ERR");
            assertThat(pair.b.events).containsExactly(EventType.QP_REQ_ERR);
        }
    }

    @Test
    void emptyQueueIsNotReadyWhateverTheOthersHold() {
        try (EnginePair pair = xrc(Mode.CUT)) {
            Srq empty = new Srq(pair, 1, 1);
            Srq full = new Srq(pair, 2, 1);
            full.receive(7, full.region(pair, 10).first(10));
            send(pair, 1, 1, pair.a.region(10).first(10));
            pair.settle();
            assertThat(pair.a.counters().receivedRnrNaks).isEqualTo(1);
            empty.receive(8, empty.region(pair, 10).first(10));
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
            assertThat(empty.results()).containsExactly("8 SUCCESS");
            assertThat(full.results()).isEmpty();
        }
    }

    @Test
    void initiatorServesNoRequestsAndTargetHearsNoAnswers() {
        try (EnginePair pair = xrc(Mode.CUT)) {
            new Srq(pair, 0, 1);
            pair.answerToA(Opcode.XRC_SEND_ONLY, PairSettings.PSN_B, 10);
            assertThat(pair.a.counters().droppedPackets).isEqualTo(1);
            pair.requestToB(Opcode.XRC_ACKNOWLEDGE, PairSettings.PSN_B, false, 0);
            assertThat(pair.b.counters().droppedPackets).isEqualTo(1);
            pair.transmit();
            assertThat(pair.network.sent()).isEmpty();
        }
    }

    @Test
    void errorFlushesTheRequestUnderWayIntoItsOwnCompletionQueue() {
        try (EnginePair pair = xrc(Mode.CUT)) {
            Srq srq = new Srq(pair, 3, 1);
            TestRegion target = srq.region(pair, 3000);
            srq.receive(1, target.first(3000));
            srq.receive(2, target.first(3000));
            send(pair, 1, 3, pair.a.region(3000).first(3000));
            pair.transmit();
            pair.network.deliverNext(pair.nowNs());
            pair.b.modify(QpState.ERR);
            assertThat(srq.results()).containsExactly("1 WR_FLUSH_ERR");
            assertThat(srq.ring.available()).isEqualTo(1);
            assertThat(pair.b.events).isEmpty();
        }
    }
}
