package io.rdma4j.rxe;

import io.rdma4j.transport.TransportOptions;
import io.rdma4j.verbs.AtomicCapability;
import io.rdma4j.verbs.DeviceAttributes;
import io.rdma4j.verbs.DeviceCapability;
import io.rdma4j.verbs.DeviceLimit;
import java.util.EnumMap;
import java.util.Map;

/** What the device says of itself: limits, capabilities and constants. Those of Linux rxe where nothing speaks against them. */
final class RxeLimits {
    /** The one port. */
    static final int PORT = 1;

    static final int GID_TABLE_LENGTH = 1024;
    static final long MAX_MESSAGE_BYTES = 1L << 31;
    static final int MAX_INLINE_DATA = 928;

    /**
     * Atomics are instructions of this machine on the memory itself, so they are atomic against whatever else does such
     * instructions on it: other devices of this JVM, {@code VarHandle}s of its programs, other processes that map it.
     */
    private static final AtomicCapability ATOMICS = AtomicCapability.GLOB;

    /** One less than a key has variants: from one unmap to the next no key comes twice. */
    private static final long MAX_MAP_PER_FMR = 255;

    private static final int LOCAL_CA_ACK_DELAY = 15;
    private static final long PAGE_SIZES = 0xFFFF_F000L;
    private static final String VERSION = "0.1.0";
    private static final Map<DeviceLimit, Long> LIMITS = new EnumMap<>(Map.ofEntries(
            Map.entry(DeviceLimit.MAX_MR_SIZE, Long.MAX_VALUE),
            Map.entry(DeviceLimit.MAX_QP, 0x2_0000L),
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
            Map.entry(DeviceLimit.MAX_RES_RD_ATOM, 128L * 0x2_0000L),
            Map.entry(DeviceLimit.MAX_QP_INIT_RD_ATOM, 128L),
            Map.entry(DeviceLimit.MAX_AH, 0x7FFFL),
            Map.entry(DeviceLimit.MAX_MCAST_GRP, 8192L),
            Map.entry(DeviceLimit.MAX_MCAST_QP_ATTACH, 56L),
            Map.entry(DeviceLimit.MAX_TOTAL_MCAST_QP_ATTACH, 56L * 8192),
            Map.entry(DeviceLimit.MAX_SRQ, 0x2_0000L),
            Map.entry(DeviceLimit.MAX_SRQ_WR, 0x4000L),
            Map.entry(DeviceLimit.MAX_SRQ_SGE, 32L),
            Map.entry(DeviceLimit.MAX_TSO, (long) TransportOptions.MAX_LARGE_SEND_BYTES)));

    private RxeLimits() {}

    static long of(DeviceLimit limit) {
        return LIMITS.getOrDefault(limit, 0L);
    }

    /** @param pkeys entries of the P_Key table */
    static DeviceAttributes attributes(RxeDevice device, int pkeys) {
        DeviceAttributes.Builder builder = DeviceAttributes.builder()
                .firmwareVersion(VERSION)
                .nodeGuid(device.nodeGuid())
                .systemImageGuid(device.systemImageGuid())
                .pageSizeCapability(PAGE_SIZES)
                .vendor(0, 0, 0)
                .capabilities(
                        DeviceCapability.BAD_PKEY_CNTR,
                        DeviceCapability.BAD_QKEY_CNTR,
                        DeviceCapability.AUTO_PATH_MIG,
                        DeviceCapability.UD_AV_PORT_ENFORCE,
                        DeviceCapability.RC_RNR_NAK_GEN,
                        DeviceCapability.SRQ_RESIZE,
                        DeviceCapability.UD_IP_CSUM,
                        DeviceCapability.UD_TSO,
                        DeviceCapability.N_NOTIFY_CQ,
                        DeviceCapability.XRC,
                        DeviceCapability.BLOCK_MULTICAST_LOOPBACK,
                        DeviceCapability.MEM_WINDOW,
                        DeviceCapability.MEM_WINDOW_TYPE_2B,
                        DeviceCapability.MEM_MGT_EXTENSIONS,
                        DeviceCapability.SYS_IMAGE_GUID,
                        DeviceCapability.CURR_QP_STATE_MOD,
                        DeviceCapability.PORT_ACTIVE_EVENT,
                        DeviceCapability.FLUSH_GLOBAL,
                        DeviceCapability.FLUSH_PERSISTENT,
                        DeviceCapability.ATOMIC_WRITE)
                .atomics(ATOMICS, ATOMICS)
                .localCaAckDelay(LOCAL_CA_ACK_DELAY)
                .physicalPortCount(1);
        LIMITS.forEach(builder::limit);
        builder.limit(DeviceLimit.MAX_PKEYS, pkeys);
        return builder.build();
    }
}
