// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.device;

import static io.rdma4j.testing.conformance.harness.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.testing.conformance.harness.ConformanceCases;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.device.GidEntry;
import io.rdma4j.verbs.device.LinkLayer;
import io.rdma4j.verbs.device.PhysicalState;
import io.rdma4j.verbs.device.PortAttributes;
import io.rdma4j.verbs.device.PortState;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Cases for devices, ports, P_Keys and GIDs: {@code test_device.DeviceTest} of rdma-core. */
public abstract class DeviceCases extends ConformanceCases {
    private static final int DEFAULT_PARTITION = 0x7FFF;

    protected DeviceCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    /** {@code test_dev_list}. */
    @Test
    void theDeviceIsInTheListOfItsHost() {
        Device device = context().device();
        assertThat(device.host().devices()).contains(device);
        assertThat(device.host().device(device.name())).isSameAs(device);
    }

    /** {@code test_open_dev}. */
    @Test
    @Covers("UVERBS-28")
    void theDeviceOpensMoreThanOnce() {
        Context second = closing(context().device().open());
        assertThat(second).isNotSameAs(context());
        assertThat(second.queryDevice()).isEqualTo(context().queryDevice());
    }

    @Test
    void aDeviceThatIsNotThereIsRefused() {
        assertRefused(Errno.ENODEV, () -> context().device().host().open("no_such_device"));
    }

    /** {@code test_query_device}. */
    @Test
    @Covers({"DEV-9", "DEV-10", "DEV-11"})
    void aDeviceTellsWhoItIs() {
        DeviceAttributes device = context().queryDevice();
        assertThat(device.nodeGuid()).isNotZero().isEqualTo(context().device().guid());
        assertThat(device.systemImageGuid()).isNotZero();
        assertThat(device.has(DeviceCapability.RESERVED)).isFalse();
        assertThat(device.firmwareVersion()).hasSizeLessThan(64);
        assertThat(device.pageSizeCapability()).isNotZero();
        assertThat(device.physicalPortCount()).isBetween(1, 255);
        assertThat(device.localCaAckDelay()).isBetween(0, 31);
    }

    /** {@code test_query_device}: the limits that every device has. */
    @ParameterizedTest
    @EnumSource(
            value = DeviceLimit.class,
            mode = Mode.INCLUDE,
            names = {
                "MAX_MR_SIZE",
                "MAX_QP",
                "MAX_QP_WR",
                "MAX_SGE",
                "MAX_CQ",
                "MAX_CQE",
                "MAX_MR",
                "MAX_PD",
                "MAX_PKEYS"
            })
    @Covers("RXE-30")
    void everyDeviceHasTheseLimits(DeviceLimit limit) {
        assertThat(context().queryDevice().limit(limit)).isPositive();
    }

    /** No device implements reliable datagrams. */
    @ParameterizedTest
    @EnumSource(
            value = DeviceLimit.class,
            mode = Mode.INCLUDE,
            names = {"MAX_EE", "MAX_RDD", "MAX_EE_RD_ATOM", "MAX_EE_INIT_RD_ATOM"})
    @Covers({"DEV-20", "GEN-5"})
    void theLimitsOfReliableDatagramsAreZero(DeviceLimit limit) {
        assertThat(context().queryDevice().limit(limit)).isZero();
    }

    /** {@code test_query_port}. */
    @Test
    @Covers({"PORT-1", "PORT-6", "PORT-8", "PORT-9", "PORT-10", "PORT-11"})
    void thePortIsActiveAndItsAttributesAreInRange() {
        PortAttributes port = context().queryPort(target().port());
        assertThat(port.state()).isEqualTo(PortState.ACTIVE);
        assertThat(port.physicalState()).isEqualTo(PhysicalState.LINK_UP);
        assertThat(port.activeMtu()).isLessThanOrEqualTo(port.maxMtu());
        assertThat(port.gidTableLength()).isPositive();
        assertThat(port.pkeyTableLength()).isPositive();
        assertThat(port.maxMessageSize()).isBetween(1L, 1L << 31);
        assertThat(port.maxVlNumber()).isBetween(1, 5);
        assertThat(port.subnetTimeout()).isBetween(0, 31);
        assertThat(context().linkLayer(target().port())).isEqualTo(port.linkLayer());
    }

