// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.device.AtomicCapability;
import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.kernel.DmaTable;
import io.rdma4j.verbs.kernel.Fmr;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.DmaDirection;
import io.rdma4j.verbs.values.FmrAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A device enforces the limits of its queues and regions that it reports. */
class DeviceLimitTest {
    private static final DeviceProfile SMALL = DeviceProfile.FULL
            .withLimit(DeviceLimit.MAX_QP, 2)
            .withLimit(DeviceLimit.MAX_QP_WR, 8)
            .withLimit(DeviceLimit.MAX_SGE, 3)
            .withLimit(DeviceLimit.MAX_CQ, 2)
            .withLimit(DeviceLimit.MAX_CQE, 16)
            .withLimit(DeviceLimit.MAX_MR_SIZE, 4096)
            .withLimit(DeviceLimit.MAX_FMR, 2);

    private final Bench bench = new Bench(Set.of(), ProgressMode.MANUAL, options -> options.withProfile(SMALL));
    private final List<AutoCloseable> made = new ArrayList<>();
    private final ProtectionDomain pd = made(bench.context.allocatePd());
    private final CompletionQueue cq = made(bench.context.createCq(16));

    private <T extends AutoCloseable> T made(T object) {
        made.addFirst(object);
        return object;
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable object : made) {
            object.close();
        }
        bench.close();
    }

    private static void assertRefused(Errno errno, String message, ThrowingCallable call) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(call)
                .withMessageContaining(message)
                .satisfies(e -> assertThat(e.errno()).isEqualTo(errno));
    }

    private void createQp(int requests, int pieces) {
        made(pd.createQp(QpInitAttributes.builder(cq)
                .capabilities(new QpCapabilities(requests, requests, pieces, pieces, 0))
                .build()));
    }

    private long limit(DeviceLimit limit) {
        return bench.context.queryDevice().limit(limit);
    }

    @Test
    @Covers({"DEV-15", "DEV-16"})
    void queuePairsAreLimitedInNumberAndSize() {
        assertThat(limit(DeviceLimit.MAX_QP)).isEqualTo(2);
        assertThat(limit(DeviceLimit.MAX_QP_WR)).isEqualTo(8);
        assertThat(limit(DeviceLimit.MAX_SGE)).isEqualTo(3);
        assertThat(limit(DeviceLimit.MAX_SGE_RD)).as("that of rdma_rxe").isEqualTo(32);
        assertRefused(Errno.EINVAL, "max_send_wr 9", () -> createQp(9, 1));
        assertRefused(Errno.EINVAL, "max_send_sge 4", () -> createQp(1, 4));
        createQp(8, 3);
        createQp(1, 1);
        assertRefused(Errno.ENOMEM, "2 queue pairs, its max_qp", () -> createQp(1, 1));
    }

    @Test
    @Covers("DEV-17")
    void completionQueuesAreLimitedInNumberAndSize() {
        assertThat(limit(DeviceLimit.MAX_CQ)).isEqualTo(2);
        assertThat(limit(DeviceLimit.MAX_CQE)).isEqualTo(16);
        assertRefused(Errno.EINVAL, "17", () -> bench.context.createCq(17));
        made(bench.context.createCq(1));
        assertRefused(Errno.ENOMEM, "2 completion queues, its max_cq", () -> bench.context.createCq(1));
    }

    @Test
    @Covers({"DEV-12", "DEV-25"})
    void regionsAreLimitedInSizeAndOldFastRegionsInNumber() {
        assertThat(limit(DeviceLimit.MAX_MR_SIZE)).isEqualTo(4096);
        Arena arena = Arena.ofAuto();
        made(pd.registerMemory(arena.allocate(4096), Set.of(AccessFlag.LOCAL_WRITE)));
        assertRefused(
                Errno.EINVAL,
                "max_mr_size",
                () -> pd.registerMemory(arena.allocate(4097), Set.of(AccessFlag.LOCAL_WRITE)));
        assertThat(limit(DeviceLimit.MAX_FMR)).isEqualTo(2);
        int maps = (int) limit(DeviceLimit.MAX_MAP_PER_FMR);
        FmrAttributes attributes = FmrAttributes.of(1);
        assertRefused(Errno.EINVAL, "max", () -> allocateFmr(attributes.withMaxMaps(maps + 1)));
        allocateFmr(attributes.withMaxMaps(maps));
        allocateFmr(attributes);
        assertRefused(Errno.ENOMEM, "max_fmr", () -> allocateFmr(attributes));
    }

    private void allocateFmr(FmrAttributes attributes) {
        made(Fmr.allocate(pd, attributes, Set.of(AccessFlag.LOCAL_WRITE)));
    }

    @Test
    @Covers("MCAST-10")
    void multicastGroupsAreLimitedInNumberAndMembers() {
        DeviceProfile few = DeviceProfile.FULL
                .withLimit(DeviceLimit.MAX_MCAST_GRP, 2)
                .withLimit(DeviceLimit.MAX_MCAST_QP_ATTACH, 2)
                .withLimit(DeviceLimit.MAX_TOTAL_MCAST_QP_ATTACH, 3);
        try (Bench device = new Bench(Set.of(), ProgressMode.MANUAL, options -> options.withProfile(few))) {
            EndpointSetup datagrams = EndpointSetup.DEFAULT.type(QpType.UD);
            QueuePair first = device.endpoint(datagrams).qp;
            QueuePair second = device.endpoint(datagrams).qp;
            QueuePair third = device.endpoint(datagrams).qp;
            first.attachMulticast(group(1), 0);
            second.attachMulticast(group(1), 0);
            assertRefused(Errno.ENOMEM, "max_mcast_qp_attach is 2", () -> third.attachMulticast(group(1), 0));
            first.attachMulticast(group(2), 0);
            assertRefused(Errno.ENOMEM, "max_mcast_grp is 2", () -> first.attachMulticast(group(3), 0));
            assertRefused(Errno.ENOMEM, "max_total_mcast_qp_attach is 3", () -> third.attachMulticast(group(2), 0));
            assertThat(device.link.groups).containsExactly(group(1), group(2));
            second.detachMulticast(group(1), 0);
            third.attachMulticast(group(2), 0);
        }
    }

    private static Gid group(int number) {
        return Gid.ofIpv4(0xEF00_0000 | number);
    }

    /** A device has 2^63 addresses for mapped memory. */
    @Test
    @Covers("DMA-2")
    @SuppressWarnings("restricted") // memory of this size has no other name
    void aMappingBeyondTheDevicesAddressesFailsAndTellsSo() {
        DmaTable dma = DmaTable.of(bench.context);
        MemorySegment everything = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
        assertThat(dma.isMappingError(dma.tryMap(everything, DmaDirection.TO_DEVICE)))
                .isTrue();
        MemorySegment memory = Arena.ofAuto().allocate(100);
        dma.debug(true);
        long address = dma.tryMap(memory, DmaDirection.TO_DEVICE);
        assertRefused(
                Errno.EINVAL, "isMappingError was not called", () -> dma.unmap(address, 100, DmaDirection.TO_DEVICE));
        assertThat(dma.isMappingError(address)).isFalse();
        dma.unmap(address, 100, DmaDirection.TO_DEVICE);
    }

    /** Those of rdma_rxe, by which programs know a device without hardware. */
    @Test
    @Covers("DEV-14")
    void theVendorIsThatOfRxe() {
        DeviceAttributes device = bench.context.queryDevice();
        assertThat(device.vendorId()).isEqualTo(0xFFFFFF);
        assertThat(device.vendorPartId()).isZero();
        assertThat(device.hardwareVersion()).isZero();
    }

    @Test
    @Covers({"DEV-22", "DEV-28"})
    void theDeviceSaysHowAtomicMaskedAtomicsAreAndHowManyPartitionsItMayBeIn() {
        DeviceAttributes device = bench.context.queryDevice();
        assertThat(device.maskedAtomicCapability()).isEqualTo(AtomicCapability.GLOB);
        assertThat(limit(DeviceLimit.MAX_PKEYS))
                .isEqualTo(bench.context.queryPort(1).pkeyTableLength());
    }
}
