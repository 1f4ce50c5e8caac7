// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.kernel.DmaMapping;
import io.rdma4j.verbs.kernel.DmaTable;
import io.rdma4j.verbs.kernel.Fmr;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.DmaDirection;
import io.rdma4j.verbs.values.FmrAttributes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FmrTest {
    private static final int PAGE = FastMemoryRegion.PAGE_BYTES;
    private static final Set<AccessFlag> RIGHTS = Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
    private static final FmrAttributes ATTRIBUTES = FmrAttributes.of(2).withMaxMaps(3);

    private final Fixture fixture = new Fixture();
    private final MemorySegment memory = fixture.pages(8);
    private final Fmr fmr = Fmr.allocate(fixture.pd, ATTRIBUTES, RIGHTS);

    private MemorySegment pages(int first, int count) {
        return memory.asSlice((long) first * PAGE, (long) count * PAGE);
    }

    private void refused(String message, long iova, MemorySegment... pages) {
        assertRefused(Errno.EINVAL, message, () -> fmr.map(List.of(pages), iova));
    }

    @Test
    void itKnowsWhatItShows() {
        assertThat(fmr.mapCount()).isZero();
        fmr.map(List.of(pages(0, 1), pages(2, 1)), 0x5000);
        assertThat(fmr.iova()).isEqualTo(0x5000);
        assertThat(fmr.lengthBytes()).isEqualTo(2L * PAGE);
        assertThat(fmr.mapCount()).isEqualTo(1);
        assertThat(fmr.lkey()).isEqualTo(fmr.rkey());
        assertThat(fmr.access()).isEqualTo(RIGHTS);
        fmr.unmap();
        fmr.unmap();
        assertThat(fmr.lengthBytes()).isZero();
    }

    @Test
    void whatItCannotShowIsRefused() {
        refused("list_len 3 is not in 0..2", 0, pages(0, 3));
        refused("are no pages of 4096", 0, memory.asSlice(8, PAGE));
        refused("are no pages of 4096", 0, memory.asSlice(0, 100));
        refused("at least one piece", 0);
        refused("iova 0x64 is not a multiple of the page size 4096", 100, pages(0, 1));
        refused("end of the address space", -PAGE, pages(0, 2));
        refused("heap memory", 0, MemorySegment.ofArray(new byte[PAGE]));
        refused("read-only", 0, pages(0, 1).asReadOnly());
        fixture.device.refuseNext(Errno.ENOMEM);
        assertRefused(Errno.ENOMEM, "refused", () -> fmr.map(List.of(pages(0, 1)), 0));
        assertThat(fmr.mapCount()).isZero();
    }

    @Test
    @Covers("FMR-6")
    void itIsUnmappedAfterAsManyMapsAsItWasMadeFor() {
        for (int i = 0; i < 3; i++) {
            fmr.map(List.of(pages(i, 1)), 0);
        }
        refused("was mapped 3 times, its max_maps", 0, pages(0, 1));
        Fmr.unmap(List.of(fmr));
        fmr.map(List.of(pages(0, 1)), 0);
        assertThat(fmr.mapCount()).isEqualTo(1);
    }

    @Test
    @Covers("FMR-6")
    void aDeviceHasAsManyAsItSays() {
        for (int i = 1; i < 5; i++) {
            Fmr.allocate(fixture.pd, ATTRIBUTES, RIGHTS);
        }
        assertRefused(
                Errno.ENOMEM, "the device has 5 FMRs, its max_fmr", () -> Fmr.allocate(fixture.pd, ATTRIBUTES, RIGHTS));
        fmr.close();
        Fmr.allocate(fixture.pd, ATTRIBUTES, RIGHTS);
        fixture.device.limit(DeviceLimit.MAX_FMR, 0);
        assertRefused(Errno.EOPNOTSUPP, "max_fmr is 0", () -> Fmr.allocate(fixture.pd, ATTRIBUTES, RIGHTS));
    }

    @Test
    void whatNoRegionCanBeIsRefused() {
        allocationRefused("max_maps 5 is not in 1..4", ATTRIBUTES.withMaxMaps(5), RIGHTS);
        allocationRefused("max_maps 0 is not in 1..4", ATTRIBUTES.withMaxMaps(0), RIGHTS);
        allocationRefused("max_pages 0 is not in 1..", FmrAttributes.of(0), RIGHTS);
        allocationRefused("page_shift 11: the device has no pages of 2048 bytes", ATTRIBUTES.withPageShift(11), RIGHTS);
        allocationRefused("page_shift 63 is not in", ATTRIBUTES.withPageShift(63), RIGHTS);
        allocationRefused("MW_BIND is no right of an FMR", ATTRIBUTES, Set.of(AccessFlag.MW_BIND));
        allocationRefused("needs LOCAL_WRITE", ATTRIBUTES, Set.of(AccessFlag.REMOTE_WRITE));
    }

    private void allocationRefused(String message, FmrAttributes attributes, Set<AccessFlag> access) {
        assertRefused(Errno.EINVAL, message, () -> Fmr.allocate(fixture.pd, attributes, access));
    }

    @Test
    void pagesHaveTheSizeThatWasAskedFor() {
        Fmr large = Fmr.allocate(fixture.pd, ATTRIBUTES.withPageShift(14), RIGHTS);
        MemorySegment page = Arena.ofAuto().allocate(1 << 14, 1 << 14);
        large.map(List.of(page), 1 << 14);
        assertRefused(Errno.EINVAL, "no pages of 16384", () -> large.map(List.of(page.asSlice(0, PAGE)), 0));
        assertRefused(Errno.EINVAL, "page size 16384", () -> large.map(List.of(page), PAGE));
    }

    /** {@code ib_dealloc_fmr}. */
    @Test
    @Covers("FMR-5")
    void itIsFreedOnceNothingIsMapped() {
        fmr.map(List.of(pages(0, 1)), 0);
        assertRefused(Errno.EBUSY, "shows 4096 bytes: unmap it first", fmr::close);
        assertRefused(Errno.EBUSY, "1 FMR", fixture.pd::close);
        fmr.unmap();
        fmr.close();
        fmr.close();
        refused("is closed", 0, pages(0, 1));
        assertRefused(Errno.EINVAL, "is closed", fmr::unmap);
        fixture.pd.close();
    }

    @Test
    void mappingsOfTheDeviceStayWhileItShowsThem() {
        DmaTable dma = DmaTable.of(fixture.context);
        DmaMapping first = dma.map(pages(0, 2), DmaDirection.BIDIRECTIONAL);
        DmaMapping second = dma.map(pages(4, 1), DmaDirection.BIDIRECTIONAL);
        DmaMapping toDevice = dma.map(pages(5, 1), DmaDirection.TO_DEVICE);

        fmr.map(new long[] {first.address(), first.address() + PAGE}, 0);
        assertRefused(Errno.EBUSY, "2 FMRs", first::close);
        fmr.map(new long[] {second.address()}, 0);
        first.close();
        assertRefused(Errno.EBUSY, "1 FMR", second::close);
        assertRefused(Errno.EINVAL, "is not mapped", () -> fmr.map(new long[] {second.address() + PAGE}, 0));
        assertRefused(Errno.EINVAL, "is mapped TO_DEVICE", () -> fmr.map(new long[] {toDevice.address()}, 0));
        fmr.unmap();
        second.close();
    }
}
