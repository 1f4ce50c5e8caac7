package io.rdma4j.testing.conformance;

import static io.rdma4j.testing.conformance.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.DeviceCapability;
import io.rdma4j.verbs.FastMemoryRegion;
import io.rdma4j.verbs.MemoryKeys;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.Reregistration;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Registration by work request, its end by either side, and registrations that change ({@code ibv_rereg_mr}). */
public abstract class FastRegistrationCases extends ConformanceCases {
    private static final int PAGE = FastMemoryRegion.PAGE_BYTES;
    private static final Set<AccessFlag> RIGHTS = Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);

    private Endpoint a;
    private Endpoint b;
    private MemorySegment memory;
    private FastMemoryRegion region;

    protected FastRegistrationCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    @BeforeEach
    void prepare() {
        require(DeviceCapability.MEM_MGT_EXTENSIONS);
        Pair pair = connected(EndpointSetup.OPEN, LinkSetup.DEFAULT);
        a = pair.a();
        b = pair.b();
        memory = Arena.ofAuto().allocate(8 * PAGE, PAGE);
        region = closing(b.pd.allocateFastRegion(8));
    }

    private void register(int key) {
        b.qp.postSend(SendRequest.registerMemory(region, key, RIGHTS).signaled().build());
        assertThat(b.awaitSend().opcode()).isEqualTo(WcOpcode.REG_MR);
    }

    private WcStatus write(int rkey, long remote, int length) {
        a.qp.startSend()
                .signaled()
                .rdmaWrite(rkey, remote)
                .sge(a.mr.lkey(), a.mr.address(), length)
                .complete();
        return a.awaitSends(1).getFirst().status();
    }

    @Test
    @Covers({"WR-18", "WR-19"})
    void aRegionIsRegisteredAndInvalidatedAgainAndAgain() {
        int key = region.key();
        for (int round = 0; round < 3; round++) {
            MemorySegment part = memory.asSlice(2L * round * PAGE, 2 * PAGE);
            region.map(List.of(part));
            key = MemoryKeys.next(key);
            register(key);
            Bytes.fill(a.memory.asSlice(0, 5000), round);
            assertThat(write(key, part.address() + 100, 5000)).isEqualTo(WcStatus.SUCCESS);
            Bytes.assertHolds(part.asSlice(100, 5000), round);
            b.qp.postSend(SendRequest.localInvalidate(key).signaled().build());
            b.awaitSend();
        }
        assertThat(write(key, memory.address(), 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    @Test
    void piecesFollowOneAnother() {
        MemorySegment second = Arena.ofAuto().allocate(PAGE, PAGE);
        region.map(List.of(memory.asSlice(PAGE, PAGE), second));
        register(region.key());
        Bytes.fill(a.memory.asSlice(0, PAGE), 3);
        assertThat(write(region.key(), region.iova() + PAGE / 2, PAGE)).isEqualTo(WcStatus.SUCCESS);
        Bytes.fill(a.memory.asSlice(PAGE, 2 * PAGE), 99);
        assertThat(memory.asSlice(PAGE + PAGE / 2, PAGE / 2).mismatch(a.memory.asSlice(0, PAGE / 2)))
                .isEqualTo(-1);
        assertThat(second.asSlice(0, PAGE / 2).mismatch(a.memory.asSlice(PAGE / 2, PAGE / 2)))
                .isEqualTo(-1);
    }

    /** The peer says that it is done with the memory. */
    @Test
    @Covers("WR-16")
    void aPeerThatNeedsTheRegionNoLongerInvalidatesIt() {
        region.map(List.of(memory));
        register(region.key());
        assertThat(write(region.key(), memory.address(), 10)).isEqualTo(WcStatus.SUCCESS);
        b.postReceive(1, 0, 0);
        a.qp.postSend(SendRequest.sendWithInvalidate(region.key()).build());
        assertThat(b.awaitReceive().immediate()).isEqualTo(region.key());
        assertThat(write(region.key(), memory.address(), 10)).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    /** Where a READ landed is nobody's business afterwards. */
    @Test
    @Covers("WR-17")
    void aReadInvalidatesTheRegionThatItLandedIn() {
        region.map(List.of(memory));
        register(region.key());
        Bytes.fill(a.memory.asSlice(0, 3000), 6);
        b.qp.startSend()
                .signaled()
                .rdmaReadInvalidate(a.mr.rkey(), a.remote(0), region.key())
                .sge(region.key(), memory.address(), 3000)
                .complete();
        b.awaitSend();
        Bytes.assertHolds(memory.asSlice(0, 3000), 6);
        assertThat(write(region.key(), memory.address(), 10)).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    /** IBA 11.4.1.1: what is registered must be invalidated before; nothing is registered that was not mapped. */
    @Test
    void aRegionIsNotRegisteredTwice() {
        assertRefused(
                Errno.EINVAL,
                () -> b.qp.postSend(
                        SendRequest.registerMemory(region, region.key(), RIGHTS).build()));
        region.map(List.of(memory));
        register(region.key());
        b.qp.postSend(SendRequest.registerMemory(region, MemoryKeys.next(region.key()), RIGHTS)
                .build());
        assertThat(b.awaitSends(1).getFirst().status()).isNotEqualTo(WcStatus.SUCCESS);
    }

    private MemoryRegion ordinary(Set<AccessFlag> access) {
        return closing(b.pd.registerMemory(memory, access));
    }

    /** {@code IBV_REREG_MR_CHANGE_ACCESS}. */
    @Test
    @Covers("MR-9")
    void rightsCanBeTakenBack() {
        MemoryRegion mr = ordinary(RIGHTS);
        assertThat(write(mr.rkey(), mr.iova(), 10)).isEqualTo(WcStatus.SUCCESS);
        mr.reregister(Reregistration.empty().withAccess(Set.of(AccessFlag.LOCAL_WRITE)));
        assertThat(write(mr.rkey(), mr.iova(), 10)).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    /** {@code IBV_REREG_MR_CHANGE_TRANSLATION}: what was there before is no more. */
    @Test
    @Covers("MR-7")
    void memoryCanBeExchanged() {
        MemoryRegion mr = ordinary(RIGHTS);
        int old = mr.rkey();
        MemorySegment other = Arena.ofAuto().allocate(PAGE, PAGE);
        mr.reregister(Reregistration.empty().withSegment(other));
        Bytes.fill(a.memory.asSlice(0, PAGE), 4);
        assertThat(write(mr.rkey(), mr.iova(), PAGE)).isEqualTo(WcStatus.SUCCESS);
        Bytes.assertHolds(other, 4);
        Bytes.assertUntouched(memory);
        assertThat(write(old, memory.address(), 10)).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    /** {@code IBV_REREG_MR_CHANGE_PD}: the queue pair is of the old domain. */
    @Test
    @Covers("MR-8")
    void aRegionCanMoveToAnotherDomain() {
        ProtectionDomain other = closing(b.context.allocatePd());
        MemoryRegion mr = ordinary(RIGHTS);
        mr.reregister(Reregistration.empty().withDomain(other));
        assertThat(mr.protectionDomain()).isSameAs(other);
        assertThat(write(mr.rkey(), mr.iova(), 10)).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }
}
