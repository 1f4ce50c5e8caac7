// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.mr;

import static io.rdma4j.testing.conformance.harness.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.conformance.harness.Bytes;
import io.rdma4j.testing.conformance.harness.ConformanceCases;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.conformance.harness.RegionTraffic;
import io.rdma4j.testing.conformance.harness.RemoteOperation;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.QpPair;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.DeviceMemory;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.MrType;
import io.rdma4j.verbs.wr.WcStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Cases for device memory: {@code test_device.DMTest} and {@code test_mr.DeviceMemoryTest}. */
public abstract class DeviceMemoryCases extends ConformanceCases {
    private static final int LENGTH = 16_384;

    private long limit;

    protected DeviceMemoryCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    @BeforeEach
    void check() {
        require(DeviceLimit.MAX_DM_SIZE);
        limit = context().queryDevice().limit(DeviceLimit.MAX_DM_SIZE);
    }

    private DeviceMemory memory(Context context) {
        return closing(context.allocateDeviceMemory(LENGTH, 2));
    }

    private static Set<AccessFlag> rights() {
        Set<AccessFlag> rights = new HashSet<>(RegionTraffic.RIGHTS);
        rights.add(AccessFlag.ZERO_BASED);
        return rights;
    }

    /**
     * {@code test_create_dm}, {@code test_destroy_dm}, {@code test_destroy_dm_bad_flow}: closing twice has no effect
     * here.
     */
    @Test
    @Covers("MR-26")
    void memoryComesAndGoes() {
        for (long length : new long[] {4, 1000, limit}) {
            DeviceMemory memory = context().allocateDeviceMemory(length, 0);
            assertThat(memory.lengthBytes()).isEqualTo(length);
            memory.close();
            memory.close();
        }
    }

    /** {@code test_create_dm_bad_flow}. */
    @Test
    void noMoreMemoryThanTheDeviceHas() {
        assertRefused(Errno.EINVAL, () -> context().allocateDeviceMemory(limit + 1, 0));
        assertRefused(Errno.EINVAL, () -> context().allocateDeviceMemory(0, 0));
        DeviceMemory all = closing(context().allocateDeviceMemory(limit, 0));
        assertRefused(Errno.ENOMEM, () -> context().allocateDeviceMemory(1, 0));
        all.close();
        closing(context().allocateDeviceMemory(limit, 0));
    }

    /** {@code test_dm_write}, {@code test_dm_read}. */
    @Test
    void whatWasWrittenIsRead() {
        DeviceMemory memory = memory(context());
        MemorySegment source = Arena.ofAuto().allocate(1000);
        MemorySegment target = Arena.ofAuto().allocate(1000);
        Bytes.fill(source, 1);
        memory.write(12, source);
        memory.read(12, target);
        Bytes.assertHolds(target, 1);
    }

    /** {@code test_dm_write_bad_flow}, {@code test_dm_bad_access}. */
    @Test
    void nothingIsCopiedAcrossItsEnd() {
        DeviceMemory memory = memory(context());
        MemorySegment source = Arena.ofAuto().allocate(100);
        assertRefused(Errno.EINVAL, () -> memory.write(LENGTH - 99, source));
        assertRefused(Errno.EINVAL, () -> memory.write(-1, source));
        assertRefused(Errno.EINVAL, () -> memory.read(LENGTH, source));
    }

    /**
     * {@code test_create_dm_mr}, {@code test_dm_traffic}, {@code test_dm_remote_traffic}, {@code
     * test_dm_remote_read_traffic}, {@code test_dm_atomic_fetch_add}: all with an offset in the memory.
     */
    @Test
    @Covers({"MR-25", "MR-29"})
    void aRegionOfItTakesPartInEverything() {
        QpPair pair = connected(EndpointSetup.OPEN, LinkSetup.DEFAULT);
        DeviceMemory memory = memory(pair.b().context);
        MemoryRegion region = closing(pair.b().pd.registerDeviceMemory(memory, 1024, 8192, rights()));
        assertThat(region.iova()).isZero();
        assertThat(region.type()).isEqualTo(MrType.DM);
        RegionTraffic traffic = new RegionTraffic(pair, region);
        traffic.everything(100);
        traffic.writeInto(7, 100);
        MemorySegment content = Arena.ofAuto().allocate(RegionTraffic.LENGTH);
        memory.read(1024 + 100, content);
        Bytes.assertHolds(content, 7);
        assertThat(traffic.tryWriteInto(8192 - RegionTraffic.LENGTH + 1)).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    /** {@code test_dm_remote_write_traffic_imm}, {@code test_dm_atomic_cmp_swp}. */
    @ParameterizedTest
    @EnumSource(names = {"WRITE_WITH_IMMEDIATE", "COMPARE_SWAP"})
    void thePeerChangesAPartOfIt(RemoteOperation operation) {
        QpPair pair = connected(EndpointSetup.OPEN, LinkSetup.DEFAULT);
        DeviceMemory memory = memory(pair.b().context);
        MemoryRegion region = closing(pair.b().pd.registerDeviceMemory(memory, 0, LENGTH, rights()));
        Bytes.fill(pair.a().memory.asSlice(0, operation.bytes()), 1);
        pair.b().postReceive(1, 0, 0);
        operation.post(pair.a(), 2, region.rkey(), 64);
        pair.a().awaitSend();
        MemorySegment content = Arena.ofAuto().allocate(LENGTH);
        memory.read(0, content);
        assertThat(content.asSlice(64, operation.bytes()).toArray(ValueLayout.JAVA_BYTE))
                .doesNotContain(0);
        Bytes.assertUntouched(content.asSlice(0, 64));
        Bytes.assertUntouched(content.asSlice(64 + operation.bytes()));
    }

    /** {@code test_dm_bad_registration}: the region exceeds the memory. */
    @Test
    void aRegionOfItLiesInside() {
        Endpoint endpoint = endpoint(context(), EndpointSetup.DEFAULT);
        DeviceMemory memory = memory(context());
        assertRefused(Errno.EINVAL, () -> endpoint.pd.registerDeviceMemory(memory, 8, LENGTH, rights()));
        assertRefused(
                Errno.EINVAL, () -> endpoint.pd.registerDeviceMemory(memory, 0, 8, Set.of(AccessFlag.LOCAL_WRITE)));
    }

    /** {@code test_create_dm_mr}: a region of 0 bytes contains nothing. */
    @Test
    @Covers("MR-25")
    void aRegionOfItMayBeEmpty() {
        Endpoint endpoint = endpoint(context(), EndpointSetup.DEFAULT);
        DeviceMemory memory = memory(context());
        MemoryRegion region = closing(endpoint.pd.registerDeviceMemory(memory, 0, 0, rights()));
        assertThat(region.lengthBytes()).isZero();
        assertThat(region.lkey()).isNotZero();
    }

    /** {@code ibv_free_dm} must follow {@code ibv_dereg_mr}. */
    @Test
    @Covers({"MR-26", "RXE-241"})
    void itIsNotFreedUnderARegion() {
        Endpoint endpoint = endpoint(context(), EndpointSetup.DEFAULT);
        DeviceMemory memory = memory(context());
        MemoryRegion region = endpoint.pd.registerDeviceMemory(memory, 0, LENGTH, rights());
        assertRefused(Errno.EBUSY, memory::close);
        region.close();
        memory.close();
        assertRefused(Errno.EINVAL, () -> endpoint.pd.registerDeviceMemory(memory, 0, 8, rights()));
    }
}
