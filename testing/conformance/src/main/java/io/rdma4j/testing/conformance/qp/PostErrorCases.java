// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.qp;

import static io.rdma4j.testing.conformance.harness.Refusals.assertBadRequest;
import static io.rdma4j.testing.conformance.harness.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.conformance.harness.ConformanceCases;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.QpPair;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.ReceiveBatch;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.Sge;
import io.rdma4j.verbs.wr.WorkCompletion;
import io.rdma4j.verbs.wr.WrOpcode;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Cases for requests that posting rejects: the bad flows of {@code test_qpex.QpExTestCase} of rdma-core, with both
 * APIs.
 */
public abstract class PostErrorCases extends ConformanceCases {
    protected PostErrorCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    private static SendRequest send(Endpoint from, long wrId) {
        return SendRequest.send().wrId(wrId).signaled().sge(from.mr.sge(0, 8)).build();
    }

    private static ReceiveRequest receive(Endpoint at, long wrId) {
        return ReceiveRequest.of(wrId, at.mr.sge(0, 8));
    }

    /** Returns an endpoint in {@code state}. */
    private Endpoint in(QpState state) {
        Endpoint endpoint = endpoint(target().first(), EndpointSetup.DEFAULT);
        endpoint.bringTo(state, endpoint(target().second(), EndpointSetup.DEFAULT));
        return endpoint;
    }

    /** {@code test_post_receive_qp_state_bad_flow}. */
    @Test
    @Covers({"QP-23", "RXE-80"})
    void nothingIsReceivedInReset() {
        Endpoint a = in(QpState.RESET);
        assertBadRequest(Errno.EINVAL, 0, () -> a.qp.postReceive(receive(a, 1)), QpState.RESET, QpState.INIT);
        assertRefused(Errno.EINVAL, () -> a.postReceive(1, 0, 8), QpState.RESET, QpState.INIT);
    }

    /** {@code test_post_send_qp_state_bad_flow}. */
    @ParameterizedTest
    @EnumSource(
            value = QpState.class,
            names = {"RESET", "INIT", "RTR"})
    @Covers({"QP-23", "RXE-89"})
    void nothingIsSentBeforeTheQueuePairIsReadyToSend(QpState state) {
        Endpoint a = in(state);
        assertBadRequest(Errno.EINVAL, 0, () -> a.qp.postSend(send(a, 1)), state, QpState.RTS);
        assertRefused(Errno.EINVAL, () -> a.postSend(1, 0, 8), state, QpState.RTS);
    }

    @ParameterizedTest
    @EnumSource(
            value = QpState.class,
            names = {"INIT", "RTR", "RTS", "SQD", "ERR"})
    void receivesArePostedInEveryOtherState(QpState state) {
        Endpoint a = in(state);
        a.qp.postReceive(receive(a, 1));
        a.postReceive(2, 0, 8);
    }

    /** {@code test_full_rq_bad_flow}; a batch is posted completely or not at all, a list up to the first error. */
    @Test
    @Covers({"WR-1", "GEN-11", "RXE-81"})
    void aFullReceiveQueueRefusesTheFirstThatDoesNotFit() {
        Endpoint a = in(QpState.INIT);
        int capacity = a.qp.initAttributes().capabilities().maxReceiveWr();
        List<ReceiveRequest> all = Collections.nCopies(capacity + 1, receive(a, 1));
        ReceiveBatch tooMany = a.qp.startReceive();
        all.forEach(_ -> tooMany.receive(1));
        assertRefused(Errno.ENOMEM, tooMany::complete, "receive queue is full", capacity);
        assertBadRequest(Errno.ENOMEM, capacity, () -> a.qp.postReceive(all), "receive queue is full", capacity);
        assertBadRequest(Errno.ENOMEM, 0, () -> a.qp.postReceive(receive(a, 1)));
    }

