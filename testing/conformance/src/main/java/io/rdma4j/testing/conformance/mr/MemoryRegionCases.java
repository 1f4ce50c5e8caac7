// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.mr;

import static io.rdma4j.testing.conformance.harness.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.conformance.harness.Bytes;
import io.rdma4j.testing.conformance.harness.Capability;
import io.rdma4j.testing.conformance.harness.ConformanceCases;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.conformance.harness.RegionTraffic;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.QpPair;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MrAttributes;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.MrInitAttributes;
import io.rdma4j.verbs.wr.Sge;
import io.rdma4j.verbs.wr.WcStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Cases for registered memory: the basic cases of {@code test_mr.MRTest} of rdma-core. */
public abstract class MemoryRegionCases extends ConformanceCases {
    private static final Set<AccessFlag> LOCAL = Set.of(AccessFlag.LOCAL_WRITE);
    private static final int PAGE = 4096;

    private ProtectionDomain pd;
    private MemorySegment memory;

    protected MemoryRegionCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    @BeforeEach
    void prepare() {
        pd = closing(context().allocatePd());
        memory = target().allocate(2 * PAGE, PAGE);
    }

    /** A region reports the parameters of its registration. */
    @Test
    @Covers({"MR-1", "MR-13", "MR-31"})
    void aRegionSaysWhatItIs() {
        MemoryRegion mr = closing(pd.registerMemory(memory, LOCAL));
        assertThat(mr.address()).isEqualTo(memory.address());
        assertThat(mr.iova()).isEqualTo(memory.address());
        assertThat(mr.lengthBytes()).isEqualTo(memory.byteSize());
        assertThat(mr.segment()).isEqualTo(memory);
        assertThat(mr.access()).isEqualTo(LOCAL);
        assertThat(mr.protectionDomain()).isSameAs(pd);
    }

    /** Linux tells the page size of each mapping in {@code smaps}. */
    @Test
    @Covers("MR-40")
    void aRegionTellsThePageSizeUnderItsMemory() {
        Assumptions.assumeTrue(Files.isReadable(Path.of("/proc/self/smaps")), "the system tells no page sizes");
        MemoryRegion mr = closing(pd.registerMemory(memory, LOCAL));
        long bytes = mr.backingPageBytes().orElseThrow();
        assertThat(Long.bitCount(bytes)).isOne();
        assertThat(bytes).isBetween(4096L, 1L << 30);
    }

