// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.kernel.DmaMapping;
import io.rdma4j.verbs.kernel.DmaTable;
import io.rdma4j.verbs.kernel.FastRegPageList;
import io.rdma4j.verbs.values.DmaDirection;
import org.junit.jupiter.api.Test;

class FastRegPageListTest {
    private static final int PAGE = FastMemoryRegion.PAGE_BYTES;

    private final Fixture fixture = new Fixture();
    private final DmaTable dma = DmaTable.of(fixture.context);
    private final DmaMapping mapping = dma.map(fixture.pages(4), DmaDirection.BIDIRECTIONAL);
    private final FastMemoryRegion region = fixture.pd.allocateFastRegion(4);
    private final FastRegPageList list = dma.allocatePageList(3);

    @Test
    @Covers("FMR-8")
    void itsLengthIsBoundedByTheDevice() {
        assertThat(list.maxPages()).isEqualTo(3);
        assertRefused(Errno.EINVAL, "page_list_len 9 is not in 1..8", () -> dma.allocatePageList(9));
        assertRefused(Errno.EINVAL, "page_list_len 0 is not in 1..8", () -> dma.allocatePageList(0));
        fixture.device.lose(DeviceCapability.MEM_MGT_EXTENSIONS);
        assertRefused(Errno.EOPNOTSUPP, "MEM_MGT_EXTENSIONS", () -> dma.allocatePageList(1));
    }

    @Test
    @Covers("FMR-8")
    void itsPagesBecomeOneRange() {
        list.set(0, mapping.address() + 2 * PAGE);
        list.set(1, mapping.address());
        assertThat(list.page(1)).isEqualTo(mapping.address());
        list.mapTo(region, 2, 0x5064, PAGE);
        assertThat(region.iova()).isEqualTo(0x5064);
        assertThat(region.lengthBytes()).isEqualTo(PAGE);
        list.mapTo(region, 1, 0x5064, 8);
        assertThat(region.lengthBytes()).isEqualTo(8);
    }

    @Test
    void whatIsNotListedOrNotMappedIsRefused() {
        list.set(0, mapping.address());
        assertRefused(Errno.EINVAL, "is not mapped", () -> list.mapTo(region, 2, 0, PAGE + 1));
        assertRefused(Errno.EINVAL, "page_list_len 4 is not in 1..3", () -> list.mapTo(region, 4, 0, PAGE));
        assertRefused(Errno.EINVAL, "length 4096 is not in 4097..8192", () -> list.mapTo(region, 2, 0, PAGE));
        assertRefused(Errno.EINVAL, "length 4096 is not in 1..3996", () -> list.mapTo(region, 1, 100, PAGE));
        assertRefused(Errno.EINVAL, "page 3 is not in 0..2", () -> list.set(3, 0));
        assertRefused(Errno.EINVAL, "page -1 is not in 0..2", () -> list.page(-1));
        assertRefused(Errno.EINVAL, "is no address of a page", () -> list.set(0, mapping.address() + 1));
    }

    @Test
    void aListIsOfItsContextAndKeepsItOpen() {
        Context other = fixture.host.open("loop0");
        FastRegPageList foreign = DmaTable.of(other).allocatePageList(1);
        assertRefused(Errno.EINVAL, "belongs to another context", () -> foreign.mapTo(region, 1, 0, PAGE));
        assertRefused(Errno.EBUSY, "1 page list", other::close);
        foreign.close();
        foreign.close();
        other.close();
        list.close();
        assertRefused(Errno.EINVAL, "is closed", () -> list.set(0, 0));
        assertRefused(Errno.EINVAL, "is closed", () -> list.mapTo(region, 1, 0, PAGE));
    }
}