    /** Sends stay in the queue while the peer does not respond. */
    @Test
    @Covers({"WR-2", "GEN-11", "RXE-82", "RXE-83"})
    void aFullSendQueueRefusesTheFirstThatDoesNotFit() {
        Endpoint a = connectedToNobody(EndpointSetup.DEFAULT, LinkSetup.DEFAULT);
        int capacity = a.qp.initAttributes().capabilities().maxSendWr();
        List<SendRequest> all = Collections.nCopies(capacity + 1, send(a, 1));
        SendBatch tooMany = a.qp.startSend();
        all.forEach(_ -> tooMany.send());
        assertRefused(Errno.ENOMEM, tooMany::complete, "send queue is full", capacity);
        assertBadRequest(Errno.ENOMEM, capacity, () -> a.qp.postSend(all), "send queue is full", capacity);
        assertBadRequest(Errno.ENOMEM, 0, () -> a.qp.postSend(send(a, 1)));
    }

    /** {@code test_rq_with_larger_sgl_bad_flow}. */
    @Test
    @Covers({"RXE-81", "RXE-83"})
    void tooManyPiecesAreRefused() {
        Endpoint a = in(QpState.RTS);
        int sends = a.qp.initAttributes().capabilities().maxSendSge();
        int receives = a.qp.initAttributes().capabilities().maxReceiveSge();
        SendRequest.Builder wideSend = SendRequest.send();
        Collections.nCopies(sends + 1, a.mr.sge(0, 1)).forEach(wideSend::sge);
        ReceiveRequest wideReceive = new ReceiveRequest(1, Collections.nCopies(receives + 1, a.mr.sge(0, 1)));
        assertBadRequest(Errno.EINVAL, 0, () -> a.qp.postSend(wideSend.build()), "max_send_sge", sends + 1, sends);
        assertBadRequest(
                Errno.EINVAL,
                1,
                () -> a.qp.postReceive(receive(a, 1), wideReceive),
                "max_recv_sge",
                receives + 1,
                receives);
    }

    @Test
    @Covers("WR-27")
    void moreInlineDataThanTheQueueTakesAreRefused() {
        Endpoint a = in(QpState.RTS);
        int most = a.qp.initAttributes().capabilities().maxInlineData();
        MemorySegment tooLong = MemorySegment.ofArray(new byte[most + 1]);
        assertBadRequest(
                Errno.EINVAL,
                0,
                () -> a.qp.postSend(SendRequest.send().inlineData(tooLong).build()),
                "max_inline_data",
                most + 1,
                most);
        assertRefused(
                Errno.EINVAL,
                () -> a.qp.startSend().send().inline(tooLong).complete(),
                "max_inline_data",
                most + 1,
                most);
    }

    /** Operations that return data need memory for them until completion. */
    @Test
    @Covers("WR-27")
    void readsAndAtomicsTakeNoInlineData() {
        Endpoint a = in(QpState.RTS);
        MemorySegment data = MemorySegment.ofArray(new byte[8]);
        List.of(
                        SendRequest.rdmaRead(1, 8),
                        SendRequest.atomicFetchAdd(1, 8, 1),
                        SendRequest.atomicCompareSwap(1, 8, 0, 1))
                .forEach(request -> assertBadRequest(
                        Errno.EINVAL,
                        0,
                        () -> a.qp.postSend(request.inlineData(data).build()),
                        "inline"));
        assertRefused(
                Errno.EINVAL,
                () -> a.qp.startSend().rdmaRead(1, 8).inline(data).complete(),
                WrOpcode.RDMA_READ,
                "inline");
    }

    /** The memory for the original value must have exactly eight bytes. */
    @ParameterizedTest
    @ValueSource(ints = {0, 4, 7, 9, 16})
    void anAtomicIsAboutEightBytes(int length) {
        Endpoint a = in(QpState.RTS);
        SendRequest add =
                SendRequest.atomicFetchAdd(1, 8, 1).sge(a.mr.sge(0, length)).build();
        SendRequest swap = SendRequest.atomicCompareSwap(1, 8, 0, 1)
                .sge(a.mr.sge(0, length))
                .build();
        assertBadRequest(Errno.EINVAL, 0, () -> a.qp.postSend(add), WrOpcode.ATOMIC_FETCH_AND_ADD, length, 8);
        assertBadRequest(Errno.EINVAL, 0, () -> a.qp.postSend(swap), WrOpcode.ATOMIC_CMP_AND_SWP, length, 8);
    }