    @Test
    @Covers("PORT-44")
    void anEthernetPortHasNoLid() {
        PortAttributes port = context().queryPort(target().port());
        if (port.linkLayer() == LinkLayer.ETHERNET) {
            assertThat(port.lid()).isZero();
            assertThat(port.smLid()).isZero();
        } else {
            assertThat(port.lid()).isPositive();
        }
    }

    /** {@code test_query_port_bad_flow}. */
    @Test
    @Covers("PORT-56")
    void aPortThatIsNotThereIsRefused() {
        int ports = context().queryDevice().physicalPortCount();
        for (int port : new int[] {0, ports + 1, -1}) {
            assertRefused(Errno.EINVAL, () -> context().queryPort(port), "port", port, 1, ports);
            assertRefused(Errno.EINVAL, () -> context().queryGid(port, 0), "port", port, 1, ports);
            assertRefused(Errno.EINVAL, () -> context().queryPkey(port, 0), "port", port, 1, ports);
        }
    }

    /** {@code test_query_pkey}, {@code test_get_pkey_index}. */
    @Test
    @Covers({"PORT-47", "PORT-48", "PORT-50"})
    void theDefaultPartitionIsInTheTable() {
        int pkey = context().queryPkey(target().port(), 0);
        assertThat(pkey & DEFAULT_PARTITION).isEqualTo(DEFAULT_PARTITION);
        assertThat(context().pkeyIndex(target().port(), pkey)).isZero();
    }

    @Test
    void pkeysThatAreNotThereAreRefused() {
        int length = context().queryPort(target().port()).pkeyTableLength();
        for (int index : new int[] {length, -1}) {
            assertRefused(
                    Errno.EINVAL, () -> context().queryPkey(target().port(), index), "P_Key index", index, length - 1);
        }
        assertRefused(Errno.ENOENT, () -> context().pkeyIndex(target().port(), 0x1234), "0x1234");
    }

    /** {@code test_query_gid}, {@code test_query_gid_ex}. */
    @Test
    @Covers("PORT-45")
    void theGidOfThePortIsInItsTable() {
        GidEntry entry = context().queryGidEntry(target().port(), target().gidIndex());
        assertThat(entry.gid()).isNotEqualTo(Gid.ZERO);
        assertThat(entry.port()).isEqualTo(target().port());
        assertThat(entry.index()).isEqualTo(target().gidIndex());
        assertThat(context().queryGid(target().port(), target().gidIndex())).isEqualTo(entry.gid());
    }

    /** {@code test_query_gid_table}. */
    @Test
    @Covers("PORT-49")
    void theTableOfGidsHasAllOccupiedSlots() {
        assertThat(context().queryGidTable()).isNotEmpty().allSatisfy(entry -> {
            assertThat(context().queryGidEntry(entry.port(), entry.index())).isEqualTo(entry);
            assertThat(context().findGid(entry.gid())).isPresent();
        });
        assertThat(context().findGid(Gid.parse("fe80::dead:beef:1"))).isEmpty();
    }

    /**
     * {@code test_query_gid_table_bad_flow}, {@code test_query_gid_ex_bad_flow}. A buffer that is too small for the
     * table (EINVAL in C) has no counterpart: {@link Context#queryGidTable} creates the list.
     */
    @Test
    void slotsThatAreEmptyOrNotThereAreRefused() {
        int port = target().port();
        int length = context().queryPort(port).gidTableLength();
        assertRefused(Errno.EINVAL, () -> context().queryGid(port, length), "GID index", length, length - 1);
        assertRefused(Errno.EINVAL, () -> context().queryGidEntry(port, -1), "GID index", -1, length - 1);
        int empty = firstEmptySlot(port, length);
        if (empty < length) {
            assertThat(context().queryGid(port, empty)).isEqualTo(Gid.ZERO);
            assertRefused(Errno.ENODATA, () -> context().queryGidEntry(port, empty), empty, "port " + port);
        }
    }

    private int firstEmptySlot(int port, int length) {
        int index = 0;
        while (index < length && !context().queryGid(port, index).equals(Gid.ZERO)) {
            index++;
        }
        return index;
    }
}
