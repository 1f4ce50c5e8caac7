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
import io.rdma4j.verbs.FastMemoryRegion;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.kernel.DmaMapping;
import io.rdma4j.verbs.kernel.DmaTable;
import io.rdma4j.verbs.kernel.FastRegPageList;
import io.rdma4j.verbs.kernel.Fmr;
import io.rdma4j.verbs.kernel.FmrPool;
import io.rdma4j.verbs.kernel.FmrPoolAttributes;
import io.rdma4j.verbs.kernel.PooledFmr;
import io.rdma4j.verbs.values.DmaDirection;
import io.rdma4j.verbs.values.FmrAttributes;
import io.rdma4j.verbs.values.MemoryKeys;
import io.rdma4j.verbs.wr.WcStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Cases for the older fast memory regions ({@code ib_fmr}), alone and in a pool, and together with the newer kind. */
public abstract class FmrCases extends ConformanceCases {
    private static final int PAGE = 4096;
    private static final int LENGTH = 5000;
    private static final long IOVA = 0x7000_0000_0000L;

    private Endpoint a;
    private Endpoint b;
    private MemorySegment memory;

    protected FmrCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    @BeforeEach
    void prepare() {
        require(DeviceLimit.MAX_FMR);
        QpPair pair = connected(EndpointSetup.OPEN, LinkSetup.DEFAULT);
        a = pair.a();
        b = pair.b();
        memory = target().allocate(8 * PAGE, PAGE);
    }

    private Fmr allocate(FmrAttributes attributes) {
        Fmr fmr = Fmr.allocate(b.pd, attributes, RegionTraffic.RIGHTS);
        closing(() -> {
            if (fmr.mapCount() > 0) {
                fmr.unmap();
            }
            fmr.close();
        });
        return fmr;
    }

    private MemorySegment pages(int first, int count) {
        return memory.asSlice((long) first * PAGE, (long) count * PAGE);
    }

    private WcStatus write(int number, int rkey, long remote) {
        Bytes.fill(a.memory.asSlice(0, LENGTH), number);
        a.qp.startSend()
                .signaled()
                .rdmaWrite(rkey, remote)
                .sge(a.mr.lkey(), a.mr.address(), LENGTH)
                .complete();
        return a.awaitSends(1).getFirst().status();
    }

    /** Sends a message from memory of the region to the peer. */
    private WcStatus send(int lkey, long address) {
        a.postReceive(1, 0, LENGTH);
        b.qp.startSend().signaled().send().sge(lkey, address, LENGTH).complete();
        return b.awaitSends(1).getFirst().status();
    }