    /** A right of the optional range is granted or dropped, never refused, and a region tells which. */
    @Test
    @Covers("MR-22")
    void anOptionalRightIsNotRefused() {
        Set<AccessFlag> asked = Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.RELAXED_ORDERING);
        MemoryRegion mr = closing(pd.registerMemory(memory, asked));
        assertThat(mr.access()).isEqualTo(context().understandsOptionalAccess() ? asked : LOCAL);
        assertRefused(
                Errno.EOPNOTSUPP, () -> pd.registerMemory(memory, Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.HUGETLB)));
    }

    @ParameterizedTest
    @EnumSource(
            value = AccessFlag.class,
            names = {"LOCAL_WRITE", "REMOTE_READ", "ZERO_BASED"})
    void rightsThatNeedNoOthersAreGranted(AccessFlag flag) {
        assertThat(closing(pd.registerMemory(memory, Set.of(flag))).access()).containsExactly(flag);
    }

    @Test
    void memoryMayBeRegisteredForReadingOnly() {
        assertThat(closing(pd.registerMemory(memory, Set.of())).access()).isEmpty();
        closing(pd.registerMemory(memory.asReadOnly(), Set.of()));
        assertRefused(Errno.EINVAL, () -> pd.registerMemory(memory.asReadOnly(), LOCAL));
    }

    /** {@code test_reg_mr_bad_flags}. */
    @ParameterizedTest
    @EnumSource(
            value = AccessFlag.class,
            names = {"REMOTE_WRITE", "REMOTE_ATOMIC"})
    @Covers({"MR-16", "MR-18"})
    void remoteWritingNeedsLocalWriting(AccessFlag flag) {
        assertRefused(Errno.EINVAL, () -> pd.registerMemory(memory, Set.of(flag)), flag, AccessFlag.LOCAL_WRITE);
        closing(pd.registerMemory(memory, Set.of(flag, AccessFlag.LOCAL_WRITE)));
    }

    @Test
    void memoryThatADeviceCannotUseIsRefused() {
        assertRefused(Errno.EINVAL, () -> pd.registerMemory(MemorySegment.ofArray(new byte[64]), LOCAL));
        assertRefused(Errno.EINVAL, () -> pd.registerMemory(ByteBuffer.allocate(64), LOCAL));
        assertRefused(Errno.EINVAL, () -> pd.registerMemory(memory.asSlice(0, 0), LOCAL));
        try (Arena confined = Arena.ofConfined()) {
            MemorySegment segment = confined.allocate(64);
            assertRefused(Errno.EINVAL, () -> pd.registerMemory(segment, LOCAL));
        }
        MemorySegment closed;
        try (Arena arena = Arena.ofShared()) {
            closed = arena.allocate(64);
        }
        assertRefused(Errno.EINVAL, () -> pd.registerMemory(closed, LOCAL));
    }

    @Test
    void aDirectBufferIsRegisteredFromPositionToLimit() {
        ByteBuffer buffer =
                target().allocate(100, Long.BYTES).asByteBuffer().position(10).limit(60);
        MemoryRegion mr = closing(pd.registerMemory(buffer, LOCAL));
        assertThat(mr.lengthBytes()).isEqualTo(50);
    }

    /** Also with other rights and in other protection domains. */
    @Test
    void memoryMayBeRegisteredManyTimes() {
        ProtectionDomain other = closing(context().allocatePd());
        Set<Integer> keys = new HashSet<>();
        for (int i = 0; i < 50; i++) {
            MemoryRegion mr = closing((i % 2 == 0 ? pd : other).registerMemory(memory, i % 3 == 0 ? LOCAL : Set.of()));
            assertThat(keys.add(mr.lkey())).isTrue();
        }
    }

    /** A key is reused so late that requests with an old key fail. */
    @Test
    @Covers("RXE-42")
    void aKeyIsNotUsedAgainAtOnce() {
        MemoryRegion first = pd.registerMemory(memory, LOCAL);
        first.close();
        for (int i = 0; i < 50; i++) {
            try (MemoryRegion next = pd.registerMemory(memory, LOCAL)) {
                assertThat(next.lkey()).isNotEqualTo(first.lkey());
            }
        }
    }

    @Test
    void closingTwiceIsHarmless() {
        MemoryRegion mr = pd.registerMemory(memory, LOCAL);
        mr.close();
        mr.close();
    }

    @Test
    void aPieceMustLieInItsRegion() {
        MemoryRegion mr = closing(pd.registerMemory(memory, LOCAL));
        assertThat(mr.sge(8, 16)).isEqualTo(new Sge(mr.address() + 8, 16, mr.lkey()));
        assertThat(mr.sge(2 * PAGE, 0).length()).isZero();
        assertRefused(Errno.EINVAL, () -> mr.sge(2 * PAGE, 1));
        assertRefused(Errno.EINVAL, () -> mr.sge(-1, 1));
        assertRefused(Errno.EINVAL, () -> mr.sge(1, -1));
        assertRefused(Errno.EINVAL, () -> mr.sge(Long.MAX_VALUE, Integer.MAX_VALUE));
        mr.close();
        assertRefused(Errno.EINVAL, () -> mr.sge(0, 1));
    }

    /** Work requests use addresses of the region's IOVA. */
    @Test
    @Covers({"MR-14", "MR-20", "MR-36"})
    void addressesFollowTheIova() {
        QpPair pair = connected();
        Endpoint a = pair.a();
        Endpoint b = pair.b();
        long iova = 0x7000_0000_0000L | a.memory.address() & (PAGE - 1);
        MemoryRegion elsewhere = closing(a.pd.registerMemory(a.memory, iova, LOCAL));
        MemoryRegion zeroBased =
                closing(b.pd.registerMemory(b.memory, Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.ZERO_BASED)));
        assertThat(elsewhere.iova()).isEqualTo(iova);
        assertThat(zeroBased.iova()).isZero();
        Bytes.fill(a.memory.asSlice(100, 200), 5);
        b.qp.startReceive().receive(1).sge(zeroBased.lkey(), 300, 200).complete();
        a.qp.startSend()
                .signaled()
                .send()
                .sge(elsewhere.lkey(), iova + 100, 200)
                .complete();
        b.awaitReceive();
        a.awaitSend();
        Bytes.assertHolds(b.memory.asSlice(300, 200), 5);
        assertRefused(Errno.EINVAL, () -> a.pd.registerMemory(a.memory, iova + 1, LOCAL));
        long lastPage = -PAGE | a.memory.address() & (PAGE - 1);
        assertRefused(Errno.EINVAL, () -> a.pd.registerMemory(a.memory, lastPage, LOCAL));
    }

    /** {@code ib_reg_phys_mr}: scattered pages form one address range. */
    @Test
    @Covers({"MR-4", "MR-5", "MR-30", "MR-33"})
    void scatteredPiecesAreOneRegion() {
        require(Capability.SCATTERED_REGIONS);
        QpPair pair = connected(EndpointSetup.OPEN, LinkSetup.DEFAULT);
        List<MemorySegment> pieces = new ArrayList<>();
        pieces.add(target().allocate(PAGE, PAGE).asSlice(1000));
        pieces.add(memory.asSlice(PAGE, PAGE));
        pieces.add(memory.asSlice(0, PAGE));
        pieces.add(target().allocate(PAGE, PAGE).asSlice(0, 10));
        MemoryRegion mr = closing(
                pair.b().pd.registerMemory(new MrInitAttributes(pieces, 0x4000_0000L + 1000, RegionTraffic.RIGHTS)));
        assertThat(mr.lengthBytes()).isEqualTo(PAGE - 1000 + 2 * PAGE + 10);
        RegionTraffic traffic = new RegionTraffic(pair, mr);
        traffic.everything(0);
        traffic.everything(mr.lengthBytes() - RegionTraffic.LENGTH);
        traffic.writeInto(9, 2000);
        MemorySegment whole = Arena.ofAuto().allocate(mr.lengthBytes());
        long at = 0;
        for (MemorySegment piece : pieces) {
            whole.asSlice(at).copyFrom(piece);
            at += piece.byteSize();
        }
        Bytes.assertHolds(whole.asSlice(2000, RegionTraffic.LENGTH), 9);
        assertThat(traffic.tryWriteInto(mr.lengthBytes() - RegionTraffic.LENGTH + 1))
                .isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    /** {@code test_reg_mrex_bad_flags}, {@code test_reg_mrex_inval_params}. */
    @Test
    @Covers("MR-28")
    void whatTheAttributesSayIsChecked() {
        MrInitAttributes good = MrInitAttributes.of(memory, LOCAL);
        assertRefused(Errno.EINVAL, () -> pd.registerMemory(good.withIova(memory.address() + 1)));
        assertRefused(Errno.EINVAL, () -> pd.registerMemory(new MrInitAttributes(List.of(), 0, LOCAL)));
        assertRefused(
                Errno.EINVAL, () -> pd.registerMemory(MrInitAttributes.of(memory, Set.of(AccessFlag.REMOTE_WRITE))));
        closing(pd.registerMemory(good));
    }

    @Test
    @Covers({"MR-10", "MR-11"})
    void aQueryTellsAllOfIt() {
        MemoryRegion mr = closing(pd.registerMemory(memory, LOCAL));
        assertThat(mr.query()).isEqualTo(new MrAttributes(pd, memory.address(), 2 * PAGE, LOCAL, mr.lkey(), mr.rkey()));
    }

    /** Only the region refers to the memory. */
    @Test
    @Covers("MR-33")
    void aRegionKeepsItsMemory() {
        QpPair pair = connected(EndpointSetup.OPEN, LinkSetup.DEFAULT);
        MemoryRegion mr = closing(pair.b().pd.registerMemory(target().allocate(2 * PAGE, 1), RegionTraffic.RIGHTS));
        for (int i = 0; i < 5; i++) {
            System.gc();
            new RegionTraffic(pair, mr).everything(i);
        }
    }

    /** The failed registration is undone in reverse order: no object keeps the protection domain open afterwards. */
    @Test
    @Covers({"MR-33", "RXE-39"})
    void aRegistrationThatFailsLeavesNothingBehind() {
        ProtectionDomain other = context().allocatePd();
        assertRefused(Errno.EOPNOTSUPP, () -> other.registerMemory(memory, Set.of(AccessFlag.HUGETLB)));
        MemoryRegion mr = other.registerMemory(memory, LOCAL);
        assertRefused(Errno.EBUSY, other::close);
        mr.close();
        other.close();
    }

    @Test
    @Covers("RXE-40")
    void theKeyOfAClosedRegionOpensNothing() {
        QpPair pair = connected();
        MemoryRegion mr = pair.a().pd.registerMemory(memory, LOCAL);
        int lkey = mr.lkey();
        mr.close();
        pair.b().postReceive(1, 0, 64);
        pair.a().qp.startSend().send().sge(lkey, memory.address(), 64).complete();
        assertThat(pair.a().awaitSends(1).getFirst().status()).isEqualTo(WcStatus.LOC_PROT_ERR);
        Bytes.assertUntouched(pair.b().memory);
    }
}
