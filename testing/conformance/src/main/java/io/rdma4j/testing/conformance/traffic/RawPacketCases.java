// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.traffic;

import static io.rdma4j.testing.conformance.harness.Refusals.assertBadRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.conformance.harness.Bytes;
import io.rdma4j.testing.conformance.harness.Capability;
import io.rdma4j.testing.conformance.harness.ConformanceCases;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.values.QpAttribute;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.Sge;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import io.rdma4j.verbs.wr.WrOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Cases for raw queue pairs over Ethernet: the RAW cases of {@code test_qp.QPTest} of rdma-core, and rules for frames
 * and requests. All frames are broadcast, so the cases need no addresses of the ports.
 */
public abstract class RawPacketCases extends ConformanceCases {
    private static final int HEADER_BYTES = 14;
    private static final int FRAME_BYTES = 200;
    private static final int ROOM = 2048;
    private static final int OTHER_TYPE = 0x88B6;
    private static final long BROADCAST = 0xFFFF_FFFF_FFFFL;
    private static final long SOURCE = 0x0200_0000_00FEL;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    protected RawPacketCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    @BeforeEach
    void needFrames() {
        require(Capability.RAW_FRAMES);
    }

    private Endpoint raw(QpType type, QpState state) {
        Endpoint endpoint = endpoint(target().first(), EndpointSetup.DEFAULT.type(type));
        endpoint.bringTo(state, endpoint);
        return endpoint;
    }

    private Endpoint peer(QpType type, QpState state) {
        Endpoint endpoint = endpoint(target().second(), EndpointSetup.DEFAULT.type(type));
        endpoint.bringTo(state, endpoint);
        return endpoint;
    }

    /**
     * Writes a broadcast frame at {@code offset} of an endpoint's memory, with the payload of message {@code number}.
     */
    private static MemorySegment frame(Endpoint of, long offset, int bytes, int etherType, int number) {
        MemorySegment frame = of.memory.asSlice(offset, bytes);
        putAddress(frame, 0, BROADCAST);
        putAddress(frame, 6, SOURCE);
        frame.set(SHORT, 12, (short) etherType);
        Bytes.fill(frame.asSlice(HEADER_BYTES), number);
        return frame;
    }

    private static void putAddress(MemorySegment frame, long offset, long mac) {
        frame.set(SHORT, offset, (short) (mac >>> 32));
        frame.set(INT, offset + 2, (int) mac);
    }

    private static void assertReceived(Endpoint by, MemorySegment frame, int etherType) {
        WorkCompletion completion = by.awaitReceive();
        assertThat(completion.opcode()).isEqualTo(WcOpcode.RECV);
        assertThat(completion.byteLength()).isEqualTo((int) frame.byteSize());
        assertThat(completion.flags()).isEmpty();
        MemorySegment got = by.memory.asSlice(0, frame.byteSize());
        assertThat(got.mismatch(frame)).as("first byte that differs").isEqualTo(-1);
        assertThat(got.get(SHORT, 12)).isEqualTo((short) etherType);
    }

    /** {@code test_create_raw_qp_no_attr}, {@code test_create_raw_qp_with_attr}, {@code test_query_raw_qp}. */
    @ParameterizedTest
    @EnumSource(names = {"RAW_PACKET", "RAW_ETHERTYPE"})
    @Covers({"QP-14", "QP-15"})
    void aRawQueuePairNeedsAPortAndNothingElse(QpType type) {
        Endpoint a = endpoint(target().first(), EndpointSetup.DEFAULT.type(type));
        assertThat(a.qp.state()).isEqualTo(QpState.RESET);
        a.qp.modify(
                QpAttributes.builder().state(QpState.INIT).port(target().port()).build());
        a.qp.modify(Endpoint.only(QpState.RTR));
        a.qp.modify(Endpoint.only(QpState.RTS));
        QpAttributes attributes = a.qp.query();
        assertThat(attributes.state()).isEqualTo(QpState.RTS);
        assertThat(attributes.has(QpAttribute.PORT)).isTrue();
        assertThat(attributes.port()).isEqualTo(target().port());
        a.qp.modify(Endpoint.only(QpState.RESET));
        assertThat(a.qp.query().state()).isEqualTo(QpState.RESET);
    }

