// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.mr;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.kernel.DmaMapping;
import io.rdma4j.verbs.kernel.DmaTable;
import io.rdma4j.verbs.values.DmaDirection;
import io.rdma4j.verbs.wr.WcStatus;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Cases for one key of all memory that is mapped for the device ({@code ib_get_dma_mr}). */
public abstract class DmaRegionCases extends ConformanceCases {
    private static final int PAGE = 4096;

    private QpPair pair;
    private Endpoint b;
    private MemorySegment memory;

    protected DmaRegionCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    @BeforeEach
    void prepare() {
        require(Capability.DMA_REGIONS);
        pair = connected(EndpointSetup.OPEN, LinkSetup.DEFAULT);
        b = pair.b();
        memory = target().allocate(4 * PAGE, PAGE);
    }

    private DmaMapping map(MemorySegment segment) {
        return closing(DmaTable.of(b.context).map(segment, DmaDirection.BIDIRECTIONAL));
    }

    @Test
    @Covers("MR-2")
    void theKeyIsGoodForWhateverIsMapped() {
        DmaMapping before = map(memory.asSlice(0, 2 * PAGE));
        MemoryRegion region = closing(b.pd.dmaRegion(RegionTraffic.RIGHTS));
        DmaMapping after = map(memory.asSlice(2 * PAGE + 64, 2 * PAGE - 64));
        RegionTraffic traffic = new RegionTraffic(pair, region);
        traffic.everything(before.address() + 30);
        traffic.everything(after.address() + 30);
        traffic.writeInto(1, before.address() + 30);
        traffic.writeInto(2, after.address() + 30);
        Bytes.assertHolds(memory.asSlice(30, RegionTraffic.LENGTH), 1);
        Bytes.assertHolds(memory.asSlice(2 * PAGE + 64 + 30, RegionTraffic.LENGTH), 2);
    }

    @Test
    @Covers("MR-2")
    void theKeyIsGoodForNothingElse() {
        DmaMapping mapping = map(memory.asSlice(0, 2 * PAGE));
        MemoryRegion region = closing(b.pd.dmaRegion(RegionTraffic.RIGHTS));
        RegionTraffic traffic = new RegionTraffic(pair, region);
        long last = mapping.address() + 2 * PAGE - RegionTraffic.LENGTH;
        traffic.writeInto(1, last);
        memory.fill((byte) 0);
        assertThat(traffic.tryWriteInto(last + 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
        Bytes.assertUntouched(memory);
    }

    /** A device may be open in several processes, which must not access each other's memory. */
    @Test
    @Covers("MR-2")
    void theKeyIsNotGoodForWhatAnotherContextHasMapped() {
        Context other = closing(b.context.device().open());
        DmaMapping foreign = closing(DmaTable.of(other).map(memory, DmaDirection.BIDIRECTIONAL));
        MemoryRegion region = closing(b.pd.dmaRegion(RegionTraffic.RIGHTS));
        RegionTraffic traffic = new RegionTraffic(pair, region);
        assertThat(traffic.tryWriteInto(foreign.address())).isEqualTo(WcStatus.REM_ACCESS_ERR);
        Bytes.assertUntouched(memory);
    }

    @Test
    @Covers("MR-2")
    void anAddressThatIsNotMappedAnyMoreLeadsNowhere() {
        DmaMapping mapping = map(memory);
        MemoryRegion region = closing(b.pd.dmaRegion(RegionTraffic.RIGHTS));
        RegionTraffic traffic = new RegionTraffic(pair, region);
        traffic.writeInto(1, mapping.address());
        mapping.close();
        memory.fill((byte) 0);
        map(memory);
        assertThat(traffic.tryWriteInto(mapping.address())).isEqualTo(WcStatus.REM_ACCESS_ERR);
        Bytes.assertUntouched(memory);
    }

    /** The reserved L_Key gives local requests access to all mapped memory; a peer cannot use it. */
    @Test
    @Covers({"MR-2", "MR-3"})
    void withoutRemoteRightsItIsALocalKey() {
        DmaMapping mapping = map(memory);
        MemoryRegion region = closing(b.pd.dmaRegion(Set.of()));
        RegionTraffic traffic = new RegionTraffic(pair, region);
        assertThat(traffic.sendInto(1, mapping.address() + 8)).isEqualTo(WcStatus.SUCCESS);
        traffic.sendFrom(1, mapping.address() + 8);
        traffic.readInto(2, mapping.address() + 8);
        Bytes.assertHolds(memory.asSlice(8, RegionTraffic.LENGTH), 2);
        assertThat(traffic.tryWriteInto(mapping.address())).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }
}
