// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.mr;

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
import io.rdma4j.testing.endpoint.Transitions;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.Reregistration;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WindowBinding;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.MemoryKeys;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.verbs.wr.WcFlag;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WindowType;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Cases for memory windows: {@code MWTest} of {@code test_mr} and {@code bind_mw} of {@code test_qpex}. */
public abstract class MemoryWindowCases extends ConformanceCases {
    private static final long START = 1000;
    private static final int LENGTH = 3000;
    private static final Set<AccessFlag> WRITABLE = Set.of(AccessFlag.REMOTE_WRITE);
    private static final Set<SendFlag> SIGNALED = Set.of(SendFlag.SIGNALED);

    private Endpoint a;
    private Endpoint b;
    private MemoryRegion below;

    protected MemoryWindowCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    @BeforeEach
    void prepare() {
        require(DeviceCapability.MEM_WINDOW);
        QpPair pair = connected(EndpointSetup.OPEN, LinkSetup.DEFAULT);
        a = pair.a();
        b = pair.b();
        below = closing(b.pd.registerMemory(b.memory, Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND)));
    }

    private MemoryWindow window(WindowType type) {
        return closing(b.pd.allocateWindow(type));
    }

    private WindowBinding binding(Set<AccessFlag> access) {
        return WindowBinding.of(below, below.iova() + START, LENGTH, access);
    }

    private int bindTypeOne(MemoryWindow window, WindowBinding binding) {
        int rkey = window.bind(b.qp, 5, SIGNALED, binding);
        assertThat(window.rkey()).isEqualTo(rkey);
        WorkCompletion bound = b.awaitSend();
        assertThat(bound.opcode()).isEqualTo(WcOpcode.BIND_MW);
        assertThat(bound.wrId()).isEqualTo(5);
        return rkey;
    }

    private int bindTypeTwo(MemoryWindow window) {
        int rkey = MemoryKeys.next(window.rkey());
        b.qp.postSend(SendRequest.bindWindow(window, rkey, binding(WRITABLE))
                .signaled()
                .build());
        assertThat(b.awaitSend().opcode()).isEqualTo(WcOpcode.BIND_MW);
        return rkey;
    }

    private WcStatus write(Endpoint from, int rkey, long remote, int length) {
        from.qp
                .startSend()
                .signaled()
                .rdmaWrite(rkey, remote)
                .sge(from.mr.lkey(), from.mr.address(), length)
                .complete();
        return from.awaitSends(1).getFirst().status();
    }

    private void assertWritable(int rkey) {
        Bytes.fill(a.memory.asSlice(0, LENGTH), 8);
        assertThat(write(a, rkey, below.iova() + START, LENGTH)).isEqualTo(WcStatus.SUCCESS);
        Bytes.assertHolds(b.memory.asSlice(START, LENGTH), 8);
    }

    private void assertClosed(int rkey) {
        assertThat(write(a, rkey, below.iova() + START, 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    /** {@code test_mw_type1}. */
    @Test
    @Covers({"MW-1", "MW-2", "MW-3", "MW-5", "MW-6", "MW-7", "MW-8"})
    void aWindowOfTypeOneShowsItsPart() {
        int rkey = bindTypeOne(window(WindowType.TYPE_1), binding(WRITABLE));
        assertWritable(rkey);
        assertThat(write(a, rkey, below.iova() + START - 1, 2)).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    /** The last byte of the window is accessible, the next is not. */
    @Test
    void aWindowEndsWhereItEnds() {
        int rkey = bindTypeOne(window(WindowType.TYPE_1), binding(WRITABLE));
        assertThat(write(a, rkey, below.iova() + START + LENGTH - 1, 1)).isEqualTo(WcStatus.SUCCESS);
        assertThat(write(a, rkey, below.iova() + START + LENGTH - 1, 2)).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    /** {@code test_invalidate_mw_type1}: a bind of length 0 closes the window. */
    @Test
    @Covers("MW-11")
    void aWindowOfTypeOneIsClosedByBindingItToNothing() {
        MemoryWindow window = window(WindowType.TYPE_1);
        assertWritable(bindTypeOne(window, binding(WRITABLE)));
        assertClosed(bindTypeOne(window, WindowBinding.none()));
    }

    @Test
    void anOldKeyIsGoodNoMore() {
        MemoryWindow window = window(WindowType.TYPE_1);
        int old = bindTypeOne(window, binding(WRITABLE));
        assertWritable(bindTypeOne(window, binding(WRITABLE)));
        assertClosed(old);
    }

    /** {@code test_qp_ex_rc_bind_mw}: the rights of the window apply, whatever the region grants. */
    @Test
    void aWindowWithoutTheRightRefuses() {
        assertClosed(bindTypeOne(window(WindowType.TYPE_1), binding(Set.of(AccessFlag.REMOTE_READ))));
    }

    @Test
    @Covers("MW-10")
    void theAddressesOfAZeroBasedWindowBeginAtZero() {
        int rkey =
                bindTypeOne(window(WindowType.TYPE_1), binding(Set.of(AccessFlag.REMOTE_WRITE, AccessFlag.ZERO_BASED)));
        Bytes.fill(a.memory.asSlice(0, 100), 2);
        assertThat(write(a, rkey, 7, 100)).isEqualTo(WcStatus.SUCCESS);
        Bytes.assertHolds(b.memory.asSlice(START + 7, 100), 2);
    }

    /** {@code test_mw_type2}, {@code test_mw_type2_invalidate_local}. */
    @Test
    @Covers({"MW-4", "WR-18", "WR-22", "WR-36", "CQ-55", "CQ-57"})
    void aWindowOfTypeTwoIsInvalidatedByItsOwner() {
        int rkey = bindTypeTwo(window(WindowType.TYPE_2));
        assertWritable(rkey);
        b.qp.postSend(SendRequest.localInvalidate(rkey).signaled().build());
        assertThat(b.awaitSend().opcode()).isEqualTo(WcOpcode.LOCAL_INV);
        assertClosed(rkey);
    }

    /** {@code test_mw_type2_invalidate_remote}: the peer invalidates the window. */
    @Test
    void aWindowOfTypeTwoIsInvalidatedByThePeer() {
        int rkey = bindTypeTwo(window(WindowType.TYPE_2));
        assertWritable(rkey);
        b.postReceive(1, 0, 100);
        a.qp.startSend()
                .signaled()
                .sendInvalidate(rkey)
                .sge(a.mr.lkey(), a.mr.address(), 10)
                .complete();
        a.awaitSend();
        WorkCompletion received = b.awaitReceive();
        assertThat(received.flags()).containsExactly(WcFlag.WITH_INV);
        assertThat(received.immediate()).isEqualTo(rkey);
        assertClosed(rkey);
    }

    /** {@code test_mw_type2_invalidate_dealloc}. */
    @Test
    void aWindowThatIsFreedIsClosed() {
        MemoryWindow window = window(WindowType.TYPE_2);
        int rkey = bindTypeTwo(window);
        assertWritable(rkey);
        window.close();
        assertClosed(rkey);
    }

    /** IBA 10.6.7.2.2: only the peer of the queue pair that bound the window may use it. */
    @Test
    void aWindowOfTypeTwoIsForOnePeerOnly() {
        Endpoint other = endpoint(target().first(), EndpointSetup.OPEN);
        try (ForeignPair foreign = new ForeignPair(other)) {
            int rkey = bindTypeTwo(window(WindowType.TYPE_2));
            assertThat(write(foreign.from, rkey, below.iova() + START, 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
            assertWritable(rkey);
        }
    }

    /** A second connection with the same protection domain. */
    private final class ForeignPair implements AutoCloseable {
        final Endpoint from;
        private final QueuePair to;

        ForeignPair(Endpoint from) {
            this.from = from;
            to = b.pd.createQp(b.qp.initAttributes());
            to.modify(b.init().build());
            to.modify(Transitions.readyToReceive(
                            to.initAttributes().type(), LinkSetup.DEFAULT, from.qp.qpn(), b.pathTo(from))
                    .build());
            to.modify(Endpoint.readyToSend(LinkSetup.DEFAULT).build());
            from.qp.modify(from.init().build());
            from.qp.modify(
                    Transitions.readyToReceive(to.initAttributes().type(), LinkSetup.DEFAULT, to.qpn(), from.pathTo(b))
                            .build());
            from.qp.modify(Endpoint.readyToSend(LinkSetup.DEFAULT).build());
        }

        @Override
        public void close() {
            to.close();
        }
    }

    /** IBA 10.6.7.2.4: the window must be free, and its key must change. */
    @Test
    @Covers("CQ-34")
    void aBoundWindowOfTypeTwoIsNotBoundAgain() {
        MemoryWindow window = window(WindowType.TYPE_2);
        int rkey = bindTypeTwo(window);
        b.qp.postSend(SendRequest.bindWindow(window, MemoryKeys.next(rkey), binding(WRITABLE))
                .build());
        assertThat(b.awaitSends(1).getFirst().status()).isEqualTo(WcStatus.MW_BIND_ERR);
    }

    /**
     * The device checks it too, since a program can post requests that {@code SendRequest} rejects (IBA 10.6.7.2.1).
     */
    @Test
    void aRegionOfAnotherDomainIsNotBound() {
        ProtectionDomain other = closing(b.context.allocatePd());
        MemoryRegion foreign =
                closing(other.registerMemory(b.memory, Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND)));
        MemoryWindow window = window(WindowType.TYPE_1);
        b.qp.startSend()
                .signaled()
                .bindWindow(
                        window,
                        MemoryKeys.next(window.rkey()),
                        foreign,
                        foreign.iova(),
                        LENGTH,
                        AccessFlag.REMOTE_WRITE.bit())
                .complete();
        assertThat(b.awaitSends(1).getFirst().status()).isEqualTo(WcStatus.MW_BIND_ERR);
        foreign.close();
    }

    /** {@code test_reg_mw_wrong_type}, and rights that the region does not grant. */
    @Test
    @Covers({"MW-9", "MW-12", "MR-19"})
    void whatCanBeToldBeforeIsRefused() {
        MemoryWindow one = window(WindowType.TYPE_1);
        MemoryWindow two = window(WindowType.TYPE_2);
        assertRefused(Errno.EINVAL, () -> two.bind(b.qp, 1, SIGNALED, binding(WRITABLE)));
        assertRefused(Errno.EINVAL, () -> one.bind(a.qp, 1, SIGNALED, binding(WRITABLE)));
        WindowBinding noBind = WindowBinding.of(b.mr, b.mr.iova(), 10, WRITABLE);
        assertRefused(Errno.EINVAL, () -> one.bind(b.qp, 1, SIGNALED, noBind));
        WindowBinding tooLong = WindowBinding.of(below, below.iova() + 1, below.lengthBytes(), WRITABLE);
        assertRefused(Errno.EINVAL, () -> one.bind(b.qp, 1, SIGNALED, tooLong));
        assertThat(one.rkey() >>> 8).isNotEqualTo(below.rkey() >>> 8);
    }

    /** IBA 10.6.7.2.6: the registration of memory with a bound window cannot be changed. */
    @Test
    @Covers("MR-12")
    void aRegionWithAWindowIsNeitherClosedNorChanged() {
        MemoryWindow window = window(WindowType.TYPE_1);
        int rkey = bindTypeOne(window, binding(WRITABLE));
        assertRefused(Errno.EBUSY, below::close, "windows", 1);
        assertRefused(
                Errno.EBUSY, () -> below.reregister(Reregistration.empty().withAccess(Set.of(AccessFlag.LOCAL_WRITE))));
        assertWritable(rkey);
        window.close();
        below.close();
    }
}
