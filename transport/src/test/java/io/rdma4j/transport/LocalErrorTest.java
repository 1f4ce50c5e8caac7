// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.ScriptedNetwork.Mode;
import io.rdma4j.transport.memory.RegionKey;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.SendFlag;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Send requests that the requester cannot carry out, whether by mistake or because somebody wrote into the ring. */
class LocalErrorTest {
    /** Request 1 is good, request 2 is {@code bad}, request 3 is good again. */
    private static void assertOnlyTheSecondFails(EnginePair pair, TestRegion.Piece bad) {
        pair.postReceives(5, 5000);
        TestRegion good = pair.a.region(3000);
        pair.a.send(1, good.first(3000));
        pair.a.send(2, bad);
        pair.a.send(3, good.first(10));
        pair.transmit();
        assertThat(pair.a.sendResults())
                .as("nothing fails before request 1 is done")
                .isEmpty();
        assertThat(pair.a.state()).isEqualTo(QpState.RTS);
        pair.settle();
        assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS", "2 LOC_PROT_ERR", "3 WR_FLUSH_ERR");
        assertThat(pair.a.state()).isEqualTo(QpState.ERR);
        assertThat(pair.b.receiveResults()).containsExactly("0 SUCCESS");
        assertThat(pair.b.state()).isEqualTo(QpState.RTS);
    }

    @Test
    @Covers({"CQ-32", "MR-34", "RXE-112", "RXE-208", "RXE-236"})
    void unknownKeyFailsAfterEarlierRequestsHaveCompleted() {
        try (EnginePair pair = EnginePair.connected()) {
            assertOnlyTheSecondFails(pair, new TestRegion.Piece(0x12345, 0, 10));
        }
    }

    @Test
    @Covers("MR-34")
    void keyOfAnotherProtectionDomainFails() {
        try (EnginePair pair = EnginePair.connected()) {
            assertOnlyTheSecondFails(pair, pair.a.region(100, new Object(), 0).first(100));
        }
    }