    /** The maximum message length is 2^31 bytes; a receive must be shorter. */
    @Test
    void messagesBeyondTwoGibibytesAreRefused() {
        Endpoint a = in(QpState.RTS);
        Sge gibibyte = new Sge(a.mr.address(), 1 << 30, a.mr.lkey());
        SendRequest.Builder send = SendRequest.send().sge(gibibyte).sge(gibibyte);
        assertBadRequest(
                Errno.EINVAL,
                0,
                () -> a.qp.postSend(send.sge(a.mr.sge(0, 1)).build()),
                (1L << 31) + 1,
                "limit is 2^31");
        assertBadRequest(
                Errno.EINVAL,
                0,
                () -> a.qp.postReceive(ReceiveRequest.of(1, gibibyte, gibibyte)),
                1L << 31,
                "limit is 2^31 - 1");
        assertRefused(
                Errno.EINVAL,
                () -> a.qp.startSend()
                        .send()
                        .sge(a.mr.lkey(), a.mr.address(), -1)
                        .complete(),
                (1L << 32) - 1,
                "limit is 2^31");
    }

    /** Requests before the bad one of a list are posted and complete; later ones are not posted. */
    @Test
    @Covers({"GEN-11", "WR-37", "RXE-80", "RXE-82", "RXE-88"})
    void aListIsPostedUpToItsFirstBadRequest() {
        QpPair pair = connected();
        Endpoint a = pair.a();
        int most = a.qp.initAttributes().capabilities().maxInlineData();
        SendRequest bad = SendRequest.send()
                .wrId(3)
                .inlineData(MemorySegment.ofArray(new byte[most + 1]))
                .build();
        pair.b().qp.postReceive(receive(pair.b(), 1), receive(pair.b(), 2), receive(pair.b(), 3));
        assertBadRequest(
                Errno.EINVAL,
                2,
                () -> a.qp.postSend(send(a, 1), send(a, 2), bad, send(a, 4)),
                "wr_id 3",
                most + 1,
                most);
        a.qp.postSend(send(a, 5));
        assertThat(a.awaitSends(3)).extracting(WorkCompletion::wrId).containsExactly(1L, 2L, 5L);
        assertThat(pair.b().awaitReceives(3)).hasSize(3);
    }

    @Test
    @Covers("WR-41")
    void aBatchWithAMistakeIsNotPostedAtAll() {
        QpPair pair = connected();
        Endpoint a = pair.a();
        pair.b().postReceive(1, 0, 64);
        assertRefused(
                Errno.EINVAL,
                () -> a.qp.startSend()
                        .wrId(1)
                        .signaled()
                        .send()
                        .wrId(2)
                        .send()
                        .sge(a.mr.lkey(), a.mr.address(), 8)
                        .inline(a.memory.asSlice(0, 8))
                        .complete());
        assertRefused(Errno.EINVAL, () -> a.qp.startSend().sge(1, 2, 3).complete());
        a.qp.startSend().wrId(3).signaled().send().abort();
        a.postSend(4, 0, 8);
        assertThat(a.awaitSend().wrId()).isEqualTo(4);
        assertThat(pair.b().awaitReceive().wrId()).isEqualTo(1);
    }

    @Test
    void anEmptyBatchPostsNothing() {
        Endpoint a = in(QpState.RTS);
        a.qp.startSend().complete();
        a.qp.startReceive().complete();
        a.qp.postSend();
        a.qp.postReceive();
        assertThat(a.sendCq.poll(1)).isEmpty();
    }
}
