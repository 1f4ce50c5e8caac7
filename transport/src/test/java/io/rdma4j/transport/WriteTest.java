// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.ScriptedNetwork.Mode;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.wire.NakCode;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Syndrome;
import java.lang.foreign.Arena;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** RDMA WRITE, with and without immediate data. */
class WriteTest {
    private static PairSettings rdma() {
        return new PairSettings().rdma(1);
    }

    @ParameterizedTest
    @CsvSource({
        "WHOLE, MTU_256, 1000",
        "WHOLE, MTU_4096, 1000",
        "CUT, MTU_256, 1000",
        "CUT, MTU_1024, 1000",
        "CUT, MTU_4096, 1",
        "WHOLE, MTU_1024, 3"
    })
    @Covers({"WR-8", "RXE-178", "CQ-51"})
    void everySizeAroundThePathMtuArrives(Mode mode, Mtu mtu, int budget) {
        try (EnginePair pair = new EnginePair(rdma().mode(mode).mtu(mtu).budget(budget))) {
            int m = mtu.bytes();
            List<Integer> sizes =
                    List.of(0, 1, 2, 3, 4, m - 1, m, m + 1, 2 * m - 1, 2 * m, 2 * m + 1, 9 * m + 5, 100_000);
            TestRegion source = pair.a.region(100_000).filled(m);
            TestRegion target = pair.b.shared(100_016);
            for (int size : sizes) {
                target.memory().fill((byte) 0);
                pair.a.write(size, target.piece(8, size), source.first(size));
                pair.settle();
                assertThat(pair.a.sendCompletions()).singleElement().satisfies(completion -> {
                    assertThat(completion.brief()).isEqualTo(size + " SUCCESS");
                    assertThat(completion.opcode()).isEqualTo(WcOpcode.RDMA_WRITE);
                    assertThat(completion.byteLength()).isEqualTo(size);
                });
                assertThat(target.bytes(8, size)).isEqualTo(source.bytes(0, size));
                assertThat(target.bytes(0, 8)).containsOnly(0);
                assertThat(target.bytes(8 + size, 8)).containsOnly(0);
            }
            assertThat(pair.b.receiveResults()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Covers("WR-30")
    void piecesAreGatheredAndInlineDataGo(Mode mode) {
        try (EnginePair pair = new EnginePair(rdma().mode(mode))) {
            TestRegion source = pair.a.region(5000).filled(1);
            TestRegion target = pair.b.shared(5000);
            pair.a.write(1, target.piece(100, 0), source.piece(3000, 1100), source.piece(0, 0), source.piece(0, 1500));
            pair.a
                    .sends()
                    .rdmaWrite(target.lkey(), target.address())
                    .inline(source.memory().asSlice(7, 33))
                    .complete();
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS", "0 SUCCESS");
            assertThat(target.bytes(100, 1100)).isEqualTo(source.bytes(3000, 1100));
            assertThat(target.bytes(1200, 1500)).isEqualTo(source.bytes(0, 1500));
            assertThat(target.bytes(0, 33)).isEqualTo(source.bytes(7, 33));
        }
    }

    @ParameterizedTest
    @CsvSource({"WHOLE, 0", "WHOLE, 10", "WHOLE, 5000", "CUT, 0", "CUT, 1024", "CUT, 5000"})
    @Covers({"WR-9", "WR-6", "WR-29", "CQ-62", "CQ-72", "RXE-185"})
    void immediateDataConsumeAReceiveAndSayTheLength(Mode mode, int size) {
        try (EnginePair pair = new EnginePair(rdma().mode(mode))) {
            TestRegion source = pair.a.region(5000).filled(1);
            TestRegion target = pair.b.shared(5000);
            TestRegion untouched = pair.postReceives(1, 100);
            pair.a.write(1, target.first(size), source.first(size));
            pair.a
                    .sends()
                    .wrId(2)
                    .rdmaWriteImm(target.lkey(), target.address(), 0xCAFE)
                    .sge(source.lkey(), source.address(), size)
                    .complete();
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS");
            assertThat(pair.b.receiveCompletions()).singleElement().satisfies(completion -> {
                assertThat(completion.brief()).isEqualTo("0 SUCCESS");
                assertThat(completion.opcode()).isEqualTo(WcOpcode.RECV_RDMA_WITH_IMM);
                assertThat(completion.byteLength()).isEqualTo(size);
                assertThat(completion.hasImmediate()).isTrue();
                assertThat(completion.immediate()).isEqualTo(0xCAFE);
            });
            assertThat(target.bytes(0, size)).isEqualTo(source.bytes(0, size));
            assertThat(untouched.bytes(0, 100)).containsOnly(0);
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void immediateDataWithoutAReceiveWaitAndTheLengthIsCountedOnce(Mode mode) {
        try (EnginePair pair = new EnginePair(rdma().mode(mode))) {
            TestRegion source = pair.a.region(5000).filled(1);
            TestRegion target = pair.b.shared(5000);
            pair.a
                    .sends()
                    .rdmaWriteImm(target.lkey(), target.address(), 1)
                    .sge(source.lkey(), source.address(), 5000)
                    .complete();
            pair.settle();
            assertThat(pair.b.counters().sentRnrNaks).isEqualTo(1);
            pair.postReceives(1, 0);
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS");
            assertThat(pair.b.receiveCompletions())
                    .singleElement()
                    .satisfies(completion -> assertThat(completion.byteLength()).isEqualTo(5000));
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Covers("RXE-176")
    void emptyWriteNeedsNeitherKeyNorAddress(Mode mode) {
        try (EnginePair pair = new EnginePair(rdma().mode(mode))) {
            pair.postReceives(1, 0);
            pair.a.sends().wrId(1).rdmaWrite(0xDEADBEEF, 0x1234567).complete();
            pair.a.sends().wrId(2).rdmaWriteImm(0xDEADBEEF, -1, 5).complete();
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS");
            assertThat(pair.b.receiveResults()).containsExactly("0 SUCCESS");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "RC_WRITE_ONLY, 0, 10",
        "RC_WRITE_ONLY, 11, 10",
        "RC_WRITE_ONLY, 9, 10",
        "RC_WRITE_ONLY, 2147483649, 10",
        "RC_WRITE_FIRST, 1024, 1024",
        "RC_WRITE_FIRST, 1023, 1024",
        "RC_WRITE_FIRST, 4294967295, 1024",
        "RC_WRITE_FIRST, 2000, 1000",
        "RC_WRITE_ONLY, 1025, 1025"
    })
    void announcedLengthThatDoesNotFitThePacketIsAnInvalidRequest(Opcode opcode, long dmaLength, int payloadBytes) {
        try (EnginePair pair = new EnginePair(rdma())) {
            TestRegion target = pair.b.shared(4096);
            pair.requestToB(opcode, 100, target.first(0), dmaLength, payloadBytes);
            assertRefused(pair, 100, NakCode.INVALID_REQUEST, EventType.QP_REQ_ERR);
        }
    }

    @ParameterizedTest
    @CsvSource({"RC_WRITE_LAST, 1023", "RC_WRITE_LAST, 1025", "RC_WRITE_LAST, 0", "RC_WRITE_MIDDLE, 1024"})
    void laterPacketThatDoesNotFitTheAnnouncedLengthIsAnInvalidRequest(Opcode opcode, int payloadBytes) {
        try (EnginePair pair = new EnginePair(rdma())) {
            TestRegion target = pair.b.shared(4096);
            pair.requestToB(Opcode.RC_WRITE_FIRST, 100, target.first(0), 2048, 1024);
            pair.requestToB(opcode, 101, true, payloadBytes);
            assertRefused(pair, 101, NakCode.INVALID_REQUEST, EventType.QP_REQ_ERR);
        }
    }

    private static void assertRefused(EnginePair pair, int psn, NakCode code, EventType event) {
        pair.transmit();
        Parcel nak = pair.network.responses().getLast();
        assertThat(nak.syndrome).isEqualTo(Syndrome.nak(code));
        assertThat(nak.psn).isEqualTo(psn);
        assertThat(pair.b.events).containsOnlyOnce(event);
        assertThat(pair.b.state()).isEqualTo(QpState.ERR);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 9})
    void lostPacketsOfAWriteAreSentAgain(int lost) {
        try (EnginePair pair = new EnginePair(rdma().mode(Mode.CUT))) {
            TestRegion source = pair.a.region(10_000).filled(3);
            TestRegion target = pair.b.shared(10_000);
            pair.network.loseNext(parcel -> parcel.psn == 100 + lost);
            pair.a.write(1, target.first(10_000), source.first(10_000));
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
            assertThat(EnginePair.sameBytes(source, target, 10_000)).isTrue();
        }
    }

    @Test
    void writeWhoseKeyIsTakenBackInTheMiddleIsAnAccessError() {
        try (EnginePair pair = new EnginePair(rdma().mode(Mode.CUT).budget(1))) {
            TestRegion target = pair.b.shared(4096);
            TestRegion source = pair.a.region(4096).filled(3);
            pair.a.write(1, target.first(4096), source.first(4096));
            pair.transmit();
            pair.network.deliverNext(pair.nowNs());
            pair.b.keys.revoke(target.key());
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 REM_ACCESS_ERR");
            assertThat(pair.b.events).containsExactly(EventType.QP_ACCESS_ERR);
            assertThat(target.bytes(0, 1024)).isEqualTo(source.bytes(0, 1024));
            assertThat(target.bytes(1024, 3072)).containsOnly(0);
        }
    }

    @Test
    void writeToClosedMemoryIsAnAccessError() {
        Arena arena = Arena.ofShared();
        try (EnginePair pair = new EnginePair(rdma())) {
            TestRegion target = pair.b.region(arena, 100, pair.b.protectionDomain, Endpoint.ALL_RIGHTS);
            arena.close();
            pair.a.write(1, target.first(10), pair.a.region(10).first(10));
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 REM_ACCESS_ERR");
        }
    }
}
