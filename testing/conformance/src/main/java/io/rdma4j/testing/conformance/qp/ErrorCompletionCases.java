// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.qp;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.testing.conformance.harness.Bytes;
import io.rdma4j.testing.conformance.harness.ConformanceCases;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.QpPair;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WcFlag;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Cases for requests that fail after they were posted. */
public abstract class ErrorCompletionCases extends ConformanceCases {
    // Syndromes of an AETH (IBA 9.7.5.2.1), which the vendor error repeats
    private static final int RNR_NAK = 0x20;
    private static final int NAK_INVALID_REQUEST = 0x61;

    /** A request without a receive is sent again after 164 ms. */
    private static final LinkSetup SLOW = new LinkSetup(Mtu.MTU_1024, 0x123456, 14, 7, 7, 28, 1);

    protected ErrorCompletionCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    /** Asserts that the request fails, that those after it are flushed, and that the queue pair is in ERR. */
    private static WorkCompletion assertFailsWith(WcStatus status, Endpoint a, long wrId, int flushed) {
        List<WorkCompletion> completions = a.awaitSends(1 + flushed);
        assertThat(completions.getFirst().status()).isEqualTo(status);
        assertThat(completions.getFirst().wrId()).isEqualTo(wrId);
        assertThat(completions.getFirst().qpNumber()).isEqualTo(a.qp.qpn());
        assertThat(completions.subList(1, completions.size()))
                .allMatch(wc -> wc.status() == WcStatus.WR_FLUSH_ERR && wc.qpNumber() == a.qp.qpn())
                .isSortedAccordingTo((x, y) -> Long.compare(x.wrId(), y.wrId()));
        assertThat(a.qp.state()).isEqualTo(QpState.ERR);
        return completions.getFirst();
    }

    /**
     * Offsets and lengths relative to a region of 65,536 bytes; the last ones wrap around the end of the address space.
     */
    @ParameterizedTest
    @CsvSource({"-1,8", "65536,1", "65535,2", "0,65537", "1,2147483647", "9223372036854775807,64"})
    @Covers({"CQ-32", "CQ-33", "QP-32", "MR-35"})
    void aPieceThatDoesNotLieInItsRegionFailsItsRequest(long offset, int length) {
        QpPair pair = connected();
        Endpoint a = pair.a();
        pair.b().postReceive(1, 0, 65_536);
        a.qp.startSend()
                .wrId(5)
                .send()
                .sge(a.mr.lkey(), a.mr.address() + offset, length)
                .wrId(6)
                .send()
                .complete();
        assertFailsWith(WcStatus.LOC_PROT_ERR, a, 5, 1);
        Bytes.assertUntouched(pair.b().memory);
    }