    /** The device looks for it there when it begins: it may lie in memory that is shared with the client. */
    @Test
    void aConsumerIndexThatSomebodyWroteIntoTheRingStaysInIt() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.a.sendQueue.ring().publishConsumer(-1);
            // There it finds requests that nobody posted.
            assertThatCode(pair::settle).doesNotThrowAnyException();
            assertThat(pair.network.sent()).isNotEmpty();
        }
    }

    @Test
    void keyOfDeregisteredMemoryFails() {
        try (EnginePair pair = EnginePair.connected()) {
            TestRegion region = pair.a.region(100);
            pair.a.keys.revoke(region.key());
            assertOnlyTheSecondFails(pair, region.first(100));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 1, 100, Long.MAX_VALUE, Long.MIN_VALUE, -100})
    @Covers("MR-35")
    void rangeBeyondTheRegionFailsAlsoByOverflow(long offset) {
        try (EnginePair pair = EnginePair.connected()) {
            TestRegion region = pair.a.region(100);
            assertOnlyTheSecondFails(pair, new TestRegion.Piece(region.lkey(), region.address() + offset, 100));
        }
    }

    @Test
    @Covers("MR-15")
    void sendingNeedsNoRightToWrite() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postReceives(1, 100);
            pair.a.send(1, pair.a.region(100, pair.a.protectionDomain, 0).first(100));
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void badPieceLateInAMessageFailsTheMessage(Mode mode) {
        try (EnginePair pair = new EnginePair(new PairSettings().mode(mode).budget(1))) {
            pair.postReceives(1, 5000);
            TestRegion good = pair.a.region(3000);
            pair.a.send(1, good.first(3000), new TestRegion.Piece(0xBAD, 0, 100));
            pair.a.send(2);
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 LOC_PROT_ERR", "2 WR_FLUSH_ERR");
            assertThat(pair.b.receiveResults()).isEmpty();
        }
    }

    @Test
    void failedGatherStartsFromTheFirstPieceWhenTriedAgain() {
        try (EnginePair pair = EnginePair.connected()) {
            TestRegion target = pair.postReceives(2, 100);
            TestRegion early = pair.a.region(100).filled(8);
            MemorySegment late = early.memory().asSlice(50, 40);
            RegionKey later = pair.a.keys.allocateFast(pair.a.protectionDomain);
            int nextKey = later.key();
            pair.a.send(1);
            pair.a.send(2, early.first(30), new TestRegion.Piece(nextKey, late.address(), 40));
            pair.transmit();
            later.map(List.of(late));
            later.open(late.address(), nextKey, 0);
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS");
            assertThat(target.bytes(100, 30)).isEqualTo(early.bytes(0, 30));
            assertThat(target.bytes(130, 40)).isEqualTo(early.bytes(50, 40));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 33, Integer.MAX_VALUE, Integer.MIN_VALUE})
    @Covers("RXE-56")
    void impossibleNumberOfPiecesIsAnOperationError(int numSge) {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postSends(2, 10);
            RingForgery.sendSges(pair.a.sendQueue, 0, numSge);
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("0 LOC_QP_OP_ERR", "1 WR_FLUSH_ERR");
            assertThat(pair.network.sent()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 10, 12, 13, 16, 31, 33, 255, Integer.MIN_VALUE, Integer.MAX_VALUE})
    @Covers("RXE-56")
    void unknownOrUnsupportedOpcodeIsAnOperationError(int opcode) {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postSends(1, 10);
            RingForgery.sendOpcode(pair.a.sendQueue, 0, opcode);
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("0 LOC_QP_OP_ERR");
        }
    }

    /** It would be gathered from behind its slot. */
    @Test
    @Covers("RXE-56")
    void requestThatBecomesInlineAfterItWasBegunIsAnOperationError() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.a.outOfBuffers = true;
            pair.postSends(1, 10_000);
            pair.transmit();
            RingForgery.sendFlags(pair.a.sendQueue, 0, SendFlag.INLINE.bit());
            RingForgery.sendLength(pair.a.sendQueue, 0, 10);
            pair.a.outOfBuffers = false;
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("0 LOC_QP_OP_ERR");
            assertThat(pair.network.sent()).isEmpty();
        }
    }

    @Test
    @Covers("RXE-56")
    void inlineDataLongerThanItsSlotIsAnOperationError() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postSends(1, 10);
            RingForgery.sendFlags(pair.a.sendQueue, 0, SendFlag.INLINE.bit());
            RingForgery.sendLength(pair.a.sendQueue, 0, pair.a.sendQueue.maxInlineData() + 1);
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("0 LOC_QP_OP_ERR");
        }
    }

    @Test
    @Covers("CQ-29")
    void messageAboveTheLimitIsALengthError() {
        try (EnginePair pair =
                new EnginePair(new PairSettings().options(TransportOptions.DEFAULT.withMaxMessageBytes(1000)))) {
            pair.postReceives(2, 2000);
            pair.a.send(1, pair.a.region(1000).first(1000));
            pair.a.send(2, pair.a.region(1001).first(1001));
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS", "2 LOC_LEN_ERR");
        }
        try (EnginePair pair = EnginePair.connected()) {
            pair.postSends(1, 10);
            RingForgery.sendLength(pair.a.sendQueue, 0, Integer.MIN_VALUE + 1);
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("0 LOC_LEN_ERR");
        }
    }

    @Test
    @Covers("RXE-56")
    void lengthBeyondThePiecesIsAProtectionError() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.postSends(1, 10);
            RingForgery.sendLength(pair.a.sendQueue, 0, 11);
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("0 LOC_PROT_ERR");
        }
    }

    @Test
    @Covers("RXE-56")
    void requestThatIsForgedWhileItIsUnderWayFailsWhenItIsSentAgain() {
        try (EnginePair pair = EnginePair.connected()) {
            pair.network.lose(parcel -> true);
            pair.postSends(2, 5000);
            pair.transmit();
            RingForgery.sendSges(pair.a.sendQueue, 0, Integer.MAX_VALUE);
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("0 LOC_QP_OP_ERR", "1 WR_FLUSH_ERR");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 128, Integer.MAX_VALUE, Integer.MIN_VALUE})
    @Covers("RXE-56")
    void forgedProducerIndexesNeitherThrowNorLoopForEver(int index) {
        try (EnginePair pair = EnginePair.connected()) {
            pair.a.sendQueue.ring().publishProducer(index);
            pair.a.receiveQueue.ring().publishProducer(index);
            pair.settle();
            pair.a.modify(QpState.ERR);
            pair.settle();
            pair.a.sendQueue.ring().publishProducer(index + 5);
            pair.a.receiveQueue.ring().publishProducer(index + 5);
            pair.a.modify(QpState.RESET);
            pair.connect();
            pair.a.send(7);
            pair.settle();
            assertThat(pair.a.sendQueue.ring().acquireConsumer()).isBetween(0, 127);
        }
    }
}
