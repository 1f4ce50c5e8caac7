// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.MrType;
import io.rdma4j.verbs.wr.Sge;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DeviceMemoryTest {
    private static final Set<AccessFlag> RIGHTS = Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.ZERO_BASED);

    private final Fixture fixture = new Fixture();
    private final DeviceMemory memory = fixture.context.allocateDeviceMemory(1000, 6);

    private MemoryRegion region() {
        return fixture.pd.registerDeviceMemory(memory, 100, 200, RIGHTS);
    }

    @Test
    @Covers({"MR-25", "MR-29"})
    void aRegionOfItBeginsAtAddressZero() {
        MemoryRegion region = region();

        assertThat(region.type()).isEqualTo(MrType.DM);
        assertThat(region.iova()).isZero();
        assertThat(region.address()).isZero();
        assertThat(region.pieces()).isEmpty();
        assertThat(region.lengthBytes()).isEqualTo(200);
        assertThat(region.access()).isEqualTo(RIGHTS);
        assertThat(region.sge(8, 192)).isEqualTo(new Sge(8, 192, region.lkey()));
        assertThat(region.backingPageBytes()).isEmpty();
        assertRefused(Errno.EINVAL, "0 pieces", region::segment);
    }

    @Test
    @Covers({"MR-26", "RXE-241"})
    void itIsFreedAfterItsRegions() {
        MemoryRegion region = region();

        assertRefused(Errno.EBUSY, "1 memory region", memory::close);
        assertRefused(Errno.EBUSY, "1 memory region", fixture.pd::close);
        region.close();
        fixture.pd.close();
        assertRefused(Errno.EBUSY, "1 block of device memory", fixture.context::close);
        memory.close();
        memory.close();
        fixture.context.close();
    }

    @Test
    void whatWasWrittenIsRead() {
        MemorySegment source = Arena.ofAuto().allocateFrom("device");
        MemorySegment target = Arena.ofAuto().allocate(source.byteSize());
        memory.write(1000 - source.byteSize(), source);
        memory.read(1000 - source.byteSize(), target);

        assertThat(target.mismatch(source)).isEqualTo(-1);
        assertRefused(
                Errno.EINVAL,
                "7 bytes at offset 994 do not lie in block of device memory",
                () -> memory.write(994, source));
        assertRefused(Errno.EINVAL, "do not lie in", () -> memory.read(Long.MAX_VALUE, target));
        assertRefused(Errno.EINVAL, "do not lie in", () -> memory.read(-1, target));
        memory.close();
        assertRefused(Errno.EINVAL, "is closed", () -> memory.write(0, source));
        assertRefused(Errno.EINVAL, "is closed", () -> memory.read(0, target));
    }

    @Test
    void whatCannotBeIsRefused() {
        refused("length 0 is not in", 0, 0);
        refused("length 65537 is not in 1..65536", 65_537, 0);
        refused("log_align_req 31", 8, 31);
        refused("log_align_req -1", 8, -1);
        fixture.device.limit(DeviceLimit.MAX_DM_SIZE, 0);
        assertRefused(Errno.EOPNOTSUPP, "max_dm_size is 0", () -> fixture.context.allocateDeviceMemory(8, 0));
    }

    private void refused(String message, long length, int logAlignment) {
        assertRefused(Errno.EINVAL, message, () -> fixture.context.allocateDeviceMemory(length, logAlignment));
    }

    @Test
    @Covers("MR-25")
    void aRegionOfItIsCheckedLikeAnyOther() {
        refused("do not lie in", 900, 101, RIGHTS);
        fixture.pd.registerDeviceMemory(memory, 0, 0, RIGHTS).close();
        refused("ZERO_BASED", 0, 8, Set.of(AccessFlag.LOCAL_WRITE));
        refused("needs LOCAL_WRITE", 0, 8, Set.of(AccessFlag.REMOTE_WRITE, AccessFlag.ZERO_BASED));
        try (Context other = fixture.host.open("loop0")) {
            DeviceMemory foreign = other.allocateDeviceMemory(8, 0);
            assertRefused(
                    Errno.EINVAL, "another context", () -> fixture.pd.registerDeviceMemory(foreign, 0, 8, RIGHTS));
            foreign.close();
        }
        memory.close();
        refused("is closed", 0, 8, RIGHTS);
        fixture.pd.close();
    }

    private void refused(String message, long offset, long length, Set<AccessFlag> access) {
        assertRefused(Errno.EINVAL, message, () -> fixture.pd.registerDeviceMemory(memory, offset, length, access));
    }

    @Test
    void aRefusedRegionLeavesNoUseBehind() {
        for (int i = 0; i < 6; i++) {
            region();
        }
        assertRefused(Errno.ENOMEM, "max_mr", this::region);
    }

    @Test
    void aRegionOfItStaysAsItIs() {
        MemoryRegion region = region();

        assertRefused(
                Errno.EOPNOTSUPP,
                "of type DM",
                () -> region.reregister(Reregistration.empty().withAccess(RIGHTS)));
    }
}
