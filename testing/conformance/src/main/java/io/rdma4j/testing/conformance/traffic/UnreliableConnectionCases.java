// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.traffic;

import static io.rdma4j.testing.conformance.harness.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.conformance.harness.Bytes;
import io.rdma4j.testing.conformance.harness.ConformanceCases;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.QpPair;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Cases for unreliable connections: messages arrive complete or not at all, without notification. */
public abstract class UnreliableConnectionCases extends ConformanceCases {
    private static final EndpointSetup SETUP =
            EndpointSetup.OPEN.type(QpType.UC).memoryBytes(1 << 20);

    private Endpoint a;
    private Endpoint b;

    protected UnreliableConnectionCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    @BeforeEach
    void connect() {
        QpPair pair = connected(SETUP, LinkSetup.DEFAULT);
        a = pair.a();
        b = pair.b();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1023, 1024, 1025, 65_536})
    @Covers({"GEN-5", "QP-11"})
    void sendsArriveWhole(int length) {
        Bytes.fill(a.memory.asSlice(0, length), 4);
        b.postReceive(1, 0, length);
        a.postSend(2, 0, length);
        assertThat(a.awaitSend().wrId()).isEqualTo(2);
        WorkCompletion received = b.awaitReceive();
        assertThat(received.opcode()).isEqualTo(WcOpcode.RECV);
        assertThat(received.byteLength()).isEqualTo(length);
        Bytes.assertHolds(b.memory.asSlice(0, length), 4);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1025, 65_536})
    void writesTakeAReceiveIfTheyBringImmediateData(int length) {
        Bytes.fill(a.memory.asSlice(0, length), 5);
        b.postReceive(1, 0, 8);
        a.qp.startSend()
                .rdmaWrite(b.mr.rkey(), b.remote(100_000))
                .sge(a.mr.lkey(), a.mr.address(), length)
                .rdmaWriteImm(b.mr.rkey(), b.remote(200_000), 99)
                .sge(a.mr.lkey(), a.mr.address(), length)
                .complete();
        WorkCompletion received = b.awaitReceive();
        assertThat(received.opcode()).isEqualTo(WcOpcode.RECV_RDMA_WITH_IMM);
        assertThat(received.immediate()).isEqualTo(99);
        Bytes.assertHolds(b.memory.asSlice(100_000, length), 5);
        Bytes.assertHolds(b.memory.asSlice(200_000, length), 5);
    }

    /** Operations with a response are invalid (IBA 9.8.2). */
    @Test
    void readsAndAtomicsAreRefused() {
        assertRefused(
                Errno.EINVAL,
                () -> a.qp.startSend().rdmaRead(b.mr.rkey(), b.remote(0)).complete());
        assertRefused(
                Errno.EINVAL,
                () -> a.qp.startSend()
                        .atomicFetchAdd(b.mr.rkey(), b.remote(0), 1)
                        .complete());
    }

    /** The sender gets no response; both sides continue. */
    @Test
    void aRequestThatThePeerDoesNotAllowIsDropped() {
        a.qp.startSend()
                .signaled()
                .rdmaWrite(b.mr.rkey() + 1, b.remote(0))
                .sge(a.mr.lkey(), a.mr.address(), 3000)
                .signaled()
                .send()
                .sge(a.mr.lkey(), a.mr.address(), 100)
                .complete();
        a.awaitSend();
        a.awaitSend();
        target().progress();
        b.postReceive(1, 0, 5000);
        a.postSend(3, 0, 5000);
        assertThat(b.awaitReceive().status()).isEqualTo(WcStatus.SUCCESS);
        assertThat(a.qp.state()).isEqualTo(QpState.RTS);
        assertThat(b.qp.state()).isEqualTo(QpState.RTS);
    }

    /** IBA 10.3.1.6: a local error of the sender stops its send queue only. */
    @Test
    @Covers("QP-28")
    void aLocalErrorStopsTheSendQueueUntilItIsLetGo() {
        a.qp.startSend().send().sge(a.mr.lkey() + 1, a.mr.address(), 10).complete();
        a.postSend(2, 0, 10);
        List<WorkCompletion> ended = a.awaitSends(2);
        assertThat(ended)
                .extracting(WorkCompletion::status)
                .containsExactly(WcStatus.LOC_PROT_ERR, WcStatus.WR_FLUSH_ERR);
        assertThat(a.qp.state()).isEqualTo(QpState.SQE);
        a.postReceive(3, 0, 10);
        b.postSend(4, 0, 10);
        a.awaitReceive();
        a.qp.modify(Endpoint.only(QpState.RTS));
        b.postReceive(5, 0, 10);
        a.postSend(6, 0, 10);
        a.awaitSend();
        b.awaitReceive();
    }

    /** More packets than a window, all outstanding at once: the queue continues after the first ones are sent. */
    @Test
    void aLongMessageGoesOnWhenItsFirstPacketsHaveLeft() {
        for (int i = 0; i < 5; i++) {
            a.postSend(i, 0, 1 << 20);
        }
        assertThat(a.awaitSends(5)).extracting(WorkCompletion::wrId).containsExactly(0L, 1L, 2L, 3L, 4L);
    }
}
