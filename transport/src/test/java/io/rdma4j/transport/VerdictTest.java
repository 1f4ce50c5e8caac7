// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.ScriptedNetwork.Mode;
import io.rdma4j.transport.memory.RegionKey;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.wire.NakCode;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Syndrome;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What becomes of a bad request on either side: NAK, receive completion, event and state at the responder, completion
 * at the requester.
 */
class VerdictTest {
    /** B refused the request at PSN {@code psn} for good. */
    private static void assertRefused(EnginePair pair, NakCode code, int psn, @Nullable EventType event) {
        pair.transmit();
        Parcel nak = pair.network.responses().getLast();
        assertThat(nak.syndrome).isEqualTo(Syndrome.nak(code));
        assertThat(nak.psn).isEqualTo(psn);
        assertThat(pair.b.state()).isEqualTo(QpState.ERR);
        if (event == null) {
            assertThat(pair.b.events).isEmpty();
        } else {
            assertThat(pair.b.events).containsExactly(event);
        }
    }

    // Requests made by hand, because the engine makes no such ones

    @ParameterizedTest
    @EnumSource(
            value = Opcode.class,
            names = {"RC_SEND_MIDDLE", "RC_SEND_LAST", "RC_SEND_LAST_IMMEDIATE"})
    @Covers("RXE-171")
    void packetThatContinuesNoMessageIsAnInvalidRequest(Opcode opcode) {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(2, 5000);
            pair.requestToB(opcode, 100, true, 1024);
            assertRefused(pair, NakCode.INVALID_REQUEST, 100, EventType.QP_REQ_ERR);
            assertThat(pair.b.receiveResults()).containsExactly("0 WR_FLUSH_ERR", "1 WR_FLUSH_ERR");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Opcode.class,
            names = {"RC_SEND_FIRST", "RC_SEND_ONLY", "RC_SEND_ONLY_IMMEDIATE"})
    void packetThatStartsAMessageInsideAnotherIsAnInvalidRequest(Opcode opcode) {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(2, 5000);
            pair.requestToB(Opcode.RC_SEND_FIRST, 100, false, 1024);
            pair.requestToB(opcode, 101, true, 1024);
            assertRefused(pair, NakCode.INVALID_REQUEST, 101, EventType.QP_REQ_ERR);
            assertThat(pair.b.receiveResults()).containsExactly("0 WR_FLUSH_ERR", "1 WR_FLUSH_ERR");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Opcode.class,
            names = {
                "RC_WRITE_FIRST",
                "RC_WRITE_ONLY",
                "RC_WRITE_ONLY_IMMEDIATE",
                "RC_READ_REQUEST",
                "RC_COMPARE_SWAP",
                "RC_FETCH_ADD",
                "RC_FLUSH",
                "RC_ATOMIC_WRITE"
            })
    @Covers({"EVT-9", "RXE-195"})
    void operationThatIsNotServedIsAnInvalidRequest(Opcode opcode) {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(1, 5000);
            pair.requestToB(opcode, 100, true, opcode.hasPayload() ? 8 : 0);
            assertRefused(pair, NakCode.INVALID_REQUEST, 100, EventType.QP_REQ_ERR);
            assertThat(pair.b.receiveResults()).containsExactly("0 WR_FLUSH_ERR");
        }
    }

    /** At 2^31 it is the region that is too short. */
    @ParameterizedTest
    @CsvSource({"RC_WRITE_ONLY, 1", "RC_WRITE_FIRST, 1024", "RC_READ_REQUEST, 0"})
    @Covers({"RXE-29", "RXE-174"})
    void messageLongerThanTwoToThe31IsAnInvalidRequest(Opcode opcode, int payloadBytes) {
        long limit = 1L << 31;
        for (long length : new long[] {limit + 1, (1L << 32) - 1}) {
            try (EnginePair pair = EnginePair.rdma()) {
                pair.requestToB(opcode, 100, pair.b.shared(4096).first(0), length, payloadBytes);
                assertRefused(pair, NakCode.INVALID_REQUEST, 100, EventType.QP_REQ_ERR);
            }
        }
        try (EnginePair pair = EnginePair.rdma()) {
            pair.requestToB(opcode, 100, pair.b.shared(4096).first(0), limit, payloadBytes);
            assertRefused(pair, NakCode.REMOTE_ACCESS_ERROR, 100, EventType.QP_ACCESS_ERR);
        }
    }

    @Test
    void otherOperationInTheMiddleOfASendIsAnInvalidRequest() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(1, 5000);
            pair.requestToB(Opcode.RC_SEND_FIRST, 100, false, 1024);
            pair.requestToB(Opcode.RC_WRITE_LAST, 101, true, 10);
            assertRefused(pair, NakCode.INVALID_REQUEST, 101, EventType.QP_REQ_ERR);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "RC_SEND_FIRST, 0",
        "RC_SEND_FIRST, 1023",
        "RC_SEND_FIRST, 1025",
        "RC_SEND_ONLY, 1025",
        "RC_SEND_ONLY_IMMEDIATE, 2048"
    })
    @Covers("RXE-174")
    void firstOrOnlyPacketOfAWrongLengthIsAnInvalidRequest(Opcode opcode, int payloadBytes) {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(1, 5000);
            pair.requestToB(opcode, 100, true, payloadBytes);
            assertRefused(pair, NakCode.INVALID_REQUEST, 100, EventType.QP_REQ_ERR);
            assertThat(pair.b.receiveResults()).containsExactly("0 WR_FLUSH_ERR");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "RC_SEND_MIDDLE, 0",
        "RC_SEND_MIDDLE, 1023",
        "RC_SEND_MIDDLE, 1025",
        "RC_SEND_LAST, 0",
        "RC_SEND_LAST, 1025",
        "RC_SEND_LAST_IMMEDIATE, 0"
    })
    @Covers("RXE-174")
    void middleOrLastPacketOfAWrongLengthIsAnInvalidRequest(Opcode opcode, int payloadBytes) {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(1, 5000);
            pair.requestToB(Opcode.RC_SEND_FIRST, 100, false, 1024);
            pair.requestToB(opcode, 101, true, payloadBytes);
            assertRefused(pair, NakCode.INVALID_REQUEST, 101, EventType.QP_REQ_ERR);
        }
    }

    @Test
    void trainCutForAnotherPathMtuIsAnInvalidRequest() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(1, 5000);
            pair.a.modify(QpAttributes.builder().pathMtu(Mtu.MTU_512));
            pair.postSends(1, 2048);
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("0 REM_INV_REQ_ERR");
            assertThat(pair.b.state()).isEqualTo(QpState.ERR);
        }
    }

    // Faults of the receiver's own

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Covers({"CQ-29", "CQ-37", "RXE-192"})
    void messageLongerThanItsReceiveEndsBothSides(Mode mode) {
        try (EnginePair pair = new EnginePair(new PairSettings().mode(mode))) {
            pair.postReceives(2, 2999);
            pair.postSends(2, 3000);
            pair.transmit();
            pair.deliver();
            // A train is refused as a whole, single packets at the one that no longer fits.
            assertRefused(pair, NakCode.INVALID_REQUEST, mode == Mode.WHOLE ? 100 : 102, null);
            assertThat(pair.b.receiveResults()).containsExactly("0 LOC_LEN_ERR", "1 WR_FLUSH_ERR");
            pair.deliver();
            assertThat(pair.a.sendResults()).containsExactly("0 REM_INV_REQ_ERR", "1 WR_FLUSH_ERR");
            assertThat(pair.a.state()).isEqualTo(QpState.ERR);
        }
    }

    @Test
    void receiveOfTheVeryLengthIsEnough() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(1, 3000);
            pair.postSends(1, 3000);
            pair.settle();
            assertThat(pair.b.receiveResults()).containsExactly("0 SUCCESS");
        }
    }

    private static void assertReceiveFails(EnginePair pair, TestRegion.Piece piece, WcStatus status) {
        pair.b.receive(5, piece);
        pair.b.receive(6);
        pair.postSends(2, 10);
        pair.transmit();
        pair.deliver();
        assertRefused(pair, NakCode.REMOTE_OPERATIONAL_ERROR, 100, null);
        assertThat(pair.b.receiveResults()).containsExactly("5 " + status, "6 WR_FLUSH_ERR");
        pair.deliver();
        assertThat(pair.a.sendResults()).containsExactly("0 REM_OP_ERR", "1 WR_FLUSH_ERR");
    }

    @Test
    @Covers({"CQ-32", "CQ-39", "MR-34", "RXE-208"})
    void receiveWithAnUnknownKeyFails() {
        try (EnginePair pair = EnginePair.connected()) {
            TestRegion region = pair.b.region(100);
            assertReceiveFails(
                    pair, new TestRegion.Piece(region.lkey() + 1, region.address(), 100), WcStatus.LOC_PROT_ERR);
        }
    }

    @Test
    @Covers("MR-34")
    void receiveIntoAnotherProtectionDomainFails() {
        try (EnginePair pair = EnginePair.connected()) {
            TestRegion region = pair.b.region(100, new Object(), AccessFlag.LOCAL_WRITE.bit());
            assertReceiveFails(pair, region.first(100), WcStatus.LOC_PROT_ERR);
        }
    }

    @Test
    @Covers({"MR-15", "MR-34"})
    void receiveIntoMemoryWithoutTheRightToWriteFails() {
        try (EnginePair pair = EnginePair.connected()) {
            TestRegion region = pair.b.region(100, pair.b.protectionDomain, 0);
            assertReceiveFails(pair, region.first(100), WcStatus.LOC_PROT_ERR);
            assertThat(region.bytes(0, 100)).containsOnly(0);
        }
    }

    @Test
    void receiveIntoDeregisteredMemoryFails() {
        try (EnginePair pair = EnginePair.connected()) {
            TestRegion region = pair.b.region(100);
            pair.b.keys.revoke(region.key());
            assertReceiveFails(pair, region.first(100), WcStatus.LOC_PROT_ERR);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 1, 91, 100, 1L << 62, Long.MAX_VALUE, Long.MIN_VALUE, Long.MIN_VALUE + 5, -10})
    @Covers("MR-35")
    void receiveBeyondItsRegionFailsAlsoByOverflow(long offset) {
        try (EnginePair pair = EnginePair.connected()) {
            TestRegion region = pair.b.region(100);
            assertReceiveFails(
                    pair, new TestRegion.Piece(region.lkey(), region.address() + offset, 100), WcStatus.LOC_PROT_ERR);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -50, Long.MAX_VALUE, Long.MAX_VALUE - 50, Long.MIN_VALUE})
    @Covers("MR-35")
    void receiveBeyondAnAddressFailsWhereAddressesWrap(long address) {
        try (EnginePair pair = EnginePair.connected()) {
            TestRegion memory = pair.b.region(100);
            RegionKey key = pair.b.keys.register(
                    pair.b.protectionDomain, memory.memory(), address - 60, AccessFlag.LOCAL_WRITE.bit());
            assertReceiveFails(pair, new TestRegion.Piece(key.key(), address, 41), WcStatus.LOC_PROT_ERR);
        }
    }

    @Test
    @Covers({"MR-35", "MR-36"})
    void addressesOfARegionMayRunOverTheSignBit() {
        try (EnginePair pair = EnginePair.connected()) {
            TestRegion memory = pair.b.region(100);
            RegionKey key = pair.b.keys.register(
                    pair.b.protectionDomain, memory.memory(), Long.MAX_VALUE - 59, AccessFlag.LOCAL_WRITE.bit());
            pair.b.receive(1, new TestRegion.Piece(key.key(), Long.MIN_VALUE, 40));
            TestRegion source = pair.postSends(1, 40);
            pair.settle();
            assertThat(pair.b.receiveResults()).containsExactly("1 SUCCESS");
            assertThat(memory.bytes(60, 40)).isEqualTo(source.bytes(0, 40));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 33, Integer.MAX_VALUE, Integer.MIN_VALUE})
    @Covers({"RXE-56", "RXE-200"})
    void receiveWithAnImpossibleNumberOfPiecesFails(int numSge) {
        try (EnginePair pair = EnginePair.connected()) {
            pair.b.receive(5, pair.b.region(100).first(100));
            pair.b.receive(6);
            RingForgery.receiveSges(pair.b.receiveQueue, 0, numSge);
            pair.postSends(1, 10);
            pair.transmit();
            pair.deliver();
            assertRefused(pair, NakCode.REMOTE_OPERATIONAL_ERROR, 100, null);
            assertThat(pair.b.receiveResults()).containsExactly("5 LOC_QP_OP_ERR", "6 WR_FLUSH_ERR");
        }
    }

    @Test
    @Covers("RXE-56")
    void receiveThatClaimsMoreRoomThanItsPiecesHaveFails() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.b.receive(5, pair.b.region(100).first(100));
            RingForgery.receiveLength(pair.b.receiveQueue, 0, -1);
            pair.postSends(1, 101);
            pair.transmit();
            pair.deliver();
            assertRefused(pair, NakCode.REMOTE_OPERATIONAL_ERROR, 100, null);
            assertThat(pair.b.receiveResults()).containsExactly("5 LOC_PROT_ERR");
        }
    }

    // What the requester makes of a refusal

    @ParameterizedTest
    @CsvSource({
        "INVALID_REQUEST, REM_INV_REQ_ERR",
        "REMOTE_ACCESS_ERROR, REM_ACCESS_ERR",
        "REMOTE_OPERATIONAL_ERROR, REM_OP_ERR",
        "INVALID_RD_REQUEST, REM_INV_REQ_ERR"
    })
    @Covers({"CQ-37", "CQ-38", "CQ-39", "RXE-226", "RXE-231", "QP-32", "RXE-215"})
    void refusedRequestEndsWithItsStatusAfterThoseBeforeIt(NakCode code, WcStatus status) {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postSends(3, 10);
            pair.transmit();
            pair.network.dropAll();
            pair.responseToA(Syndrome.nak(code), 101);
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS", "1 " + status, "2 WR_FLUSH_ERR");
            assertThat(pair.a.state()).isEqualTo(QpState.ERR);
        }
    }

    @Test
    @Covers("RXE-204")
    void refusalIsSentEvenIfABufferForItComesLate() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.b.outOfBuffers = true;
            pair.requestToB(Opcode.RC_SEND_LAST, 100, true, 10);
            pair.transmit();
            assertThat(pair.network.sent()).isEmpty();
            pair.b.outOfBuffers = false;
            assertRefused(pair, NakCode.INVALID_REQUEST, 100, EventType.QP_REQ_ERR);
        }
    }

    @Test
    void refusalIsNotReplacedByDuplicatesThatFollow() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(2, 10);
            pair.requestToB(Opcode.RC_SEND_ONLY, 100, true, 10);
            pair.requestToB(Opcode.RC_SEND_LAST, 101, true, 10);
            pair.requestToB(Opcode.RC_SEND_ONLY, 100, true, 10);
            pair.requestToB(Opcode.RC_SEND_ONLY, 101, true, 10);
            assertRefused(pair, NakCode.INVALID_REQUEST, 101, EventType.QP_REQ_ERR);
            assertThat(pair.network.responses()).hasSize(1);
        }
    }
}
