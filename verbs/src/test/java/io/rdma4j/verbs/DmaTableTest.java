// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.kernel.DmaMapping;
import io.rdma4j.verbs.kernel.DmaScatterMapping;
import io.rdma4j.verbs.kernel.DmaTable;
import io.rdma4j.verbs.kernel.PinnedPages;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.DmaAttribute;
import io.rdma4j.verbs.values.DmaDirection;
import io.rdma4j.verbs.values.PhysicalBuffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DmaTableTest {
    private static final int PAGE = FastMemoryRegion.PAGE_BYTES;

    private final Fixture fixture = new Fixture();
    private final DmaTable dma = DmaTable.of(fixture.context);
    private final MemorySegment memory = fixture.pages(4);

    /** Every test must close its mappings, otherwise the context cannot be closed. */
    @AfterEach
    void nothingIsLeft() {
        fixture.pd.close();
        fixture.context.close();
    }

    @Test
    @Covers({"DMA-1", "DMA-4", "DMA-5"})
    void whatIsUnmappedIsWhatWasMapped() {
        DmaMapping mapping = dma.map(memory.asSlice(8, 100), DmaDirection.TO_DEVICE);
        long address = mapping.address();

        assertRefused(
                Errno.EINVAL, "was mapped with size 100, not 99", () -> dma.unmap(address, 99, DmaDirection.TO_DEVICE));
        assertRefused(
                Errno.EINVAL,
                "was mapped with direction TO_DEVICE, not BIDIRECTIONAL",
                () -> dma.unmap(address, 100, DmaDirection.BIDIRECTIONAL));
        assertRefused(
                Errno.EINVAL, "nothing is mapped at 0x", () -> dma.unmap(address + 1, 99, DmaDirection.TO_DEVICE));
        dma.unmap(address, 100, DmaDirection.TO_DEVICE);
        assertRefused(Errno.EINVAL, "nothing is mapped", () -> dma.unmap(address, 100, DmaDirection.TO_DEVICE));
        mapping.close();
    }

    @Test
    @Covers({"DMA-6", "DMA-7"})
    void theAttributesOfAMappingAreKept() {
        DmaMapping plain = dma.map(memory, DmaDirection.TO_DEVICE, (DmaAttribute[]) null);
        DmaMapping mapping = dma.map(memory, DmaDirection.TO_DEVICE, DmaAttribute.WEAK_ORDERING);

        assertThat(plain.attributes()).isEmpty();
        assertThat(mapping.attributes()).containsExactly(DmaAttribute.WEAK_ORDERING);
        assertRefused(
                Errno.EINVAL,
                "was mapped with attributes [WEAK_ORDERING], not []",
                () -> dma.unmap(mapping.address(), 4L * PAGE, DmaDirection.TO_DEVICE));
        dma.unmap(mapping.address(), 4L * PAGE, DmaDirection.TO_DEVICE, DmaAttribute.WEAK_ORDERING);
        dma.unmap(plain.address(), 4L * PAGE, DmaDirection.TO_DEVICE);
    }

    @Test
    void aMappingThatFailedHasAnAddressThatNoDeviceHas() {
        fixture.device.refuseNext(Errno.ENOMEM);
        assertThat(dma.isMappingError(dma.tryMap(memory, DmaDirection.TO_DEVICE)))
                .isTrue();
        long address = dma.tryMap(memory, DmaDirection.TO_DEVICE);
        assertThat(dma.isMappingError(address)).isFalse();
        dma.unmap(address, 4L * PAGE, DmaDirection.TO_DEVICE);
        fixture.device.refuseNext(Errno.EIO);
        assertRefused(Errno.EIO, "refused", () -> dma.tryMap(memory, DmaDirection.TO_DEVICE));
        fixture.device.refuseNext(Errno.ENOMEM);
        assertRefused(Errno.ENOMEM, "refused", () -> dma.map(memory, DmaDirection.TO_DEVICE));
    }

    @Test
    void whileDebuggingEveryAddressMustBeAskedAbout() {
        dma.debug(true);
        long address = dma.tryMap(memory, DmaDirection.TO_DEVICE);
        assertRefused(
                Errno.EINVAL,
                "isMappingError was not called",
                () -> dma.unmap(address, 4L * PAGE, DmaDirection.TO_DEVICE));
        assertThat(dma.isMappingError(address)).isFalse();
        dma.unmap(address, 4L * PAGE, DmaDirection.TO_DEVICE);
    }

    @Test
    @Covers({"DMA-8", "DMA-9"})
    void aPartOfAPageLiesInThePage() {
        MemorySegment page = memory.asSlice(PAGE, PAGE);
        DmaMapping mapping = dma.mapPage(page, 100, 50, DmaDirection.TO_DEVICE);
        assertThat(mapping.segment().address()).isEqualTo(page.address() + 100);
        assertThat(mapping.lengthBytes()).isEqualTo(50);
        assertRefused(
                Errno.EINVAL, "size 50, not 4096", () -> dma.unmap(mapping.address(), PAGE, DmaDirection.TO_DEVICE));
        dma.unmap(mapping.address(), 50, DmaDirection.TO_DEVICE);
        assertRefused(
                Errno.EINVAL,
                "4000 bytes at offset 97 do not lie in a page of 4096",
                () -> dma.mapPage(page, 97, 4000, DmaDirection.TO_DEVICE));
        for (MemorySegment none : List.of(memory.asSlice(8, PAGE), memory, memory.asSlice(0, 8))) {
            assertRefused(Errno.EINVAL, "are no page", () -> dma.mapPage(none, 0, 8, DmaDirection.TO_DEVICE));
        }
    }

    @Test
    @Covers({"DMA-10", "DMA-12"})
    void aListIsMappedAsAWholeOrNotAtAll() {
        MemorySegment heap = MemorySegment.ofArray(new byte[8]);
        assertRefused(
                Errno.EINVAL, "heap memory", () -> dma.map(List.of(memory, memory, heap), DmaDirection.BIDIRECTIONAL));
        assertRefused(Errno.EINVAL, "at least one piece", () -> dma.map(List.of(), DmaDirection.BIDIRECTIONAL));
    }

    @Test
    @Covers({"DMA-11", "DMA-13"})
    void aListIsUnmappedAsItWasMapped() {
        DmaScatterMapping list = dma.map(
                List.of(memory.asSlice(0, 10), memory.asSlice(10, 10)),
                DmaDirection.FROM_DEVICE,
                DmaAttribute.WRITE_BARRIER);
        long first = list.entries().getFirst().address();

        assertRefused(
                Errno.EINVAL,
                "with 2 pieces, and is to be unmapped with 1",
                () -> dma.unmap(list, 1, DmaDirection.FROM_DEVICE, DmaAttribute.WRITE_BARRIER));
        assertRefused(
                Errno.EINVAL,
                "direction FROM_DEVICE, not TO_DEVICE",
                () -> dma.unmap(list, 2, DmaDirection.TO_DEVICE, DmaAttribute.WRITE_BARRIER));
        assertRefused(
                Errno.EINVAL, "attributes [WRITE_BARRIER], not []", () -> dma.unmap(list, 2, DmaDirection.FROM_DEVICE));
        assertRefused(
                Errno.EINVAL,
                "part of a scatter list, not single",
                () -> dma.unmap(first, 10, DmaDirection.FROM_DEVICE, DmaAttribute.WRITE_BARRIER));
        dma.unmap(list, 2, DmaDirection.FROM_DEVICE, DmaAttribute.WRITE_BARRIER);
        assertRefused(
                Errno.EINVAL,
                "is closed",
                () -> dma.unmap(list, 2, DmaDirection.FROM_DEVICE, DmaAttribute.WRITE_BARRIER));
        list.close();
    }

    @Test
    void aListOfAnotherContextIsRefused() {
        Context other = fixture.host.open("loop0");
        try (DmaScatterMapping list = DmaTable.of(other).map(List.of(memory), DmaDirection.TO_DEVICE)) {
            assertRefused(Errno.EINVAL, "belongs to another context", () -> dma.unmap(list, 1, DmaDirection.TO_DEVICE));
        }
        other.close();
    }

    @Test
    @Covers({"DMA-18", "DMA-19"})
    void coherentMemoryIsFreedAsItWasAllocated() {
        DmaMapping mapping = dma.allocateCoherent(100);
        MemorySegment here = mapping.segment();
        long there = mapping.address();

        assertThat(here.byteSize()).isEqualTo(100);
        assertThat(here.address() % PAGE).isZero();
        assertThat(mapping.direction()).isEqualTo(DmaDirection.BIDIRECTIONAL);
        assertRefused(Errno.EINVAL, "size 100, not 101", () -> dma.freeCoherent(101, here, there));
        assertRefused(Errno.EINVAL, "is to be freed at 0x", () -> dma.freeCoherent(100, memory, there));
        assertRefused(Errno.EINVAL, "nothing is mapped", () -> dma.freeCoherent(100, here, there + 1));
        assertRefused(
                Errno.EINVAL, "coherent memory, not single", () -> dma.unmap(there, 100, DmaDirection.BIDIRECTIONAL));
        assertRefused(Errno.EINVAL, "is coherent", mapping::syncForCpu);
        dma.freeCoherent(100, here, there);
        assertThat(here.scope().isAlive()).isFalse();
        assertRefused(Errno.EINVAL, "size 0 is not in 1..", () -> dma.allocateCoherent(0));
        fixture.device.refuseNext(Errno.ENOMEM);
        assertRefused(Errno.ENOMEM, "refused", () -> dma.allocateCoherent(100));
    }

    @Test
    @Covers({"DMA-16", "DMA-17"})
    void whileDebuggingTheProgramKeepsToItsTurnAsWell() {
        DmaMapping mapping = dma.map(memory, DmaDirection.BIDIRECTIONAL);
        mapping.syncForDevice();
        assertThat(mapping.segment()).isSameAs(memory);
        dma.debug(true);
        assertRefused(Errno.EBUSY, "is the device's (BIDIRECTIONAL)", mapping::segment);
        assertRefused(Errno.EINVAL, "is the device's already", mapping::syncForDevice);
        assertRefused(
                Errno.EINVAL,
                "direction BIDIRECTIONAL, not FROM_DEVICE",
                () -> dma.syncForCpu(mapping.address(), 4L * PAGE, DmaDirection.FROM_DEVICE));
        dma.syncForCpu(mapping.address(), 4L * PAGE, DmaDirection.BIDIRECTIONAL);
        assertThat(mapping.segment()).isSameAs(memory);
        assertRefused(Errno.EINVAL, "is the program's already", mapping::syncForCpu);
        mapping.close();
        assertRefused(Errno.EINVAL, "is closed", mapping::syncForDevice);
    }

    @Test
    void whileDebuggingMemoryThatTheDeviceWritesIsMappedOnce() {
        dma.debug(true);
        DmaMapping read = dma.map(memory.asSlice(0, 100), DmaDirection.TO_DEVICE);
        DmaMapping readAsWell = dma.map(memory.asSlice(50, 100), DmaDirection.TO_DEVICE);
        assertRefused(
                Errno.EEXIST,
                "are to be mapped FROM_DEVICE",
                () -> dma.map(memory.asSlice(140, 100), DmaDirection.FROM_DEVICE));
        DmaMapping written = dma.map(memory.asSlice(150, 100), DmaDirection.FROM_DEVICE);
        assertRefused(Errno.EEXIST, "FROM_DEVICE", () -> dma.map(memory.asSlice(200, 1), DmaDirection.TO_DEVICE));
        List.of(read, readAsWell, written).forEach(DmaMapping::close);
    }

    @Test
    @Covers("DMA-3")
    void readOnlyMemoryIsMappedToTheDeviceOnly() {
        dma.map(memory.asReadOnly(), DmaDirection.TO_DEVICE).close();
        for (DmaDirection direction : Set.of(DmaDirection.FROM_DEVICE, DmaDirection.BIDIRECTIONAL)) {
            assertRefused(Errno.EINVAL, "only TO_DEVICE", () -> dma.map(memory.asReadOnly(), direction));
        }
    }

    @Test
    @Covers("DMA-20")
    void pinnedPagesKeepTheirContextOpenAndStayWhileTheyAreMapped() {
        PinnedPages pages = dma.pin(memory.asSlice(10, 2 * PAGE));
        assertThat(pages.pages()).extracting(MemorySegment::byteSize).containsExactly(PAGE - 10L, (long) PAGE, 10L);
        assertRefused(Errno.EBUSY, "1 range of pinned pages", fixture.context::close);
        DmaScatterMapping list = pages.map(DmaDirection.TO_DEVICE);
        assertRefused(Errno.EBUSY, "1 DMA mapping", pages::close);
        list.close();
        list.close();
        pages.close();
        pages.close();
        assertRefused(Errno.EINVAL, "is closed", () -> pages.map(DmaDirection.TO_DEVICE));
        assertRefused(Errno.EINVAL, "confined", () -> dma.pin(Arena.ofConfined().allocate(8)));
    }

    @Test
    void aRegionOfPhysicalBuffersIsAboutMappedMemory() {
        DmaMapping mapping = dma.map(memory, DmaDirection.BIDIRECTIONAL);
        DmaMapping toDevice = dma.map(memory, DmaDirection.TO_DEVICE);
        PhysicalBuffer part = new PhysicalBuffer(mapping.address() + PAGE, 2L * PAGE);
        MemoryRegion region = fixture.pd.registerPhysical(List.of(part), 0x10000, Set.of(AccessFlag.LOCAL_WRITE));

        assertThat(region.address()).isEqualTo(memory.address() + PAGE);
        assertThat(region.iova()).isEqualTo(0x10000);
        assertThat(region.lengthBytes()).isEqualTo(2L * PAGE);
        assertRefused(Errno.EBUSY, "1 memory region", mapping::close);
        region.close();
        physicalRefused("is not mapped by one mapping", new PhysicalBuffer(mapping.address() + 1, 4L * PAGE));
        physicalRefused("is not mapped by one mapping", new PhysicalBuffer(1, 1));
        physicalRefused("is mapped TO_DEVICE: too little", new PhysicalBuffer(toDevice.address(), 1));
        assertRefused(Errno.EINVAL, "it must have 1 at least", () -> new PhysicalBuffer(1, 0));
        mapping.close();
        toDevice.close();
        physicalRefused("is not mapped", part);
    }

    private void physicalRefused(String message, PhysicalBuffer buffer) {
        assertRefused(
                Errno.EINVAL,
                message,
                () -> fixture.pd.registerPhysical(List.of(buffer), 0, Set.of(AccessFlag.LOCAL_WRITE)));
    }
}
