// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.ScriptedNetwork.Mode;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.wire.Aeth;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.Opcode;
import java.lang.foreign.Arena;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** RDMA READ without losses: sizes, parts, limits, refusals. */
class ReadTest {
    /** The next request is looked at although the answer to the one before has only begun. */
    @Test
    @Covers({"RXE-93", "RXE-168", "RXE-179"})
    void longAnswerGoesOnUntilItIsWholeAndCountsItsMessageAtOnce() {
        PairSettings settings = new PairSettings().rdma(1).mode(Mode.CUT);
        try (EnginePair pair = new EnginePair(settings)) {
            pair.a.read(1, pair.b.shared(5000).first(5000), pair.a.region(5000).first(5000));
            pair.transmit();
            pair.deliver();
            int calls = 0;
            while (calls < 100 && pair.b.engine.pollTransmit(pair.nowNs(), 2)) {
                calls++;
            }
            assertThat(calls).isEqualTo(2);
            Parcel first = pair.network.inFlight().getFirst();
            int aeth = first.skb.data() + first.opcode.offsetOf(Header.AETH);
            assertThat(Aeth.msn(first.skb.memory(), aeth)).isEqualTo(1);
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
            assertThat(pair.b.engine.pollTransmit(pair.nowNs(), 2)).isFalse();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "WHOLE, MTU_256, 1000",
        "WHOLE, MTU_4096, 1000",
        "CUT, MTU_256, 1000",
        "CUT, MTU_1024, 3",
        "CUT, MTU_4096, 1000",
        "WHOLE, MTU_1024, 1"
    })
    @Covers({"WR-12", "RXE-175", "RXE-181", "RXE-216", "CQ-52"})
    void everySizeAroundThePathMtuArrives(Mode mode, Mtu mtu, int budget) {
        try (EnginePair pair =
                new EnginePair(new PairSettings().rdma(2).mode(mode).mtu(mtu).budget(budget))) {
            int m = mtu.bytes();
            List<Integer> sizes = List.of(0, 1, 3, 4, m - 1, m, m + 1, 2 * m, 2 * m + 1, 300_000);
            TestRegion source = pair.b.shared(300_000).filled(m);
            TestRegion target = pair.a.region(300_016);
            for (int size : sizes) {
                target.memory().fill((byte) 0);
                pair.a.read(size, source.first(size), target.piece(8, size));
                pair.settle();
                assertThat(pair.a.sendCompletions()).singleElement().satisfies(completion -> {
                    assertThat(completion.brief()).isEqualTo(size + " SUCCESS");
                    assertThat(completion.opcode()).isEqualTo(WcOpcode.RDMA_READ);
                    assertThat(completion.byteLength()).isEqualTo(size);
                });
                assertThat(target.bytes(8, size)).isEqualTo(source.bytes(0, size));
                assertThat(target.bytes(0, 8)).containsOnly(0);
                assertThat(target.bytes(8 + size, 8)).containsOnly(0);
            }
            assertThat(pair.a.counters().retries).isZero();
        }
    }

    @Test
    void answerIsScatteredOverThePieces() {
        try (EnginePair pair = EnginePair.rdma()) {
            TestRegion source = pair.b.shared(5000).filled(4);
            TestRegion target = pair.a.region(6000);
            pair.a.read(
                    1,
                    source.first(0),
                    target.piece(3000, 1),
                    target.piece(0, 0),
                    target.piece(0, 2999),
                    target.piece(4000, 2000));
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
            assertThat(target.bytes(3000, 1)).isEqualTo(source.bytes(0, 1));
            assertThat(target.bytes(0, 2999)).isEqualTo(source.bytes(1, 2999));
            assertThat(target.bytes(4000, 2000)).isEqualTo(source.bytes(3000, 2000));
        }
    }

    @Test
    void longReadIsAskedForInPartsOfHalfAWindow() {
        PairSettings settings = new PairSettings().rdma(8).mtu(Mtu.MTU_256);
        try (EnginePair pair = new EnginePair(settings)) {
            TestRegion source = pair.b.shared(256 * 150).filled(4);
            TestRegion target = pair.a.region(256 * 150);
            pair.a.read(1, source.first(0), target.first(256 * 150));
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
            assertThat(EnginePair.sameBytes(source, target, 256 * 150)).isTrue();
            assertThat(pair.network.requests())
                    .extracting(Parcel::toString)
                    .containsExactly(
                            "RC RDMA READ Request 100", "RC RDMA READ Request 164", "RC RDMA READ Request 228");
            assertThat(pair.network.responses()).allMatch(parcel -> parcel.packets <= 64);
        }
    }

