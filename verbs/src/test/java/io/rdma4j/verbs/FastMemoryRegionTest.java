// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.values.MrType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

class FastMemoryRegionTest {
    private static final int PAGE = FastMemoryRegion.PAGE_BYTES;

    private final Fixture fixture = new Fixture();
    private final FastMemoryRegion region = fixture.pd.allocateFastRegion(4);
    private final MemorySegment memory = fixture.pages(8);

    private MemorySegment piece(long offset, long length) {
        return memory.asSlice(offset, length);
    }

    @Test
    void piecesThatMeetAtPageBordersBecomeOneRange() {
        region.map(List.of(piece(100, PAGE - 100), piece(3L * PAGE, PAGE), piece(5L * PAGE, 10)));

        assertThat(region.iova()).isEqualTo(memory.address() + 100);
        assertThat(region.lengthBytes()).isEqualTo(2L * PAGE - 100 + 10);
        assertThat(region.maxPages()).isEqualTo(4);
    }

    /** Corresponds to {@code iova_start} of {@code wr.fast_reg}. */
    @Test
    void theAddressSpaceBeginsWhereItIsAskedTo() {
        region.map(List.of(piece(100, PAGE - 100), piece(3L * PAGE, PAGE)), 0x70_0000_0064L);

        assertThat(region.iova()).isEqualTo(0x70_0000_0064L);
        assertRefused(
                Errno.EINVAL, "same offset within a page", () -> region.map(List.of(piece(100, 8)), 0x70_0000_0065L));
        assertRefused(Errno.EINVAL, "end of the address space", () -> region.map(List.of(piece(0, PAGE + 1)), -PAGE));
        assertThat(region.iova()).isEqualTo(0x70_0000_0064L);
    }

    @Test
    @Covers("MR-29")
    void itKnowsItsKind() {
        assertThat(region.type()).isEqualTo(MrType.MEM_REG);
        assertThat(fixture.memory(8).type()).isEqualTo(MrType.USER);
    }

    @Test
    void gapsWithinTheRangeAreRefused() {
        refused("piece 0 leaves a gap", piece(0, PAGE - 1), piece(PAGE, PAGE));
        refused("piece 1 leaves a gap", piece(0, PAGE), piece(2L * PAGE + 1, 10));
        assertThat(region.lengthBytes()).isZero();
    }

    @Test
    void asManyPagesAsItWasMadeForCanBeMapped() {
        region.map(List.of(piece(0, 4L * PAGE)));
        refused("number of pages 5 is not in 0..4", piece(0, 5L * PAGE));
        refused("number of pages 5 is not in 0..4", piece(1, 4L * PAGE));
        refused("at least one piece");
    }

    @Test
    void memoryThatCannotBeRegisteredCannotBeMapped() {
        refused("heap memory", MemorySegment.ofArray(new byte[8]));
        refused("confined", Arena.ofConfined().allocate(8));
    }

    private void refused(String message, MemorySegment... pieces) {
        assertRefused(Errno.EINVAL, message, () -> region.map(List.of(pieces)));
    }

    @Test
    void aDomainIsBusyWithItAndAClosedOneRefuses() {
        assertRefused(Errno.EBUSY, "1 fast memory region", fixture.pd::close);
        region.close();
        region.close();
        refused("is closed", piece(0, 8));
        fixture.pd.close();
    }

    @Test
    void aDeviceHasThemIfItClaimsSo() {
        assertRefused(Errno.EINVAL, "max_num_sg 9 is not in 1..8", () -> fixture.pd.allocateFastRegion(9));
        assertRefused(Errno.EINVAL, "max_num_sg 0 is not in 1..8", () -> fixture.pd.allocateFastRegion(0));
        fixture.device.lose(DeviceCapability.MEM_MGT_EXTENSIONS);
        assertRefused(Errno.EOPNOTSUPP, "MEM_MGT_EXTENSIONS", () -> fixture.pd.allocateFastRegion(1));
    }
}