    @Test
    void aPieceThatRunsRoundTheEndOfTheAddressSpaceFailsItsRequest() {
        Endpoint a = connected().a();
        a.qp.startSend().wrId(5).send().sge(a.mr.lkey(), -16, 64).complete();
        assertFailsWith(WcStatus.LOC_PROT_ERR, a, 5, 0);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 0x7FFF_FF00})
    @Covers("CQ-32")
    void aKeyThatNobodyGaveOutFailsItsRequest(int lkey) {
        Endpoint a = connected().a();
        a.qp.startSend().wrId(5).send().sge(lkey, a.mr.address(), 8).complete();
        assertFailsWith(WcStatus.LOC_PROT_ERR, a, 5, 0);
    }

    /** Errors complete also without SIGNALED; requests before the failing one succeed. */
    @Test
    void requestsBeforeTheFailingOneSucceed() {
        QpPair pair = connected();
        Endpoint a = pair.a();
        for (int i = 0; i < 3; i++) {
            pair.b().postReceive(i, 0, 8192);
        }
        a.postSend(1, 0, 8192);
        a.postSend(2, 0, 8192);
        a.qp.startSend().wrId(3).send().sge(~a.mr.lkey(), a.mr.address(), 8).complete();
        assertThat(a.awaitSend().wrId()).isEqualTo(1);
        assertThat(a.awaitSend().wrId()).isEqualTo(2);
        assertFailsWith(WcStatus.LOC_PROT_ERR, a, 3, 0);
        assertThat(pair.b().awaitReceives(2)).allMatch(wc -> wc.status() == WcStatus.SUCCESS);
    }

    /**
     * On both sides the completion contains request, status and queue pair, and no value of an earlier message or
     * entry.
     */
    @Test
    @Covers("CQ-75")
    void aFailedCompletionTellsRequestStatusAndQueuePairOnly() {
        QpPair pair = connected();
        Endpoint a = pair.a();
        Endpoint b = pair.b();
        b.postReceive(1, 0, 64);
        a.qp.startSend()
                .wrId(2)
                .signaled()
                .sendImm(0x1234_5678)
                .sge(a.mr.lkey(), a.mr.address(), 64)
                .complete();
        assertThat(a.awaitSend().status()).isEqualTo(WcStatus.SUCCESS);
        assertThat(b.awaitReceives(1).getFirst().flags()).containsExactly(WcFlag.WITH_IMM);
        b.postReceive(Long.MAX_VALUE, 0, 10);
        a.qp.startSend()
                .wrId(Long.MIN_VALUE)
                .sendImm(0x1234_5678)
                .sge(a.mr.lkey(), a.mr.address(), 64)
                .complete();
        WorkCompletion sent = a.awaitSends(1).getFirst();
        WorkCompletion received = b.awaitReceives(1).getFirst();
        assertTellsOnly(sent, Long.MIN_VALUE, WcStatus.REM_INV_REQ_ERR, a);
        assertTellsOnly(received, Long.MAX_VALUE, WcStatus.LOC_LEN_ERR, b);
    }

    private static void assertTellsOnly(WorkCompletion told, long wrId, WcStatus status, Endpoint side) {
        assertThat(told.wrId()).isEqualTo(wrId);
        assertThat(told.status()).isEqualTo(status);
        assertThat(told.qpNumber()).isEqualTo(side.qp.qpn());
        assertThat(told.flags()).isEmpty();
        assertThat(told.byteLength()).isZero();
        assertThat(told.immediate()).isZero();
        assertThat(told.sourceQp()).isZero();
        assertThat(told.toString()).doesNotContain("opcode", "byteLength", "immediate");
    }

    /** The receiver's request is too small: both sides get an error completion. */
    @Test
    @Covers({"CQ-29", "CQ-37", "CQ-63"})
    void aReceiveThatIsTooSmallFailsBothSides() {
        QpPair pair = connected();
        pair.b().postReceive(1, 0, 5000);
        pair.b().postReceive(2, 0, 9000);
        pair.a().postSend(3, 0, 5001);
        WorkCompletion failed = assertFailsWith(WcStatus.REM_INV_REQ_ERR, pair.a(), 3, 0);
        assertThat(failed.vendorError()).isEqualTo(NAK_INVALID_REQUEST);
        List<WorkCompletion> receives = pair.b().awaitReceives(2);
        assertThat(receives)
                .extracting(WorkCompletion::status)
                .containsExactly(WcStatus.LOC_LEN_ERR, WcStatus.WR_FLUSH_ERR);
        assertThat(receives).extracting(WorkCompletion::vendorError).containsExactly(NAK_INVALID_REQUEST, 0);
        assertThat(pair.b().qp.state()).isEqualTo(QpState.ERR);
        Bytes.assertUntouched(pair.b().memory.asSlice(5000, 4000));
    }

    @Test
    @Covers({"CQ-39", "MR-15"})
    void aReceiveIntoMemoryThatMayNotBeWrittenFailsBothSides() {
        QpPair pair = connected();
        Endpoint b = pair.b();
        MemoryRegion readOnly = closing(b.pd.registerMemory(b.memory, Set.of(AccessFlag.REMOTE_READ)));
        b.qp.startReceive()
                .receive(1)
                .sge(readOnly.lkey(), readOnly.address(), 64)
                .complete();
        pair.a().postSend(2, 0, 64);
        assertFailsWith(WcStatus.REM_OP_ERR, pair.a(), 2, 0);
        assertThat(b.awaitReceives(1).getFirst().status()).isEqualTo(WcStatus.LOC_PROT_ERR);
        Bytes.assertUntouched(b.memory);
    }

    @Test
    void aReceiveWithAKeyThatIsNoneFailsBothSides() {
        QpPair pair = connected();
        Endpoint b = pair.b();
        b.qp.startReceive().receive(1).sge(~b.mr.lkey(), b.mr.address(), 64).complete();
        pair.a().postSend(2, 0, 64);
        assertFailsWith(WcStatus.REM_OP_ERR, pair.a(), 2, 0);
        assertThat(b.awaitReceives(1).getFirst().status()).isEqualTo(WcStatus.LOC_PROT_ERR);
    }

    /** Until its completion a request's memory is the device's, which reads it again for each attempt. */
    @Test
    @Covers("WR-7")
    void theMemoryOfARequestIsTheDevicesUntilItsCompletion() {
        QpPair pair = connected(EndpointSetup.DEFAULT, SLOW);
        QpPair other = connected();
        MemorySegment message = pair.a().memory.asSlice(0, 3000);
        Bytes.fill(message, 3);
        pair.a().postSend(1, 0, 3000);
        assertStaysQuiet(pair.a());
        Bytes.fill(message, 4);
        // Packets with the old bytes arrive before a later message of the same host, and are rejected.
        other.b().postReceive(3, 0, 8);
        other.a().postSend(4, 0, 8);
        other.b().awaitReceive();
        pair.b().postReceive(2, 0, 3000);
        pair.b().awaitReceive();
        pair.a().awaitSend();
        Bytes.fill(message, 5);
        pair.b().postReceive(6, 8000, 3000);
        pair.a().postSend(7, 8000, 3000);
        pair.b().awaitReceive();
        Bytes.assertHolds(pair.b().memory.asSlice(0, 3000), 4);
    }

    /** The sender gets an RNR NAK and waits until there is a receive. */
    @Test
    void aMessageWithoutReceiveWaitsForOne() {
        QpPair pair = connected();
        Bytes.fill(pair.a().memory.asSlice(0, 3000), 3);
        pair.a().postSend(1, 0, 3000);
        assertStaysQuiet(pair.a());
        pair.b().postReceive(2, 0, 3000);
        assertThat(pair.b().awaitReceive().wrId()).isEqualTo(2);
        assertThat(pair.a().awaitSend().wrId()).isEqualTo(1);
        Bytes.assertHolds(pair.b().memory.asSlice(0, 3000), 3);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    @Covers({"CQ-41", "DEV-43", "CQ-63"})
    void aMessageWithoutReceiveIsGivenUpAfterItsRnrRetries(int rnrRetry) {
        Assumptions.assumeTrue(
                context().queryDevice().has(DeviceCapability.RC_RNR_NAK_GEN),
                "the device does not claim RC_RNR_NAK_GEN");
        QpPair pair = connected(EndpointSetup.DEFAULT, LinkSetup.SHORT_TIMEOUTS.rnrRetry(rnrRetry));
        pair.a().postSend(1, 0, 8);
        pair.a().postSend(2, 0, 8);
        WorkCompletion failed = assertFailsWith(WcStatus.RNR_RETRY_EXC_ERR, pair.a(), 1, 1);
        assertThat(failed.vendorError()).isEqualTo(RNR_NAK | LinkSetup.SHORT_TIMEOUTS.minRnrTimer());
    }

    /** Requests to a peer that does not respond fail in limited time. */
    @Test
    @Covers({"CQ-40", "CQ-63"})
    void aPeerThatDoesNotAnswerIsGivenUp() {
        Endpoint a = connectedToNobody(EndpointSetup.DEFAULT, LinkSetup.SHORT_TIMEOUTS);
        for (int i = 1; i <= 3; i++) {
            a.postSend(i, 0, 5000);
        }
        assertThat(assertFailsWith(WcStatus.RETRY_EXC_ERR, a, 1, 2).vendorError())
                .as("the peer has sent no answer")
                .isZero();
    }

    /** Receives are posted, but the peer drops packets silently. */
    @Test
    @Covers("QP-24")
    void aPeerThatIsOnlyInitializedDoesNotAnswer() {
        QpPair pair = new QpPair(
                endpoint(target().first(), EndpointSetup.DEFAULT), endpoint(target().second(), EndpointSetup.DEFAULT));
        pair.b().bringTo(QpState.INIT, pair.a());
        pair.b().postReceive(1, 0, 64);
        pair.a().connectTo(pair.b(), LinkSetup.SHORT_TIMEOUTS);
        pair.a().postSend(2, 0, 64);
        assertFailsWith(WcStatus.RETRY_EXC_ERR, pair.a(), 2, 0);
        assertThat(pair.b().receiveCq.poll(1)).isEmpty();
        assertThat(pair.b().qp.state()).isEqualTo(QpState.INIT);
    }

    /** A flushed completion contains request, queue pair and status; its other fields are undefined. */
    @Test
    @Covers({"CQ-33", "QP-29"})
    void errorFlushesBothQueues() {
        QpPair pair = connected();
        Endpoint b = pair.b();
        for (int i = 0; i < 3; i++) {
            b.postReceive(i, 0, 8);
        }
        b.qp.modify(Endpoint.only(QpState.ERR));
        b.postReceive(3, 0, 8);
        b.postSend(4, 0, 8);
        assertFlushed(b, b.awaitReceives(4), 0, 1, 2, 3);
        assertFlushed(b, b.awaitSends(1), 4);
    }

    private static void assertFlushed(Endpoint at, List<WorkCompletion> completions, long... wrIds) {
        assertThat(completions)
                .extracting(WorkCompletion::wrId)
                .containsExactly(Arrays.stream(wrIds).boxed().toArray(Long[]::new));
        assertThat(completions).allMatch(wc -> wc.status() == WcStatus.WR_FLUSH_ERR && wc.qpNumber() == at.qp.qpn());
    }

    @Test
    @Covers("QP-33")
    void resetForgetsWhatIsPosted() {
        QpPair pair = connected();
        Endpoint a = pair.a();
        a.postReceive(1, 0, 8);
        a.postSend(2, 0, 8);
        a.qp.modify(Endpoint.only(QpState.RESET));
        assertThat(a.sendCq.poll(1)).isEmpty();
        assertThat(a.receiveCq.poll(1)).isEmpty();
        a.bringTo(QpState.RTS, pair.b());
        a.qp.modify(Endpoint.only(QpState.ERR));
        assertThat(a.sendCq.poll(1)).isEmpty();
        assertThat(a.receiveCq.poll(1)).isEmpty();
    }

    /** The completions of other queue pairs stay. */
    @Test
    @Covers({"QP-33", "CQ-33"})
    void resetRemovesTheCompletionsOfItsQueuePairOnly() {
        Endpoint a = connected().a();
        QpInitAttributes attributes = QpInitAttributes.builder(a.receiveCq)
                .capabilities(QpCapabilities.of(1, 4))
                .build();
        try (QueuePair other = a.pd.createQp(attributes)) {
            other.modify(a.init().build());
            other.postReceive(ReceiveRequest.of(11), ReceiveRequest.of(12));
            a.postReceive(1, 0, 8);
            a.postReceive(2, 0, 8);
            other.modify(Endpoint.only(QpState.ERR));
            a.qp.modify(Endpoint.only(QpState.ERR));
            a.qp.modify(Endpoint.only(QpState.RESET));
            other.postReceive(ReceiveRequest.of(13));
            assertThat(a.awaitReceives(3)).extracting(WorkCompletion::wrId).containsExactly(11L, 12L, 13L);
            assertThat(a.receiveCq.poll(1)).isEmpty();
        }
    }

    /** The connection works after it is made again following an error. */
    @Test
    @Covers("QP-32")
    void aBrokenConnectionIsRepairedByReset() {
        QpPair pair = connected();
        pair.b().postReceive(1, 0, 8);
        pair.a().postSend(2, 0, 64);
        assertFailsWith(WcStatus.REM_INV_REQ_ERR, pair.a(), 2, 0);
        pair.b().awaitReceives(1);
        pair.a().qp.modify(Endpoint.only(QpState.RESET));
        pair.b().qp.modify(Endpoint.only(QpState.RESET));
        pair.connect(LinkSetup.DEFAULT.firstPsn(99));
        Bytes.fill(pair.a().memory.asSlice(0, 2000), 6);
        pair.b().postReceive(3, 0, 2000);
        pair.a().postSend(4, 0, 2000);
        pair.b().awaitReceive();
        pair.a().awaitSend();
        Bytes.assertHolds(pair.b().memory.asSlice(0, 2000), 6);
    }
}
