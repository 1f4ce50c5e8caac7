package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.ledger.Covers;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MemoryRegionTest {
    private static final Set<AccessFlag> NONE = EnumSet.noneOf(AccessFlag.class);
    private static final Set<AccessFlag> LOCAL_WRITE = Set.of(AccessFlag.LOCAL_WRITE);

    private final Fixture fixture = new Fixture();
    private final ProtectionDomain pd = fixture.pd;
    private final MemorySegment segment = Arena.ofAuto().allocate(8192, 4096);

    @Test
    @Covers({"MR-13", "PD-2"})
    void aRegionKnowsItsMemoryKeysAndRights() {
        MemoryRegion region = pd.registerMemory(segment, LOCAL_WRITE);

        assertThat(region.segment()).isSameAs(segment);
        assertThat(region.address()).isEqualTo(segment.address());
        assertThat(region.iova()).isEqualTo(segment.address());
        assertThat(region.lengthBytes()).isEqualTo(8192);
        assertThat(region.access()).isEqualTo(LOCAL_WRITE);
        assertThat(region.protectionDomain()).isSameAs(pd);
        assertThat(region.lkey()).isNotZero();
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
    @Covers("DEV-12")
    void aRegionAboveTheDevicesLimitIsRefused() {
        MemorySegment big = Arena.ofAuto().allocate((1 << 20) + 1);

        assertRefused(Errno.EINVAL, "max_mr_size is 1048576", () -> pd.registerMemory(big, NONE));
    }

    @Test
    void readOnlyMemoryIsTakenForReadingOnly() {
        MemorySegment readOnly = segment.asReadOnly();

        assertThat(pd.registerMemory(readOnly, Set.of(AccessFlag.REMOTE_READ)).access())
                .containsExactly(AccessFlag.REMOTE_READ);
        assertRefused(Errno.EINVAL, "read-only", () -> pd.registerMemory(readOnly, LOCAL_WRITE));
    }

    @Test
    @Covers({"MR-16", "MR-18"})
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

    @Test
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
        assertThat(Sge.of(region)).isEqualTo(new Sge(segment.address(), 8192, region.lkey()));
        assertRefused(Errno.EINVAL, "1 bytes at offset 8192", () -> region.sge(8192, 1));
        assertRefused(Errno.EINVAL, "do not lie in", () -> region.sge(0, 8193));
        assertRefused(Errno.EINVAL, "do not lie in", () -> region.sge(-1, 1));
        assertRefused(Errno.EINVAL, "do not lie in", () -> region.sge(0, -1));
        assertRefused(Errno.EINVAL, "do not lie in", () -> region.sge(Long.MAX_VALUE, Integer.MAX_VALUE));
        assertRefused(Errno.EINVAL, "sge length -1", () -> new Sge(0, -1, 0));
    }
}