    @Test
    @Covers({"RXE-181", "RXE-110"})
    void answersTakeTheSequenceNumbersOfTheRequest() {
        PairSettings settings = new PairSettings().rdma(1).mode(Mode.CUT);
        try (EnginePair pair = new EnginePair(settings)) {
            TestRegion source = pair.b.shared(3000);
            TestRegion target = pair.a.region(3000);
            pair.postReceives(1, 10);
            pair.a.read(1, source.first(0), target.first(3000));
            pair.a.send(2);
            pair.settle();
            assertThat(pair.network.sent())
                    .extracting(Parcel::toString)
                    .containsExactly(
                            "RC RDMA READ Request 100",
                            "RC SEND Only 103",
                            "RC RDMA READ Response First 100",
                            "RC RDMA READ Response Middle 101",
                            "RC RDMA READ Response Last 102",
                            "ACK 103");
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    @Covers({"QP-52", "QP-66", "RXE-219"})
    void noMoreThanMaxRdAtomicAreUnderWayAtOnce(int limit) {
        PairSettings settings = new PairSettings().rdma(limit).maxDestRdAtomic(limit);
        try (EnginePair pair = new EnginePair(settings)) {
            TestRegion source = pair.b.shared(100);
            TestRegion target = pair.a.region(100);
            for (int i = 0; i < 6; i++) {
                pair.a.read(i, source.piece(i, 0), target.piece(i, 1));
            }
            pair.transmit();
            assertThat(pair.network.inFlight()).hasSize(limit);
            pair.settle();
            assertThat(pair.a.sendResults()).hasSize(6);
        }
    }

    @Test
    @Covers({"QP-56", "RXE-194"})
    void moreThanMaxDestRdAtomicAtOnceIsAnInvalidRequest() {
        PairSettings settings = new PairSettings().rdma(3).maxDestRdAtomic(2);
        try (EnginePair pair = new EnginePair(settings)) {
            TestRegion source = pair.b.shared(100);
            TestRegion target = pair.a.region(100);
            for (int i = 0; i < 3; i++) {
                pair.a.read(i, source.first(0), target.first(10));
            }
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS", "1 SUCCESS", "2 REM_INV_REQ_ERR");
            assertThat(pair.b.events).contains(EventType.QP_REQ_ERR);
            assertThat(pair.b.state()).isEqualTo(QpState.ERR);
        }
    }

    @Test
    @Covers("RXE-173")
    void responderThatServesNoReadsSaysSo() {
        try (EnginePair pair = new EnginePair(new PairSettings().rdma(1).maxDestRdAtomic(0))) {
            pair.a.read(0, pair.b.shared(10).first(0), pair.a.region(10).first(10));
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("0 REM_INV_REQ_ERR");
        }
    }

    @Test
    void requesterWithoutReadsAtOnceSendsNone() {
        try (EnginePair pair = new EnginePair(new PairSettings().rdma(1).maxRdAtomic(0))) {
            pair.a.read(0, pair.b.shared(10).first(0), pair.a.region(10).first(10));
            pair.settle();
            assertThat(pair.network.sent()).isEmpty();
        }
    }

    @Test
    @Covers("RXE-216")
    void targetThatMayNotBeWrittenToFailsTheRead() {
        try (EnginePair pair = EnginePair.rdma()) {
            TestRegion target = pair.a.region(10, pair.a.protectionDomain, 0);
            pair.a.read(1, pair.b.shared(10).first(0), target.first(10));
            pair.a.send(2);
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 LOC_PROT_ERR", "2 WR_FLUSH_ERR");
            assertThat(target.bytes(0, 10)).containsOnly(0);
        }
    }

    @Test
    void memoryTakenBackWhileItIsReadEndsTheConnectionAfterWhatWasRead() {
        PairSettings settings = new PairSettings().rdma(2).mode(Mode.CUT).budget(2);
        try (EnginePair pair = new EnginePair(settings)) {
            TestRegion source = pair.b.shared(4096).filled(9);
            TestRegion target = pair.a.region(4096);
            pair.a.read(1, source.first(0), target.first(4096));
            pair.a.read(2, pair.b.shared(10).first(0), target.first(10));
            pair.a.engine.pollTransmit(pair.nowNs(), 2);
            pair.deliver();
            pair.b.engine.pollTransmit(pair.nowNs(), 2);
            pair.b.keys.revoke(source.key());
            pair.settle();
            assertThat(pair.network.responses())
                    .extracting(Parcel::toString)
                    .containsExactly(
                            "RC RDMA READ Response First 100",
                            "RC RDMA READ Response Middle 101",
                            "NAK remote access error 102");
            assertThat(pair.a.sendResults()).containsExactly("1 REM_ACCESS_ERR", "2 WR_FLUSH_ERR");
            assertThat(target.bytes(0, 2048)).isEqualTo(source.bytes(0, 2048));
            assertThat(pair.b.events).containsExactly(EventType.QP_ACCESS_ERR);
        }
    }

    @Test
    void memoryClosedBeforeItIsReadIsAnAccessError() {
        Arena arena = Arena.ofShared();
        try (EnginePair pair = EnginePair.rdma()) {
            TestRegion source = pair.b.region(arena, 100, pair.b.protectionDomain, Endpoint.ALL_RIGHTS);
            arena.close();
            pair.a.read(1, source.first(0), pair.a.region(10).first(10));
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 REM_ACCESS_ERR");
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void answersComeBetweenSendsInBothDirections(Mode mode) {
        try (EnginePair pair =
                new EnginePair(new PairSettings().rdma(2).mode(mode).budget(3))) {
            TestRegion far = pair.b.shared(50_000).filled(1);
            TestRegion near = pair.a.shared(50_000);
            TestRegion receiveA = pair.a.region(20_000);
            TestRegion sendB = pair.b.region(20_000).filled(5);
            pair.postReceives(10, 1000);
            for (int i = 0; i < 10; i++) {
                pair.a.receive(i, receiveA.piece(i * 2000L, 2000));
                pair.b.send(i, sendB.piece(i * 2000L, 2000));
                pair.a.read(100 + i, far.piece(i * 5000L, 0), near.piece(i * 5000L, 5000));
                pair.a.send(200 + i, near.first(1000));
            }
            pair.settle();
            assertThat(pair.a.sendResults()).hasSize(20).allMatch(result -> result.endsWith("SUCCESS"));
            assertThat(pair.b.sendResults()).hasSize(10).allMatch(result -> result.endsWith("SUCCESS"));
            assertThat(EnginePair.sameBytes(far, near, 50_000)).isTrue();
            assertThat(EnginePair.sameBytes(sendB, receiveA, 20_000)).isTrue();
            assertThat(pair.a.counters().retries + pair.b.counters().retries).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "RC_READ_RESPONSE_ONLY, 9",
        "RC_READ_RESPONSE_ONLY, 11",
        "RC_READ_RESPONSE_ONLY, 0",
        "RC_ATOMIC_ACKNOWLEDGE, 0"
    })
    @Covers("RXE-215")
    void answerThatIsNotTheOneAskedForIsABadResponse(Opcode opcode, int payloadBytes) {
        try (EnginePair pair = EnginePair.rdma()) {
            TestRegion target = pair.a.region(100);
            pair.a.read(1, pair.b.shared(10).first(0), target.first(10));
            pair.transmit();
            pair.network.dropAll();
            pair.answerToA(opcode, 100, payloadBytes);
            assertThat(pair.a.sendResults()).containsExactly("1 BAD_RESP_ERR");
            assertThat(pair.a.state()).isEqualTo(QpState.ERR);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Opcode.class,
            names = {"RC_READ_RESPONSE_ONLY", "RC_READ_RESPONSE_MIDDLE", "RC_ATOMIC_ACKNOWLEDGE"})
    void answerToASendIsABadResponseIfItIsTheNextAndDroppedOtherwise(Opcode opcode) {
        try (EnginePair pair = EnginePair.rdma()) {
            pair.postSends(1, 10);
            pair.transmit();
            pair.network.dropAll();
            pair.answerToA(opcode, 99, 0);
            pair.answerToA(opcode, 101, 0);
            assertThat(pair.a.sendResults()).isEmpty();
            pair.answerToA(opcode, 100, 0);
            assertThat(pair.a.sendResults()).containsExactly("0 BAD_RESP_ERR");
        }
    }

    @Test
    void peerMayAnswerInPiecesOfItsOwnMaking() {
        try (EnginePair pair = EnginePair.rdma()) {
            TestRegion target = pair.a.region(3000).filled(8);
            pair.a.read(1, pair.b.shared(3000).first(0), target.first(3000));
            pair.transmit();
            pair.network.dropAll();
            // Only packets after a loss: legal for a responder that was asked again at each.
            pair.answerToA(Opcode.RC_READ_RESPONSE_FIRST, 100, 1024);
            pair.answerToA(Opcode.RC_READ_RESPONSE_FIRST, 101, 1024);
            pair.answerToA(Opcode.RC_READ_RESPONSE_ONLY, 102, 952);
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
            assertThat(target.bytes(0, 3000)).containsOnly(0);
        }
    }

    /** Also if a local key is to be invalidated when it is done. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void readWhoseAnswerHasNowhereToGoIsNotSent(boolean invalidates) {
        try (EnginePair pair = EnginePair.rdma()) {
            TestRegion source = pair.b.shared(8);
            TestRegion readOnly = pair.a.region(8, pair.a.protectionDomain, 0);
            SendBatch batch = pair.a.sends().wrId(1);
            if (invalidates) {
                batch.rdmaReadInvalidate(source.lkey(), source.address(), readOnly.lkey());
            } else {
                batch.rdmaRead(source.lkey(), source.address());
            }
            batch.sge(readOnly.lkey(), readOnly.address(), 8).complete();
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 LOC_PROT_ERR");
            assertThat(pair.network.sent()).isEmpty();
        }
    }
}
