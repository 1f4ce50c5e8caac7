// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.MrInitAttributes;
import io.rdma4j.verbs.values.MrType;
import io.rdma4j.verbs.wr.Sge;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MemoryRegionTest {
    private static final Set<AccessFlag> NONE = EnumSet.noneOf(AccessFlag.class);
    private static final Set<AccessFlag> LOCAL_WRITE = Set.of(AccessFlag.LOCAL_WRITE);

    private final Fixture fixture = new Fixture();
    private final ProtectionDomain pd = fixture.pd;
    private final MemorySegment segment = Arena.ofAuto().allocate(8192, 4096);

    /** Linux also records the page size of the region; here the region is one memory segment. */
    @Test
    @Covers({"MR-13", "MR-31", "PD-2", "RXE-33", "RXE-34"})
    void aRegionKnowsItsMemoryKeysAndRights() {
        MemoryRegion region = pd.registerMemory(segment, LOCAL_WRITE);

        assertThat(region.segment()).isSameAs(segment);
        assertThat(region.address()).isEqualTo(segment.address());
        assertThat(region.iova()).isEqualTo(segment.address());
        assertThat(region.lengthBytes()).isEqualTo(8192);
        assertThat(region.access()).isEqualTo(LOCAL_WRITE);
        assertThat(region.protectionDomain()).isSameAs(pd);
        assertThat(region.protectionDomain().context()).isSameAs(fixture.context);
        assertThat(region.type()).isEqualTo(MrType.USER);
        assertThat(region.lkey()).isNotZero();
        assertThat(fixture.device.lastAccess()).isEqualTo(LOCAL_WRITE);
        assertRefused(Errno.EBUSY, "1 memory region", pd::close);
    }

    @Test
    void allocatedMemoryEndsWithItsRegion() {
        MemoryRegion region = pd.allocateMemory(5000, LOCAL_WRITE);
        MemorySegment memory = region.segment();

        assertThat(memory.byteSize()).isEqualTo(5000);
        assertThat(memory.address() % 4096).isZero();
        assertThat(memory.mismatch(Arena.ofAuto().allocate(5000))).isEqualTo(-1);
        assertThat(region.access()).isEqualTo(LOCAL_WRITE);
        assertThat(region.iova()).isEqualTo(memory.address());
        region.close();
        assertThat(memory.scope().isAlive()).isFalse();
        region.close();
        pd.close();
    }

    @Test
    void memoryIsNotAllocatedForWhatCannotBeRegistered() {
        assertRefused(Errno.EINVAL, "length 0", () -> pd.allocateMemory(0, NONE));
        assertRefused(Errno.EINVAL, "length -1", () -> pd.allocateMemory(-1, NONE));
        assertRefused(Errno.EINVAL, "LOCAL_WRITE", () -> pd.allocateMemory(4096, EnumSet.of(AccessFlag.REMOTE_WRITE)));
        pd.close();
        assertRefused(Errno.EINVAL, "is closed", () -> pd.allocateMemory(4096, NONE));
    }

    @Test
    @Covers("MR-13")
    void theSameMemoryMayBeInSeveralRegionsWithDifferentRights() {
        MemoryRegion first = pd.registerMemory(segment, LOCAL_WRITE);
        MemoryRegion second = pd.registerMemory(segment, Set.of(AccessFlag.REMOTE_READ));

        assertThat(first.lkey()).isNotEqualTo(second.lkey());
    }

    @Test
    @Covers("MR-1")
    void heapMemoryIsRefused() {
        assertRefused(Errno.EINVAL, "heap memory", () -> pd.registerMemory(MemorySegment.ofArray(new byte[64]), NONE));
        assertRefused(Errno.EINVAL, "heap buffer", () -> pd.registerMemory(ByteBuffer.allocate(64), NONE));
    }

    @Test
    void aDirectBufferIsRegisteredFromItsPositionToItsLimit() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(64).position(8).limit(40);

        MemoryRegion region = pd.registerMemory(buffer, LOCAL_WRITE);

        assertThat(region.lengthBytes()).isEqualTo(32);
        assertThat(region.address()).isEqualTo(MemorySegment.ofBuffer(buffer).address());
    }

    @Test
    void emptyMemoryIsRefused() {
        assertRefused(Errno.EINVAL, "0 bytes", () -> pd.registerMemory(segment.asSlice(0, 0), NONE));
    }

    @Test
    @SuppressWarnings("resource") // the arena is closed on purpose
    void memoryOfAClosedArenaIsRefused() {
        Arena arena = Arena.ofShared();
        MemorySegment gone = arena.allocate(64);
        arena.close();

        assertRefused(Errno.EINVAL, "closed", () -> pd.registerMemory(gone, NONE));
    }

    @Test
    void memoryOfAConfinedArenaIsRefusedWithAdvice() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment confined = arena.allocate(64);
            assertRefused(Errno.EINVAL, "Arena.ofShared()", () -> pd.registerMemory(confined, NONE));
        }
    }

    @Test
    void memoryOfSharedAndGlobalArenasIsTaken() {
        try (Arena arena = Arena.ofShared();
                MemoryRegion shared = pd.registerMemory(arena.allocate(64), LOCAL_WRITE);
                MemoryRegion global = pd.registerMemory(Arena.global().allocate(64), LOCAL_WRITE)) {
            assertThat(shared.lkey()).isNotEqualTo(global.lkey());
        }
    }

    @Test
    void aRegionAboveTheDevicesLimitIsRefused() {
        MemorySegment big = Arena.ofAuto().allocate((1 << 20) + 1);

        assertRefused(Errno.EINVAL, "max_mr_size is 1048576", () -> pd.registerMemory(big, NONE));
    }

    @Test
    void piecesCountTogetherAgainstTheLimit() {
        MemorySegment big = fixture.pages(256);

        assertThat(pd.registerMemory(pieces(big)).lengthBytes()).isEqualTo(1 << 20);
        assertRefused(Errno.EINVAL, "max_mr_size is 1048576", () -> pd.registerMemory(pieces(big, segment)));
    }

    private static MrInitAttributes pieces(MemorySegment... pieces) {
        return new MrInitAttributes(List.of(pieces), pieces[0].address(), LOCAL_WRITE);
    }

    @Test
    @Covers({"MR-4", "MR-5"})
    void piecesAreOneRangeThatMayBeginAnywhereInItsFirstPage() {
        MemorySegment first = segment.asSlice(4000, 96);
        MemorySegment second = fixture.pages(1);

        MemoryRegion region = pd.registerMemory(pieces(first, second).withIova(0x5000_0000L + 4000));

        assertThat(region.pieces()).containsExactly(first, second);
        assertThat(region.iova()).isEqualTo(0x5000_0000L + 4000);
        assertThat(region.lengthBytes()).isEqualTo(96 + 4096);
        assertThat(region.address()).isEqualTo(first.address());
        assertThat(region.sge(96, 4096).address()).isEqualTo(0x5000_0000L + 4096);
        assertRefused(Errno.EINVAL, "2 pieces", region::segment);
    }

    @Test
    @Covers({"MR-4", "MR-5"})
    void piecesThatDoNotMeetAtPageBordersAreRefused() {
        MemorySegment page = fixture.pages(1);

        assertRefused(Errno.EINVAL, "piece 0 leaves a gap", () -> pd.registerMemory(pieces(page.asSlice(0, 8), page)));
        assertRefused(Errno.EINVAL, "piece 1 leaves a gap", () -> pd.registerMemory(pieces(page, page.asSlice(8))));
        assertRefused(
                Errno.EINVAL, "at least one piece", () -> pd.registerMemory(new MrInitAttributes(List.of(), 0, NONE)));
        assertRefused(
                Errno.EINVAL, "heap memory", () -> pd.registerMemory(pieces(page, MemorySegment.ofArray(new byte[8]))));
    }

    /** The device decides, independent of the requested flag, and the region reports it. */
    @Test
    @Covers({"MR-4", "MR-20"})
    void aZeroBasedRegionTellsThatItsAddressWasChanged() {
        MrInitAttributes attributes = new MrInitAttributes(
                List.of(segment.asSlice(5)), 0x1005, Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.ZERO_BASED));

        assertThat(pd.registerMemory(attributes).iova()).isZero();
    }

    @Test
    @Covers({"MR-10", "MR-11"})
    void aQueryTellsAllOfIt() {
        MemoryRegion region = pd.registerMemory(segment, 0x7000_0000L, LOCAL_WRITE);

        assertThat(region.query())
                .isEqualTo(new MrAttributes(pd, 0x7000_0000L, 8192, LOCAL_WRITE, region.lkey(), region.rkey()));
        region.close();
        assertRefused(Errno.EINVAL, "is closed", region::query);
    }

    /** {@code IBV_ACCESS_RELAXED_ORDERING} is in {@code IBV_ACCESS_OPTIONAL_RANGE}. */
    @Test
    @Covers("RXE-33")
    void optionalRightsReachOnlyADeviceThatKnowsOfThem() {
        Set<AccessFlag> both = Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.RELAXED_ORDERING);
        MemoryRegion region = pd.registerMemory(segment, both);

        assertThat(region.access()).isEqualTo(LOCAL_WRITE);
        assertThat(fixture.device.lastAccess()).isEqualTo(LOCAL_WRITE);
        region.reregister(Reregistration.empty().withAccess(both));
        assertThat(fixture.device.lastAccess()).isEqualTo(LOCAL_WRITE);
        fixture.device.learnOptionalAccess();
        region.reregister(Reregistration.empty().withAccess(both));
        assertThat(fixture.device.lastAccess()).isEqualTo(both);
        assertThat(region.access()).isEqualTo(both);
    }

    @Test
    void theOptionalRangeIsBits20To29() {
        assertThat(AccessFlag.RELAXED_ORDERING.bit()).isEqualTo(1 << 20);
        assertThat(AccessFlag.values()).filteredOn(AccessFlag::isOptional).containsExactly(AccessFlag.RELAXED_ORDERING);
    }

    /** Implicit on-demand paging is not supported; {@code ibv_reg_mr} without it rejects such a region as invalid. */
    @Test
    @Covers({"MR-21", "RXE-34"})
    @SuppressWarnings("restricted") // an application would request the whole address space in this way
    void theWholeAddressSpaceIsNoRegion() {
        MemorySegment everything = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

        assertRefused(
                Errno.EOPNOTSUPP,
                "implicit on-demand paging",
                () -> pd.registerMemory(everything, Set.of(AccessFlag.ON_DEMAND)));
        assertRefused(Errno.EINVAL, "whole address space", () -> pd.registerMemory(everything, NONE));
    }

    @Test
    void readOnlyMemoryIsTakenForReadingOnly() {
        MemorySegment readOnly = segment.asReadOnly();

        assertThat(pd.registerMemory(readOnly, Set.of(AccessFlag.REMOTE_READ)).access())
                .containsExactly(AccessFlag.REMOTE_READ);
        assertRefused(Errno.EINVAL, "read-only", () -> pd.registerMemory(readOnly, LOCAL_WRITE));
    }

    @Test
    @Covers({"MR-16", "MR-18", "MR-28", "RXE-35", "RXE-36"})
    void remoteWritingRightsNeedTheLocalOne() {
        assertRefused(
                Errno.EINVAL,
                "REMOTE_WRITE needs LOCAL_WRITE",
                () -> pd.registerMemory(segment, Set.of(AccessFlag.REMOTE_WRITE)));
        assertRefused(
                Errno.EINVAL,
                "REMOTE_ATOMIC needs LOCAL_WRITE",
                () -> pd.registerMemory(segment, Set.of(AccessFlag.REMOTE_ATOMIC, AccessFlag.REMOTE_READ)));
        pd.registerMemory(segment, Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC));
    }

    @Test
    @Covers("MR-14")
    void workRequestsUseTheIovaThatWasAskedFor() {
        MemoryRegion region = pd.registerMemory(segment, 0x7000_0000L, LOCAL_WRITE);

        assertThat(region.iova()).isEqualTo(0x7000_0000L);
        assertThat(region.address()).isEqualTo(segment.address());
        assertThat(region.sge(16, 8)).isEqualTo(new Sge(0x7000_0010L, 8, region.lkey()));
    }

    @Test
    @Covers("MR-20")
    void aZeroBasedRegionStartsAtZero() {
        assertThat(pd.registerMemory(segment.asSlice(5), Set.of(AccessFlag.ZERO_BASED))
                        .iova())
                .isZero();
    }

    /** Linux also rejects an invalid DMA handle ({@code dmah}); DMA handles are not supported here. */
    @Test
    @Covers({"MR-28", "RXE-35"})
    void anIovaThatDoesNotFitIsRefused() {
        assertRefused(Errno.EINVAL, "end of the address space", () -> pd.registerMemory(segment, -4096L, NONE));
        assertRefused(Errno.EINVAL, "same offset within a page", () -> pd.registerMemory(segment, 1L, NONE));
        assertThat(pd.registerMemory(segment, -8192L, NONE).iova()).isEqualTo(-8192L);
    }

    @Test
    @Covers("WR-4")
    void anElementLiesWithinItsRegion() {
        MemoryRegion region = pd.registerMemory(segment, LOCAL_WRITE);

        assertThat(region.sge(8191, 1).address()).isEqualTo(segment.address() + 8191);
        assertThat(region.sge()).isEqualTo(new Sge(segment.address(), 8192, region.lkey()));
        assertRefused(Errno.EINVAL, "1 bytes at offset 8192", () -> region.sge(8192, 1));
        assertRefused(Errno.EINVAL, "do not lie in", () -> region.sge(0, 8193));
        assertRefused(Errno.EINVAL, "do not lie in", () -> region.sge(-1, 1));
        assertRefused(Errno.EINVAL, "do not lie in", () -> region.sge(0, -1));
        assertRefused(Errno.EINVAL, "do not lie in", () -> region.sge(Long.MAX_VALUE, Integer.MAX_VALUE));
        assertRefused(Errno.EINVAL, "sge length -1", () -> new Sge(0, -1, 0));
    }
}