    /** {@code test_create_raw_qp_ex_no_attr}, {@code test_create_raw_qp_ex_with_attr}. */
    @Test
    void aRawQueuePairMaySayWhatItWillPost() {
        Endpoint a = endpoint(target().first(), EndpointSetup.DEFAULT);
        QueuePair qp = closing(a.pd.createQp(QpInitAttributes.builder(a.sendCq)
                .type(QpType.RAW_PACKET)
                .sendOperations(WrOpcode.SEND)
                .build()));
        assertThat(qp.state()).isEqualTo(QpState.RESET);
        qp.modify(
                QpAttributes.builder().state(QpState.INIT).port(target().port()).build());
        qp.modify(Endpoint.only(QpState.RTR));
        qp.modify(Endpoint.only(QpState.RTS));
        assertThat(qp.query().state()).isEqualTo(QpState.RTS);
    }

    @Test
    @Covers("QP-15")
    void aFrameArrivesAsItWasSent() {
        Endpoint a = raw(QpType.RAW_PACKET, QpState.RTS);
        Endpoint b = peer(QpType.RAW_PACKET, QpState.RTR);
        for (int bytes : new int[] {HEADER_BYTES, 60, 1000, 1514}) {
            MemorySegment frame = frame(a, 0, bytes, OTHER_TYPE, bytes);
            b.postReceive(1, 0, ROOM);
            a.postSend(2, 0, bytes);
            assertThat(a.awaitSend().opcode()).isEqualTo(WcOpcode.SEND);
            assertReceived(b, frame, OTHER_TYPE);
        }
    }

    @Test
    @Covers("QP-14")
    void anEtherTypeQueuePairHasFramesOfItsTypeOnly() {
        Endpoint a = raw(QpType.RAW_PACKET, QpState.RTS);
        Endpoint b = peer(QpType.RAW_ETHERTYPE, QpState.RTS);
        b.postReceive(1, 0, ROOM);
        frame(a, 0, FRAME_BYTES, OTHER_TYPE, 1);
        MemorySegment wanted = frame(a, ROOM, FRAME_BYTES, Endpoint.ETHER_TYPE, 2);
        a.postSend(1, 0, FRAME_BYTES);
        a.postSend(2, ROOM, FRAME_BYTES);
        a.awaitSends(2);
        assertReceived(b, wanted, Endpoint.ETHER_TYPE);
    }

    @Test
    @Covers("QP-14")
    void anEtherTypeQueuePairSendsFramesOfItsTypeOnly() {
        Endpoint a = raw(QpType.RAW_ETHERTYPE, QpState.RTS);
        Endpoint b = peer(QpType.RAW_PACKET, QpState.RTS);
        b.postReceive(1, 0, ROOM);
        MemorySegment good = frame(a, 0, FRAME_BYTES, Endpoint.ETHER_TYPE, 1);
        a.postSend(1, 0, FRAME_BYTES);
        a.awaitSend();
        assertReceived(b, good, Endpoint.ETHER_TYPE);
        frame(a, 0, FRAME_BYTES, OTHER_TYPE, 1);
        assertSendFails(a, 0, FRAME_BYTES, WcStatus.LOC_QP_OP_ERR);
    }

    @Test
    @Covers("QP-15")
    void everyQueuePairThatWantsAFrameGetsIt() {
        Endpoint a = raw(QpType.RAW_PACKET, QpState.RTS);
        Endpoint b = peer(QpType.RAW_PACKET, QpState.RTR);
        Endpoint c = peer(QpType.RAW_ETHERTYPE, QpState.RTR);
        MemorySegment frame = frame(a, 0, FRAME_BYTES, Endpoint.ETHER_TYPE, 1);
        b.postReceive(1, 0, ROOM);
        c.postReceive(1, 0, ROOM);
        a.postSend(1, 0, FRAME_BYTES);
        assertReceived(b, frame, Endpoint.ETHER_TYPE);
        assertReceived(c, frame, Endpoint.ETHER_TYPE);
    }

