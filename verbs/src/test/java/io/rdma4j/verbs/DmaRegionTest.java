// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.kernel.DmaMapping;
import io.rdma4j.verbs.kernel.DmaTable;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.DmaDirection;
import io.rdma4j.verbs.values.MrType;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DmaRegionTest {
    private final Fixture fixture = new Fixture();

    @Test
    @Covers({"MR-2", "MR-29"})
    void theRightToWriteLocallyIsAlwaysOn() {
        MemoryRegion region = fixture.pd.dmaRegion(Set.of(AccessFlag.REMOTE_WRITE));

        assertThat(region.type()).isEqualTo(MrType.DMA);
        assertThat(region.access()).containsExactlyInAnyOrder(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
        assertThat(fixture.device.lastAccess()).isEqualTo(region.access());
        assertThat(region.iova()).isZero();
        assertThat(region.pieces()).isEmpty();
        assertRefused(Errno.EBUSY, "1 memory region", fixture.pd::close);
    }

    @Test
    void otherRightsAreRefused() {
        for (AccessFlag flag : Set.of(AccessFlag.MW_BIND, AccessFlag.ZERO_BASED, AccessFlag.FLUSH_GLOBAL)) {
            assertRefused(Errno.EINVAL, flag + " is no right", () -> fixture.pd.dmaRegion(Set.of(flag)));
        }
    }

    @Test
    void itStaysAsItIs() {
        MemoryRegion region = fixture.pd.dmaRegion(Set.of());

        assertRefused(
                Errno.EOPNOTSUPP,
                "of type DMA",
                () -> region.reregister(Reregistration.empty().withAccess(Set.of())));
    }

    @Test
    void aMappingKeepsItsContextOpen() {
        MemorySegment memory = fixture.pages(1);
        DmaMapping mapping = DmaTable.of(fixture.context).map(memory, DmaDirection.BIDIRECTIONAL);

        assertThat(mapping.segment()).isSameAs(memory);
        assertThat(mapping.context()).isSameAs(fixture.context);
        fixture.pd.close();
        assertRefused(Errno.EBUSY, "1 DMA mapping", fixture.context::close);
        mapping.close();
        mapping.close();
        fixture.context.close();
    }

    @Test
    void memoryThatADeviceCannotReachIsNotMapped() {
        assertRefused(
                Errno.EINVAL,
                "heap memory",
                () -> DmaTable.of(fixture.context).map(MemorySegment.ofArray(new byte[8]), DmaDirection.BIDIRECTIONAL));
        MemorySegment readOnly = fixture.pages(1).asReadOnly();
        assertRefused(
                Errno.EINVAL,
                "read-only",
                () -> DmaTable.of(fixture.context).map(readOnly, DmaDirection.BIDIRECTIONAL));
        fixture.device.refuseNext(Errno.ENOMEM);
        assertRefused(
                Errno.ENOMEM,
                "refused",
                () -> DmaTable.of(fixture.context).map(fixture.pages(1), DmaDirection.BIDIRECTIONAL));
        fixture.pd.close();
        fixture.context.close();
    }
}
