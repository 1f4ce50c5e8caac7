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
import io.rdma4j.verbs.kernel.DmaMapping;
import io.rdma4j.verbs.kernel.DmaScatterMapping;
import io.rdma4j.verbs.kernel.DmaTable;
import io.rdma4j.verbs.kernel.PinnedPages;
import io.rdma4j.verbs.values.DmaAttribute;
import io.rdma4j.verbs.values.DmaDirection;
import io.rdma4j.verbs.values.PhysicalBuffer;
import io.rdma4j.verbs.wr.WcStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Cases for memory mapped for a device ({@code ib_dma_*}), accessed by requests with the key of a DMA region. */
public abstract class DmaMappingCases extends ConformanceCases {
    private static final int PAGE = 4096;
    private static final int LENGTH = RegionTraffic.LENGTH;

    private QpPair pair;
    private Endpoint b;
    private DmaTable dma;
    private MemorySegment memory;
    private MemoryRegion region;
    private RegionTraffic traffic;

    protected DmaMappingCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    @BeforeEach
    void prepare() {
        require(Capability.DMA_REGIONS);
        pair = connected(EndpointSetup.OPEN, LinkSetup.DEFAULT);
        b = pair.b();
        dma = DmaTable.of(b.context);
        memory = target().allocate(8 * PAGE, PAGE);
        region = closing(b.pd.dmaRegion(RegionTraffic.RIGHTS));
        traffic = new RegionTraffic(pair, region);
    }

