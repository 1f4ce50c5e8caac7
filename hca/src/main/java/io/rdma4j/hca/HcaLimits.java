// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.device.AtomicCapability;
import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.values.QpType;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;

/** The limits and constants that a device reports. They are those of Linux rxe unless a comment gives a reason. */
public final class HcaLimits {
    /** Number of the only port. */
    public static final int PORT = 1;

    public static final int GID_TABLE_LENGTH = 1024;
    public static final long MAX_MESSAGE_BYTES = 1L << 31;
    public static final int MAX_INLINE_DATA = 928;

    /**
     * Atomics are CPU instructions on the memory itself. They are atomic with respect to all other atomic instructions
     * on it: other devices of this JVM, {@code VarHandle}s of its programs, and other processes that map it.
     */
    private static final AtomicCapability ATOMICS = AtomicCapability.GLOB;

    /** One less than the number of variants of a key: no key is repeated between two unmaps. */
    private static final long MAX_MAP_PER_FMR = 255;

    private static final int LOCAL_CA_ACK_DELAY = 15;
    private static final long PAGE_SIZES = 0xFFFF_F000L;
    private static final String VERSION = "0.1.0";

    /** {@code RXE_VENDOR_ID}: no vendor has it. rdma-core takes 0 for a device that does not tell. */
    private static final int VENDOR_ID = 0xFFFFFF;

    private static final long MAX_QP = 0x2_0000L;
    private static final Map<DeviceLimit, Long> MOST = new EnumMap<>(Map.ofEntries(
            Map.entry(DeviceLimit.MAX_MR_SIZE, Long.MAX_VALUE),
            Map.entry(DeviceLimit.MAX_QP, MAX_QP),
            Map.entry(DeviceLimit.MAX_RAW_IPV6_QP, MAX_QP),
            Map.entry(DeviceLimit.MAX_RAW_ETHY_QP, MAX_QP),
            Map.entry(DeviceLimit.MAX_QP_WR, 0x4000L),
            Map.entry(DeviceLimit.MAX_SGE, 32L),
            Map.entry(DeviceLimit.MAX_SGE_RD, 32L),
            Map.entry(DeviceLimit.MAX_CQ, 0x2_0000L),
            Map.entry(DeviceLimit.MAX_CQE, (1L << 20) - 1),
            Map.entry(DeviceLimit.MAX_MR, 0x4_0000L),
            Map.entry(DeviceLimit.MAX_FMR, 0x4_0000L),
            Map.entry(DeviceLimit.MAX_MAP_PER_FMR, MAX_MAP_PER_FMR),
            Map.entry(DeviceLimit.MAX_MW, 0x4_0000L),
            Map.entry(DeviceLimit.MAX_DM_SIZE, 16L << 20),
            Map.entry(DeviceLimit.MAX_FAST_REG_PAGE_LIST_LEN, 512L),
            Map.entry(DeviceLimit.MAX_PD, 0x7FFCL),
            Map.entry(DeviceLimit.MAX_QP_RD_ATOM, 128L),
            Map.entry(DeviceLimit.MAX_RES_RD_ATOM, 128L * MAX_QP),
            Map.entry(DeviceLimit.MAX_QP_INIT_RD_ATOM, 128L),
            Map.entry(DeviceLimit.MAX_AH, 0x7FFFL),
            Map.entry(DeviceLimit.MAX_MCAST_GRP, 8192L),
            Map.entry(DeviceLimit.MAX_MCAST_QP_ATTACH, 56L),
            Map.entry(DeviceLimit.MAX_TOTAL_MCAST_QP_ATTACH, 56L * 8192),
            Map.entry(DeviceLimit.MAX_SRQ, 0x2_0000L),
            Map.entry(DeviceLimit.MAX_SRQ_WR, 0x4000L),
            Map.entry(DeviceLimit.MAX_SRQ_SGE, 32L),
            Map.entry(DeviceLimit.MAX_TSO, (long) TransportOptions.MAX_LARGE_SEND_BYTES)));

    private final HcaCapabilities capabilities;
    private final Map<DeviceLimit, Long> limits = new EnumMap<>(MOST);

    /**
     * @param lower limits below those of the device; others are unchanged
     * @param rawTypes types of raw queue pairs that are possible on the link below
     */
    public HcaLimits(HcaCapabilities capabilities, Map<DeviceLimit, Long> lower, Set<QpType> rawTypes) {
        this.capabilities = capabilities;
        limits.putAll(lower);
        if (!rawTypes.contains(QpType.RAW_IPV6)) {
            limits.put(DeviceLimit.MAX_RAW_IPV6_QP, 0L);
        }
        if (!rawTypes.contains(QpType.RAW_ETHERTYPE)) {
            limits.put(DeviceLimit.MAX_RAW_ETHY_QP, 0L);
        }
    }

    /** @throws RdmaException EINVAL if {@code value} is not between 0 and the limit of the device */
    public static void checkLower(DeviceLimit limit, long value) {
        long most = MOST.getOrDefault(limit, 0L);
        if (value < 0 || value > most) {
            throw new RdmaException(Errno.EINVAL, limit.label() + " " + value + " is not in 0.." + most);
        }
    }

    public long of(DeviceLimit limit) {
        return limits.getOrDefault(limit, 0L);
    }

    /** @param pkeys number of entries of the P_Key table */
    public DeviceAttributes attributes(DeviceIdentity device, int pkeys) {
        DeviceAttributes.Builder builder = DeviceAttributes.builder()
                .firmwareVersion(VERSION)
                .nodeGuid(device.nodeGuid())
                .systemImageGuid(device.systemImageGuid())
                .pageSizeCapability(PAGE_SIZES)
                .vendor(VENDOR_ID, 0, 0)
                .capabilities(capabilities.all().toArray(DeviceCapability[]::new))
                .atomics(ATOMICS, ATOMICS)
                .localCaAckDelay(LOCAL_CA_ACK_DELAY)
                .physicalPortCount(1);
        limits.forEach(builder::limit);
        builder.limit(DeviceLimit.MAX_PKEYS, pkeys);
        return builder.build();
    }
}
