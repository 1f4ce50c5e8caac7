// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.qp;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.conformance.harness.Bytes;
import io.rdma4j.testing.conformance.harness.ConformanceCases;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.conformance.harness.RemoteOperation;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.QpPair;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * Cases for requests that the peer must not grant, for every operation: {@code reg_mr} and access cases of {@code
 * test_mr}, {@code invalid_rkey}, {@code invalid_mr_access} and {@code invalid_qp_access} of {@code test_atomic}. Both
 * sides get an error, both queue pairs end in ERR, and no byte has changed.
 */
public abstract class RemoteErrorCases extends ConformanceCases {
    private static final long REGION_BYTES = 4096;

    /** Rights for all operations; persistence has separate cases. */
    private static final Set<AccessFlag> ALL =
            Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC);

    private Endpoint a;
    private Endpoint b;

    /** Each case connects for its operation first. */
    @SuppressWarnings("NullAway.Init")
    protected RemoteErrorCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    private void connect(RemoteOperation operation) {
        require(operation.capability());
        QpPair pair = connected(EndpointSetup.OPEN.remoteRights(rightsFor(operation)), LinkSetup.DEFAULT);
        a = pair.a();
        b = pair.b();
    }

    /** All rights that the device supports, including that of this operation. */
    private static Set<AccessFlag> rightsFor(RemoteOperation operation) {
        Set<AccessFlag> rights = new HashSet<>(ALL);
        rights.add(operation.right());
        return rights;
    }

    private MemoryRegion register(ProtectionDomain pd, Set<AccessFlag> access) {
        return closing(pd.registerMemory(b.memory.asSlice(0, REGION_BYTES), access));
    }

    /** Asserts that the operation succeeds, so that a later failure has only the tested cause. */
    private void assertWorks(RemoteOperation operation) {
        if (operation == RemoteOperation.WRITE_WITH_IMMEDIATE) {
            b.postReceive(0, 0, 0);
        }
        operation.post(a, 0, b.mr.rkey(), b.remote(REGION_BYTES));
        a.awaitSend();
        b.memory.fill((byte) 0);
        a.memory.fill((byte) 0);
        b.receiveCq.poll(1);
    }

    /** @param event at the peer */
    private void assertFails(RemoteOperation operation, int rkey, long address, WcStatus status, EventType event) {
        Bytes.fill(a.memory.asSlice(0, 64), 1);
        b.postReceive(7, 0, 64);
        operation.post(a, 1, rkey, address);
        a.postSend(2, 0, 8);
        List<WorkCompletion> sends = a.awaitSends(2);
        assertThat(sends).extracting(WorkCompletion::wrId).containsExactly(1L, 2L);
        assertThat(sends).extracting(WorkCompletion::status).containsExactly(status, WcStatus.WR_FLUSH_ERR);
        List<WorkCompletion> receives = b.awaitReceives(1);
        // A receive that the operation has taken completes with an error (IBA 11.6.2).
        boolean taken = operation == RemoteOperation.WRITE_WITH_IMMEDIATE && event == EventType.QP_ACCESS_ERR;
        WcStatus received = taken ? WcStatus.LOC_ACCESS_ERR : WcStatus.WR_FLUSH_ERR;
        assertThat(receives).extracting(WorkCompletion::status).containsExactly(received);
        assertThat(awaitEvent(b, event).type()).isEqualTo(event);
        assertThat(a.qp.state()).isEqualTo(QpState.ERR);
        assertThat(b.qp.state()).isEqualTo(QpState.ERR);
        Bytes.assertUntouched(b.memory);
        Bytes.assertHolds(a.memory.asSlice(0, 64), 1);
    }

    private void assertNoAccess(RemoteOperation operation, int rkey, long address) {
        assertFails(operation, rkey, address, WcStatus.REM_ACCESS_ERR, EventType.QP_ACCESS_ERR);
    }

    @ParameterizedTest
    @EnumSource(RemoteOperation.class)
    @Covers({"CQ-36", "CQ-38", "EVT-10", "RXE-198"})
    void aKeyThatNobodyGaveOutOpensNothing(RemoteOperation operation) {
        connect(operation);
        assertWorks(operation);
        assertNoAccess(operation, ~b.mr.rkey(), b.remote(0));
    }

    /** The lower eight bits of the key change with each registration. */
    @ParameterizedTest
    @EnumSource(RemoteOperation.class)
    void aKeyOfAnotherVariantOpensNothing(RemoteOperation operation) {
        connect(operation);
        assertNoAccess(operation, b.mr.rkey() ^ 1, b.remote(0));
    }

    @ParameterizedTest
    @EnumSource(RemoteOperation.class)
    @Covers({"MR-27", "MR-34"})
    void aRegionOfAnotherDomainIsOutOfReach(RemoteOperation operation) {
        connect(operation);
        MemoryRegion foreign = register(closing(b.context.allocatePd()), rightsFor(operation));
        assertNoAccess(operation, foreign.rkey(), foreign.iova());
    }

    @ParameterizedTest
    @EnumSource(RemoteOperation.class)
    @Covers({"MR-27", "MR-34"})
    void aRegionWithoutTheRightIsLeftAlone(RemoteOperation operation) {
        connect(operation);
        Set<AccessFlag> others = rightsFor(operation);
        others.remove(operation.right());
        MemoryRegion region = register(b.pd, others);
        assertNoAccess(operation, region.rkey(), region.iova());
    }

    /** {@code test_atomic_invalid_qp_access}: an operation that the queue pair does not serve is an invalid request. */
    @ParameterizedTest
    @EnumSource(RemoteOperation.class)
    @Covers({"QP-42", "QP-63", "EVT-9", "CQ-37", "RXE-172"})
    void aQueuePairWithoutTheRightRefuses(RemoteOperation operation) {
        connect(operation);
        Set<AccessFlag> others = rightsFor(operation);
        others.remove(operation.right());
        b.qp.modify(QpAttributes.builder().accessFlags(others).build());
        assertFails(operation, b.mr.rkey(), b.remote(0), WcStatus.REM_INV_REQ_ERR, EventType.QP_REQ_ERR);
    }

    @ParameterizedTest
    @EnumSource(RemoteOperation.class)
    void theKeyOfAClosedRegionOpensNothing(RemoteOperation operation) {
        connect(operation);
        MemoryRegion region = register(b.pd, rightsFor(operation));
        int rkey = region.rkey();
        region.close();
        assertNoAccess(operation, rkey, b.remote(0));
    }

    @ParameterizedTest
    @EnumSource(RemoteOperation.class)
    @Covers("MR-35")
    void aRangeBehindTheRegionIsOutOfReach(RemoteOperation operation) {
        connect(operation);
        MemoryRegion region = register(b.pd, rightsFor(operation));
        assertNoAccess(operation, region.rkey(), region.iova() + REGION_BYTES);
    }

    @ParameterizedTest
    @EnumSource(RemoteOperation.class)
    void aRangeBeforeTheRegionIsOutOfReach(RemoteOperation operation) {
        connect(operation);
        MemoryRegion region = register(b.pd, rightsFor(operation));
        assertNoAccess(operation, region.rkey(), region.iova() - 8);
    }

    /** Words are aligned, so they cannot straddle the end. */
    @ParameterizedTest
    @EnumSource(
            value = RemoteOperation.class,
            names = {"WRITE", "WRITE_WITH_IMMEDIATE", "READ", "FLUSH"},
            mode = Mode.INCLUDE)
    void aRangeOverTheEndIsOutOfReach(RemoteOperation operation) {
        connect(operation);
        MemoryRegion region = register(b.pd, rightsFor(operation));
        assertNoAccess(operation, region.rkey(), region.iova() + REGION_BYTES - 63);
    }

    /** Address plus length wraps around to a small value. */
    @ParameterizedTest
    @EnumSource(RemoteOperation.class)
    @Covers("MR-35")
    void aRangeRoundTheEndOfTheAddressSpaceIsOutOfReach(RemoteOperation operation) {
        connect(operation);
        assertNoAccess(operation, b.mr.rkey(), -8);
    }
}