    /** {@code ib_alloc_fmr}, {@code ib_map_phys_fmr}, {@code ib_unmap_fmr}, {@code ib_dealloc_fmr}. */
    @Test
    @Covers({"FMR-1", "FMR-2", "FMR-3", "FMR-4", "FMR-5"})
    void aRegionIsMappedUsedUnmappedAndMappedAgain() {
        Fmr fmr = Fmr.allocate(b.pd, FmrAttributes.of(4), RegionTraffic.RIGHTS);
        for (int round = 0; round < 3; round++) {
            fmr.map(List.of(pages(round, 1), pages(5 - round, 1)), IOVA);
            assertThat(write(round, fmr.rkey(), IOVA + 1000)).isEqualTo(WcStatus.SUCCESS);
            MemorySegment whole = Arena.ofAuto().allocate(2 * PAGE);
            whole.copyFrom(pages(round, 1)).asSlice(PAGE).copyFrom(pages(5 - round, 1));
            Bytes.assertHolds(whole.asSlice(1000, LENGTH), round);
            assertThat(send(fmr.lkey(), IOVA + 1000)).isEqualTo(WcStatus.SUCCESS);
            a.awaitReceive();
            Bytes.assertHolds(a.memory.asSlice(0, LENGTH), round);
            fmr.unmap();
        }
        memory.fill((byte) 0);
        assertThat(write(9, fmr.rkey(), IOVA + 1000)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        Bytes.assertUntouched(memory);
        fmr.close();
    }

    @Test
    @Covers("FMR-4")
    void theLocalKeyOfAnUnmappedRegionIsGoodForNothing() {
        Fmr fmr = allocate(FmrAttributes.of(4));
        fmr.map(List.of(pages(0, 2)), IOVA);
        fmr.unmap();
        assertThat(send(fmr.lkey(), IOVA)).isEqualTo(WcStatus.LOC_PROT_ERR);
    }

    @Test
    @Covers("FMR-3")
    void mappingAgainGivesAnotherKeyAndEndsTheFormerOne() {
        Fmr fmr = allocate(FmrAttributes.of(4));
        fmr.map(List.of(pages(0, 2)), IOVA);
        int former = fmr.rkey();
        fmr.map(List.of(pages(4, 2)), IOVA);
        assertThat(fmr.rkey()).isNotEqualTo(former);
        assertThat(write(1, fmr.rkey(), IOVA)).isEqualTo(WcStatus.SUCCESS);
        Bytes.assertHolds(pages(4, 2).asSlice(0, LENGTH), 1);
        assertThat(write(2, former, IOVA)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        Bytes.assertUntouched(pages(0, 2));
    }

    /** {@code page_list} with addresses of the device, as specified. */
    @Test
    @Covers("FMR-3")
    void pagesAreNamedByTheDevicesAddresses() {
        require(Capability.DMA_REGIONS);
        DmaMapping mapping = closing(DmaTable.of(b.context).map(pages(2, 4), DmaDirection.BIDIRECTIONAL));
        Fmr fmr = allocate(FmrAttributes.of(4));
        fmr.map(new long[] {mapping.address() + PAGE, mapping.address()}, IOVA);
        assertThat(write(1, fmr.rkey(), IOVA)).isEqualTo(WcStatus.SUCCESS);
        Bytes.assertHolds(pages(3, 1), 1);
        assertRefused(Errno.EBUSY, mapping::close);
        fmr.unmap();
        mapping.close();
        assertRefused(Errno.EINVAL, () -> fmr.map(new long[] {mapping.address()}, IOVA));
    }

    /** {@code max_fmr}, {@code max_map_per_fmr}. */
    @Test
    @Covers("FMR-6")
    void aRegionIsUnmappedAfterAsManyMapsAsItsDeviceAllows() {
        int most = (int) context().queryDevice().limit(DeviceLimit.MAX_MAP_PER_FMR);
        assertThat(most).isPositive();
        assertRefused(
                Errno.EINVAL,
                () -> Fmr.allocate(b.pd, FmrAttributes.of(1).withMaxMaps(most + 1), RegionTraffic.RIGHTS));
        Fmr fmr = allocate(FmrAttributes.of(2).withMaxMaps(most));
        for (int map = 0; map < most; map++) {
            fmr.map(List.of(pages(map % 4, 2)), IOVA);
        }
        assertThat(fmr.mapCount()).isEqualTo(most);
        assertRefused(Errno.EINVAL, () -> fmr.map(List.of(pages(0, 2)), IOVA));
        assertThat(write(1, fmr.rkey(), IOVA)).isEqualTo(WcStatus.SUCCESS);
        fmr.unmap();
        fmr.map(List.of(pages(0, 2)), IOVA);
        assertThat(write(2, fmr.rkey(), IOVA)).isEqualTo(WcStatus.SUCCESS);
    }

    /**
     * {@code ib_create_fmr_pool}, {@code ib_fmr_pool_map_phys}, {@code ib_fmr_pool_unmap}, {@code ib_flush_fmr_pool}.
     */
    @Test
    @Covers("FMR-1")
    void aPoolRecyclesItsRegionsAndAFlushEndsAllThatWasGivenBack() {
        FmrPool pool =
                closing(FmrPool.create(b.pd, FmrPoolAttributes.of(2, FmrAttributes.of(2), RegionTraffic.RIGHTS)));
        List<PooledFmr> given = new ArrayList<>();
        for (int round = 0; round < 6; round++) {
            try (PooledFmr fmr = pool.map(List.of(pages(round, 2)), IOVA)) {
                assertThat(write(round, fmr.rkey(), fmr.iova())).isEqualTo(WcStatus.SUCCESS);
                Bytes.assertHolds(pages(round, 2).asSlice(0, LENGTH), round);
                given.add(fmr);
            }
        }
        assertThat(write(1, given.getLast().rkey(), IOVA))
                .as("unmapping is put off")
                .isEqualTo(WcStatus.SUCCESS);
        pool.flush();
        memory.fill((byte) 0);
        assertThat(write(1, given.getLast().rkey(), IOVA)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        Bytes.assertUntouched(memory);
    }

    /** The older kind, mapped by call, and the specified kind, registered by work request. */
    @Test
    @Covers("FMR-7")
    void bothKindsOfFastRegionsServeTheSamePeer() {
        require(DeviceCapability.MEM_MGT_EXTENSIONS);
        Fmr older = allocate(FmrAttributes.of(2));
        FastMemoryRegion newer = closing(b.pd.allocateFastRegion(2));
        older.map(List.of(pages(0, 2)), IOVA);
        newer.map(List.of(pages(4, 2)), IOVA);
        b.qp.postSend(SendRequest.registerMemory(newer, newer.key(), RegionTraffic.RIGHTS)
                .signaled()
                .build());
        b.awaitSend();
        assertThat(write(1, older.rkey(), IOVA)).isEqualTo(WcStatus.SUCCESS);
        assertThat(write(2, newer.key(), IOVA)).isEqualTo(WcStatus.SUCCESS);
        Bytes.assertHolds(pages(0, 2).asSlice(0, LENGTH), 1);
        Bytes.assertHolds(pages(4, 2).asSlice(0, LENGTH), 2);
        older.unmap();
        assertThat(write(3, newer.key(), IOVA)).isEqualTo(WcStatus.SUCCESS);
        assertThat(write(3, older.rkey(), IOVA)).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    /** {@code ib_alloc_fast_reg_page_list}, {@code ib_update_fast_reg_key}, {@code ib_free_fast_reg_page_list}. */
    @Test
    @Covers("FMR-8")
    void aPageListSaysWhatAWorkRequestRegisters() {
        require(DeviceCapability.MEM_MGT_EXTENSIONS);
        require(Capability.DMA_REGIONS);
        DmaMapping mapping = closing(DmaTable.of(b.context).map(memory, DmaDirection.BIDIRECTIONAL));
        FastMemoryRegion region = closing(b.pd.allocateFastRegion(2));
        FastRegPageList list = closing(DmaTable.of(b.context).allocatePageList(2));
        int key = region.key();
        for (int round = 0; round < 2; round++) {
            list.set(0, mapping.address() + (2L + round) * PAGE);
            list.set(1, mapping.address() + (long) round * PAGE);
            list.mapTo(region, 2, IOVA + 100, LENGTH);
            key = MemoryKeys.withVariant(key, key + 1);
            b.qp.postSend(SendRequest.registerMemory(region, key, RegionTraffic.RIGHTS)
                    .signaled()
                    .build());
            b.awaitSend();
            assertThat(write(round, key, IOVA + 100)).isEqualTo(WcStatus.SUCCESS);
            MemorySegment whole = Arena.ofAuto().allocate(2 * PAGE);
            whole.copyFrom(pages(2 + round, 1)).asSlice(PAGE).copyFrom(pages(round, 1));
            Bytes.assertHolds(whole.asSlice(100, LENGTH), round);
            b.qp.postSend(SendRequest.localInvalidate(key).signaled().build());
            b.awaitSend();
        }
        long most = context().queryDevice().limit(DeviceLimit.MAX_FAST_REG_PAGE_LIST_LEN);
        assertRefused(Errno.EINVAL, () -> DmaTable.of(b.context).allocatePageList((int) most + 1));
        assertThat(write(3, key, IOVA + 100)).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }
}