    /** {@code ib_dma_map_single}, {@code ib_dma_unmap_single}. */
    @Test
    @Covers({"DMA-1", "DMA-4", "DMA-5"})
    void theDeviceReachesMemoryFromMappingToUnmapping() {
        long address = dma.map(memory.asSlice(100, 2 * PAGE), DmaDirection.BIDIRECTIONAL)
                .address();
        traffic.everything(address + 4);
        traffic.writeInto(1, address + 4);
        Bytes.assertHolds(memory.asSlice(104, LENGTH), 1);
        dma.unmap(address, 2 * PAGE, DmaDirection.BIDIRECTIONAL);
        memory.fill((byte) 0);
        assertThat(traffic.tryWriteInto(address + 4)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        Bytes.assertUntouched(memory);
    }

    @Test
    @Covers("DMA-3")
    void memoryMappedToTheDeviceIsReadAndNotWritten() {
        Bytes.fill(memory.asSlice(0, LENGTH), 1);
        DmaMapping mapping = closing(dma.map(memory.asReadOnly(), DmaDirection.TO_DEVICE));
        traffic.sendFrom(1, mapping.address());
        traffic.readFrom(1, mapping.address());
        assertThat(traffic.tryWriteInto(mapping.address())).isEqualTo(WcStatus.REM_ACCESS_ERR);
        Bytes.assertHolds(memory.asSlice(0, LENGTH), 1);
    }

    @Test
    @Covers("DMA-3")
    void whatArrivesDoesNotLandInMemoryMappedToTheDevice() {
        DmaMapping mapping = closing(dma.map(memory, DmaDirection.TO_DEVICE));
        assertThat(traffic.sendInto(1, mapping.address())).isNotEqualTo(WcStatus.SUCCESS);
        assertThat(b.awaitReceives(1).getFirst().status()).isEqualTo(WcStatus.LOC_PROT_ERR);
        Bytes.assertUntouched(memory);
    }

    @Test
    @Covers("DMA-3")
    void memoryMappedFromTheDeviceIsWrittenAndNotRead() {
        DmaMapping mapping = closing(dma.map(memory, DmaDirection.FROM_DEVICE));
        assertThat(traffic.sendInto(1, mapping.address())).isEqualTo(WcStatus.SUCCESS);
        traffic.writeInto(2, mapping.address());
        traffic.readInto(3, mapping.address());
        Bytes.assertHolds(memory.asSlice(0, LENGTH), 3);
        assertThat(traffic.tryFetchAdd(mapping.address())).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    @Test
    @Covers("DMA-3")
    void nothingIsSentFromMemoryMappedFromTheDevice() {
        DmaMapping mapping = closing(dma.map(memory, DmaDirection.FROM_DEVICE));
        b.qp.startSend()
                .signaled()
                .send()
                .sge(region.lkey(), mapping.address(), LENGTH)
                .complete();
        assertThat(b.awaitSends(1).getFirst().status()).isEqualTo(WcStatus.LOC_PROT_ERR);
    }

    /** {@code ib_dma_map_page}, {@code ib_dma_unmap_page}. */
    @Test
    @Covers({"DMA-8", "DMA-9"})
    void aPartOfAPageIsMapped() {
        MemorySegment page = memory.asSlice(PAGE, PAGE);
        DmaMapping mapping = dma.mapPage(page, 200, 8, DmaDirection.BIDIRECTIONAL);
        assertThat(mapping.address() % PAGE).isEqualTo(200);
        traffic.fetchAdd(mapping.address());
        assertThat(page.get(ValueLayout.JAVA_LONG, 200)).isEqualTo(2);
        dma.unmap(mapping.address(), 8, DmaDirection.BIDIRECTIONAL);
        assertThat(traffic.tryFetchAdd(mapping.address())).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    /** {@code ib_dma_map_sg}, {@code ib_sg_dma_address}, {@code ib_sg_dma_len}, {@code ib_dma_unmap_sg}. */
    @Test
    @Covers({"DMA-10", "DMA-11", "DMA-12", "DMA-13", "DMA-14", "DMA-15"})
    void allPiecesOfAListAreMappedAndUnmapped() {
        List<MemorySegment> pieces = List.of(
                memory.asSlice(5 * PAGE, 2 * PAGE), memory.asSlice(8, LENGTH + 1), memory.asSlice(3 * PAGE, LENGTH));
        DmaScatterMapping list = dma.map(pieces, DmaDirection.BIDIRECTIONAL, DmaAttribute.WEAK_ORDERING);
        assertThat(list.entries())
                .extracting(PhysicalBuffer::lengthBytes)
                .containsExactly(2L * PAGE, LENGTH + 1L, (long) LENGTH);
        for (int i = 0; i < pieces.size(); i++) {
            traffic.writeInto(i, list.entries().get(i).address());
            Bytes.assertHolds(pieces.get(i).asSlice(0, LENGTH), i);
        }
        dma.unmap(list, 3, DmaDirection.BIDIRECTIONAL, DmaAttribute.WEAK_ORDERING);
        assertThat(traffic.tryWriteInto(list.entries().getLast().address())).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    /** {@code ib_dma_sync_single_for_cpu}. */
    @Test
    @Covers("DMA-16")
    void memoryThatTheProgramHasIsNotTouchedByTheDevice() {
        DmaMapping mapping = closing(dma.map(memory, DmaDirection.BIDIRECTIONAL));
        traffic.writeInto(1, mapping.address());
        dma.syncForCpu(mapping.address(), mapping.lengthBytes(), DmaDirection.BIDIRECTIONAL);
        assertThat(mapping.isOfDevice()).isFalse();
        Bytes.assertHolds(memory.asSlice(0, LENGTH), 1);
        memory.fill((byte) 0);
        assertThat(traffic.tryWriteInto(mapping.address())).isEqualTo(WcStatus.REM_ACCESS_ERR);
        Bytes.assertUntouched(memory);
    }

    /** {@code ib_dma_sync_single_for_device}. */
    @Test
    @Covers("DMA-17")
    void memoryThatIsHandedBackIsTheDevicesAgain() {
        DmaMapping mapping = closing(dma.map(memory, DmaDirection.BIDIRECTIONAL));
        for (int round = 0; round < 3; round++) {
            dma.syncForCpu(mapping.address(), mapping.lengthBytes(), DmaDirection.BIDIRECTIONAL);
            Bytes.fill(memory.asSlice(0, LENGTH), round);
            dma.syncForDevice(mapping.address(), mapping.lengthBytes(), DmaDirection.BIDIRECTIONAL);
            assertThat(mapping.isOfDevice()).isTrue();
            traffic.sendFrom(round, mapping.address());
        }
    }

    /** {@code DMA_ATTR_SKIP_CPU_SYNC}. */
    @Test
    @Covers({"DMA-6", "DMA-7"})
    void aMappingWithoutSyncIsTheProgramsUntilItIsHandedOver() {
        DmaMapping mapping = dma.map(memory, DmaDirection.BIDIRECTIONAL, DmaAttribute.SKIP_CPU_SYNC);
        assertThat(mapping.attributes()).containsExactly(DmaAttribute.SKIP_CPU_SYNC);
        mapping.syncForDevice();
        traffic.writeInto(1, mapping.address());
        assertRefused(
                Errno.EINVAL, () -> dma.unmap(mapping.address(), mapping.lengthBytes(), DmaDirection.BIDIRECTIONAL));
        dma.unmap(mapping.address(), mapping.lengthBytes(), DmaDirection.BIDIRECTIONAL, DmaAttribute.SKIP_CPU_SYNC);
        DmaMapping another = closing(dma.map(memory, DmaDirection.BIDIRECTIONAL, DmaAttribute.SKIP_CPU_SYNC));
        assertThat(traffic.tryWriteInto(another.address())).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    /** {@code ib_dma_alloc_coherent}, {@code ib_dma_free_coherent}. */
    @Test
    @Covers({"DMA-18", "DMA-19"})
    void coherentMemoryIsSeenByBothUntilItIsFreed() {
        DmaMapping mapping = dma.allocateCoherent(2 * PAGE);
        Bytes.assertUntouched(mapping.segment());
        traffic.writeInto(1, mapping.address());
        Bytes.assertHolds(mapping.segment().asSlice(0, LENGTH), 1);
        Bytes.fill(mapping.segment().asSlice(0, LENGTH), 2);
        traffic.sendFrom(2, mapping.address());
        dma.freeCoherent(2 * PAGE, mapping.segment(), mapping.address());
        assertThat(mapping.segment().scope().isAlive()).isFalse();
        assertThat(traffic.tryWriteInto(mapping.address())).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    /** {@code get_user_pages}, then {@code dma_map_sg}. */
    @Test
    @Covers("DMA-20")
    void pagesArePinnedAndThenMapped() {
        PinnedPages pages = closing(dma.pin(memory.asSlice(100, 2 * PAGE)));
        assertThat(pages.pages()).extracting(MemorySegment::byteSize).containsExactly(PAGE - 100L, (long) PAGE, 100L);
        DmaScatterMapping list = pages.map(DmaDirection.BIDIRECTIONAL);
        assertThat(list.entries()).hasSize(3);
        traffic.fetchAdd(list.entries().get(1).address());
        assertThat(memory.get(ValueLayout.JAVA_LONG, PAGE)).isEqualTo(2);
        assertRefused(Errno.EBUSY, pages::close);
        list.close();
        list.close();
        pages.close();
        assertRefused(Errno.EINVAL, () -> pages.map(DmaDirection.BIDIRECTIONAL));
    }

    /** {@code ib_reg_phys_mr}: parts of mapped memory in a new address space. */
    @Test
    void aRegionConsistsOfMappedBuffers() {
        DmaMapping first = closing(dma.map(memory.asSlice(4 * PAGE, 2 * PAGE), DmaDirection.BIDIRECTIONAL));
        DmaMapping second = closing(dma.map(memory.asSlice(0, PAGE), DmaDirection.BIDIRECTIONAL));
        List<PhysicalBuffer> buffers =
                List.of(new PhysicalBuffer(first.address() + PAGE, PAGE), new PhysicalBuffer(second.address(), 1000));
        MemoryRegion physical = closing(b.pd.registerPhysical(buffers, 0x5000_0000L, RegionTraffic.RIGHTS));
        assertThat(physical.lengthBytes()).isEqualTo(PAGE + 1000);
        RegionTraffic through = new RegionTraffic(pair, physical);
        through.everything(30);
        through.writeInto(1, 0);
        MemorySegment whole = Arena.ofAuto().allocate(PAGE + 1000);
        whole.copyFrom(memory.asSlice(5 * PAGE, PAGE)).asSlice(PAGE).copyFrom(memory.asSlice(0, 1000));
        Bytes.assertHolds(whole.asSlice(0, LENGTH), 1);
        assertRefused(Errno.EBUSY, first::close);
        assertRefused(Errno.EBUSY, second::close);
    }
}