    @Test
    void aFrameIsGatheredFromPiecesAndScatteredIntoPieces() {
        Endpoint a = raw(QpType.RAW_PACKET, QpState.RTS);
        Endpoint b = peer(QpType.RAW_PACKET, QpState.RTR);
        MemorySegment frame = frame(a, 0, FRAME_BYTES, OTHER_TYPE, 3);
        b.qp.startReceive()
                .receive(1)
                .sge(b.mr.lkey(), b.memory.address() + 500, 20)
                .sge(b.mr.lkey(), b.memory.address(), 300)
                .complete();
        a.qp.startSend()
                .wrId(1)
                .signaled()
                .send()
                .sge(a.mr.lkey(), a.memory.address(), 3)
                .sge(a.mr.lkey(), a.memory.address() + 3, 0)
                .sge(a.mr.lkey(), a.memory.address() + 3, FRAME_BYTES - 3)
                .complete();
        assertThat(b.awaitReceive().byteLength()).isEqualTo(FRAME_BYTES);
        assertThat(b.memory.asSlice(500, 20).mismatch(frame.asSlice(0, 20))).isEqualTo(-1);
        assertThat(b.memory.asSlice(0, FRAME_BYTES - 20).mismatch(frame.asSlice(20)))
                .isEqualTo(-1);
        Bytes.assertUntouched(b.memory.asSlice(FRAME_BYTES - 20, 300 - FRAME_BYTES + 20));
    }

    @Test
    void aSmallFrameMayBeInline() {
        Endpoint a = raw(QpType.RAW_PACKET, QpState.RTS);
        Endpoint b = peer(QpType.RAW_PACKET, QpState.RTR);
        MemorySegment frame = frame(a, 0, 60, OTHER_TYPE, 4);
        b.postReceive(1, 0, ROOM);
        a.qp.startSend().signaled().send().inline(frame).complete();
        a.awaitSend();
        assertReceived(b, frame, OTHER_TYPE);
    }

    @Test
    void aFrameWithoutAReceiveRequestIsLostAndTheNextOneIsNot() {
        Endpoint a = raw(QpType.RAW_PACKET, QpState.RTS);
        Endpoint b = peer(QpType.RAW_PACKET, QpState.RTR);
        Endpoint observer = peer(QpType.RAW_PACKET, QpState.RTR);
        observer.postReceive(1, 0, ROOM);
        frame(a, 0, FRAME_BYTES, OTHER_TYPE, 5);
        a.postSend(1, 0, FRAME_BYTES);
        observer.awaitReceive();
        b.postReceive(2, 0, ROOM);
        MemorySegment second = frame(a, ROOM, FRAME_BYTES, OTHER_TYPE, 6);
        a.postSend(2, ROOM, FRAME_BYTES);
        assertReceived(b, second, OTHER_TYPE);
    }

    @Test
    void aReceiveRequestThatIsTooShortFailsAndBreaksTheQueuePair() {
        Endpoint a = raw(QpType.RAW_PACKET, QpState.RTS);
        Endpoint b = peer(QpType.RAW_PACKET, QpState.RTR);
        b.postReceive(1, 0, FRAME_BYTES - 1);
        b.postReceive(2, 0, ROOM);
        frame(a, 0, FRAME_BYTES, OTHER_TYPE, 7);
        a.postSend(1, 0, FRAME_BYTES);
        assertThat(b.awaitReceives(2))
                .extracting(WorkCompletion::wrId, WorkCompletion::status)
                .containsExactly(tuple(1L, WcStatus.LOC_LEN_ERR), tuple(2L, WcStatus.WR_FLUSH_ERR));
        assertThat(b.qp.state()).isEqualTo(QpState.ERR);
        Bytes.assertUntouched(b.memory.asSlice(0, FRAME_BYTES));
    }

    @Test
    void aReceiveRequestIntoForeignMemoryFailsAndBreaksTheQueuePair() {
        Endpoint a = raw(QpType.RAW_PACKET, QpState.RTS);
        Endpoint b = peer(QpType.RAW_PACKET, QpState.RTR);
        MemoryRegion readOnly = closing(b.pd.registerMemory(b.memory, Set.of()));
        b.qp.startReceive()
                .receive(1)
                .sge(readOnly.lkey(), b.memory.address(), ROOM)
                .complete();
        frame(a, 0, FRAME_BYTES, OTHER_TYPE, 8);
        a.postSend(1, 0, FRAME_BYTES);
        assertThat(b.awaitReceives(1).getFirst().status()).isEqualTo(WcStatus.LOC_PROT_ERR);
        assertThat(b.qp.state()).isEqualTo(QpState.ERR);
        Bytes.assertUntouched(b.memory.asSlice(0, ROOM));
        b.qp.close();
    }

