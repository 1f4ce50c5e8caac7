// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.qp;

import static io.rdma4j.testing.conformance.harness.Refusals.assertBadRequest;
import static io.rdma4j.testing.conformance.harness.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.conformance.harness.Bytes;
import io.rdma4j.testing.conformance.harness.ConformanceCases;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.conformance.harness.ReceivePool;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.QpPair;
import io.rdma4j.testing.endpoint.Transitions;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SrqInitAttributes;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.values.SrqAttributes;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Cases for shared receive queues, {@code test_srq}: several queue pairs of the second context, one receive queue. */
public abstract class SharedReceiveQueueCases extends ConformanceCases {
    private static final int LENGTH = 1000;

    private ReceivePool pool;
    private QpPair one;
    private QpPair two;

    protected SharedReceiveQueueCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    @BeforeEach
    void prepare() {
        require(DeviceLimit.MAX_SRQ);
        pool = closing(new ReceivePool(target(), target().second(), SrqInitAttributes.basic(20, 2)));
        one = pair(QpType.RC);
        two = pair(QpType.RC);
    }

    private QpPair pair(QpType type) {
        EndpointSetup setup = EndpointSetup.DEFAULT.type(type);
        QpPair pair = new QpPair(endpoint(target().first(), setup), endpoint(target().second(), setup.srq(pool.srq)));
        pair.connect(LinkSetup.DEFAULT);
        return pair;
    }

    private static void assertReceived(QpPair pair, long wrId) {
        WorkCompletion received = pair.b().awaitReceive();
        assertThat(received.wrId()).isEqualTo(wrId);
        assertThat(received.qpNumber()).isEqualTo(pair.b().qp.qpn());
        assertThat(received.byteLength()).isEqualTo(LENGTH);
    }

    /**
     * {@code test_rc_srq_traffic}: each message takes the oldest receive, which completes in the completion queue of
     * its queue pair.
     */
    @Test
    @Covers({"SRQ-1", "SRQ-2", "SRQ-5", "SRQ-12", "SRQ-14"})
    void queuePairsTakeReceivesInTurn() {
        pool.post(3, LENGTH);
        Bytes.fill(one.a().memory.asSlice(0, LENGTH), 1);
        Bytes.fill(two.a().memory.asSlice(0, LENGTH), 2);
        one.a().postSend(1, 0, LENGTH);
        assertReceived(one, 0);
        two.a().postSend(2, 0, LENGTH);
        assertReceived(two, 1);
        one.a().postSend(3, 0, LENGTH);
        assertReceived(one, 2);
        Bytes.assertHolds(pool.memory.asSlice(0, LENGTH), 1);
        Bytes.assertHolds(pool.memory.asSlice(LENGTH, LENGTH), 2);
        Bytes.assertHolds(pool.memory.asSlice(2 * LENGTH, LENGTH), 1);
    }

    /** {@code test_modify_srq_limit}: ten requests, limit 7; the event is raised once, after four messages. */
    @Test
    @Covers({"SRQ-3", "SRQ-6", "SRQ-8", "SRQ-9", "SRQ-10", "EVT-22"})
    void theWatermarkRaisesItsEventOnce() {
        pool.post(10, LENGTH);
        pool.srq.armLimit(7);
        assertThat(pool.srq.query().limit()).isEqualTo(7);
        for (int i = 0; i < 3; i++) {
            one.a().postSend(i, 0, LENGTH);
            assertReceived(one, i);
        }
        assertThat(pool.srq.query().limit()).isEqualTo(7);
        one.a().postSend(3, 0, LENGTH);
        assertReceived(one, 3);
        assertThat(awaitEvent(pool.context, EventType.SRQ_LIMIT_REACHED).sharedReceiveQueue())
                .isSameAs(pool.srq);
        assertThat(pool.srq.query().limit()).isZero();
        two.a().postSend(4, 0, LENGTH);
        assertReceived(two, 4);
        pool.srq.armLimit(7);
        two.a().postSend(5, 0, LENGTH);
        assertReceived(two, 5);
        awaitEvent(pool.context, EventType.SRQ_LIMIT_REACHED);
    }