    @Test
    void aSendThatCannotBeCarriedOutEndsSendingOnly() {
        Endpoint a = raw(QpType.RAW_PACKET, QpState.RTS);
        assertSendFails(a, a.mr.lkey() ^ 0x100, FRAME_BYTES, WcStatus.LOC_PROT_ERR);
        Endpoint b = peer(QpType.RAW_PACKET, QpState.RTS);
        a.postReceive(3, 0, ROOM);
        MemorySegment frame = frame(b, 0, FRAME_BYTES, OTHER_TYPE, 9);
        b.postSend(1, 0, FRAME_BYTES);
        assertReceived(a, frame, OTHER_TYPE);
    }

    @Test
    void aFrameLongerThanTheLinkCarriesOrShorterThanItsHeaderIsRefused() {
        assertSendFails(raw(QpType.RAW_PACKET, QpState.RTS), 0, 1 << 14, WcStatus.LOC_LEN_ERR);
        assertSendFails(raw(QpType.RAW_PACKET, QpState.RTS), 0, HEADER_BYTES - 1, WcStatus.LOC_QP_OP_ERR);
    }

    /** @param lkey 0 for the endpoint's own */
    private static void assertSendFails(Endpoint a, int lkey, int bytes, WcStatus expected) {
        int key = lkey == 0 ? a.mr.lkey() : lkey;
        a.qp.postSend(List.of(
                SendRequest.send()
                        .wrId(1)
                        .sge(new Sge(a.memory.address(), bytes, key))
                        .build(),
                SendRequest.send().wrId(2).build()));
        List<WorkCompletion> completions = a.awaitSends(2);
        assertThat(completions).extracting(WorkCompletion::wrId).containsExactly(1L, 2L);
        assertThat(completions).extracting(WorkCompletion::status).containsExactly(expected, WcStatus.WR_FLUSH_ERR);
        assertThat(a.qp.state()).isEqualTo(QpState.SQE);
    }

    @Test
    void anErrorFlushesBothQueues() {
        Endpoint a = raw(QpType.RAW_PACKET, QpState.RTS);
        a.postReceive(1, 0, ROOM);
        a.qp.modify(Endpoint.only(QpState.ERR));
        a.postReceive(2, 0, ROOM);
        a.postSend(3, 0, FRAME_BYTES);
        assertThat(a.awaitReceives(2)).extracting(WorkCompletion::status).containsOnly(WcStatus.WR_FLUSH_ERR);
        assertThat(a.awaitSends(1)).extracting(WorkCompletion::status).containsOnly(WcStatus.WR_FLUSH_ERR);
    }

    @Test
    void framesAreReceivedFromReadyToReceiveOnAndSentFromReadyToSendOn() {
        Endpoint a = raw(QpType.RAW_PACKET, QpState.RTS);
        Endpoint b = peer(QpType.RAW_PACKET, QpState.INIT);
        Endpoint observer = peer(QpType.RAW_PACKET, QpState.RTR);
        observer.postReceive(1, 0, ROOM);
        b.postReceive(1, 0, ROOM);
        MemorySegment frame = frame(a, 0, FRAME_BYTES, OTHER_TYPE, 10);
        a.postSend(1, 0, FRAME_BYTES);
        observer.awaitReceive();
        assertThat(b.receiveCq.poll(1)).isEmpty();
        b.qp.modify(Endpoint.only(QpState.RTR));
        assertBadRequest(Errno.EINVAL, 0, () -> b.qp.postSend(SendRequest.send().build()));
        a.postSend(2, 0, FRAME_BYTES);
        assertReceived(b, frame, OTHER_TYPE);
    }

    @Test
    void manyFramesArriveInOrderAndEachSendCompletesOnce() {
        Endpoint a = raw(QpType.RAW_PACKET, QpState.RTS);
        Endpoint b = peer(QpType.RAW_PACKET, QpState.RTR);
        MemorySegment frame = frame(a, 0, FRAME_BYTES, OTHER_TYPE, 11);
        for (int i = 0; i < 1000; i++) {
            b.postReceive(i, 0, ROOM);
            frame.set(INT, HEADER_BYTES, i);
            a.postSend(i, 0, FRAME_BYTES);
            assertThat(a.awaitSend().wrId()).isEqualTo(i);
            assertThat(b.awaitReceive().wrId()).isEqualTo(i);
            assertThat(b.memory.get(INT, HEADER_BYTES)).isEqualTo(i);
        }
    }
}