    /** {@code test_resize_srq}: posted receives stay. */
    @Test
    @Covers({"SRQ-7", "DEV-44"})
    void aQueueGrowsAndShrinksWhileItIsInUse() {
        require(DeviceCapability.SRQ_RESIZE);
        pool.post(20, LENGTH);
        pool.srq.resize(100);
        assertThat(pool.srq.query().maxWr()).isGreaterThanOrEqualTo(100);
        for (int i = 20; i < 100; i++) {
            pool.post(i, (long) i * LENGTH, LENGTH);
        }
        assertRefused(Errno.EINVAL, () -> pool.srq.resize(99), "max_wr", 99, 100);
        for (int i = 0; i < 100; i++) {
            one.a().postSend(i, 0, LENGTH);
            one.a().awaitSend();
            assertReceived(one, i);
        }
        pool.srq.resize(1);
        pool.post(1, LENGTH);
        one.a().postSend(1, 0, LENGTH);
        assertReceived(one, 0);
    }

    /** IBA 10.2.9: an empty queue is not an error of a reliable connection. */
    @Test
    void aMessageWaitsForAReceive() {
        one.a().postSend(1, 0, LENGTH);
        assertStaysQuiet(one.a());
        pool.post(1, LENGTH);
        assertReceived(one, 0);
        one.a().awaitSend();
    }

    /**
     * IBA 10.2.9.3: a queue pair in ERR leaves posted receives to the other queue pairs and raises QP_LAST_WQE_REACHED.
     */
    @Test
    @Covers("EVT-23")
    void aQueuePairThatEndsLeavesTheReceivesToTheOthers() {
        pool.post(2, LENGTH);
        one.b().qp.modify(Endpoint.only(QpState.ERR));
        assertThat(awaitEvent(one.b(), EventType.QP_LAST_WQE_REACHED).queuePair())
                .isSameAs(one.b().qp);
        assertThat(one.b().receiveCq.poll(1)).isEmpty();
        two.a().postSend(1, 0, LENGTH);
        assertReceived(two, 0);
    }

    @Test
    @Covers("SRQ-13")
    void datagramsTakeThemWithTheirRoute() {
        QpPair datagrams = pair(QpType.UD);
        Endpoint a = datagrams.a();
        AddressHandle path = closing(a.pd.createAddressHandle(a.pathTo(datagrams.b())));
        pool.post(1, LENGTH);
        Bytes.fill(a.memory.asSlice(0, 100), 9);
        a.qp.startSend()
                .send()
                .destination(path, datagrams.b().qp.qpn(), Transitions.QKEY)
                .sge(a.mr.lkey(), a.mr.address(), 100)
                .complete();
        assertThat(datagrams.b().awaitReceive().byteLength()).isEqualTo(140);
        Bytes.assertHolds(pool.memory.asSlice(40, 100), 9);
    }

    /** The memory must belong to the shared queue's protection domain, not to the queue pair's. */
    @Test
    void memoryOfTheQueuePairsOwnDomainIsForeign() {
        Endpoint b = one.b();
        pool.srq
                .startReceive()
                .receive(1)
                .sge(b.mr.lkey(), b.mr.address(), LENGTH)
                .complete();
        one.a().postSend(1, 0, LENGTH);
        assertThat(b.awaitReceives(1).getFirst().status()).isEqualTo(WcStatus.LOC_PROT_ERR);
        assertThat(one.a().awaitSends(1).getFirst().status()).isEqualTo(WcStatus.REM_OP_ERR);
    }

    @Test
    @Covers({"SRQ-4", "SRQ-11"})
    void limitsAndUsesAreKept() {
        SrqAttributes sizes = pool.srq.query();
        assertThat(sizes.maxWr()).isGreaterThanOrEqualTo(20);
        assertThat(sizes.maxSge()).isGreaterThanOrEqualTo(2);
        for (int i = 0; i < sizes.maxWr(); i++) {
            pool.post(i, 0, 1);
        }
        assertRefused(Errno.ENOMEM, () -> pool.post(0, 0, 1), "full", sizes.maxWr());
        assertRefused(Errno.EINVAL, () -> one.b().postReceive(1, 0, 1), one.b().qp, pool.srq);
        assertBadRequest(Errno.EINVAL, 0, () -> one.b().qp.postReceive(ReceiveRequest.of(1)), one.b().qp, pool.srq);
        assertRefused(Errno.EBUSY, pool.srq::close, pool.srq, "2 queue pairs");
        assertThat(one.b().qp.initAttributes().capabilities().maxReceiveWr()).isZero();
    }
}
