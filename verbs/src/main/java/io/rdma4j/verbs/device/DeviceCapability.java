// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.device;

import io.rdma4j.verbs.values.Flags;
import java.util.Set;

/**
 * Optional capabilities of a device; a verb that requires a missing capability fails. Corresponds to
 * {@code enum ibv_device_cap_flags}.
 */
public enum DeviceCapability {
    /** A modification of a queue pair can resize its queues. */
    RESIZE_MAX_WR(0),
    /** The device counts packets with bad P_Keys. */
    BAD_PKEY_CNTR(1),
    /** The device counts packets with bad Q_Keys. */
    BAD_QKEY_CNTR(2),
    /** Raw packet multicast. */
    RAW_MULTI(3),
    /** Automatic path migration. */
    AUTO_PATH_MIG(4),
    /** The primary port of a QP may change. */
    CHANGE_PHY_PORT(5),
    /** A UD queue pair sends only through the port of the address handle. */
    UD_AV_PORT_ENFORCE(6),
    /** A modification can contain the assumed current state. */
    CURR_QP_STATE_MOD(7),
    /** Ports can be shut down. */
    SHUTDOWN_PORT(8),
    /** InitType and InitTypeReply can be set. */
    INIT_TYPE(9),
    /** The device raises {@link io.rdma4j.verbs.values.EventType#PORT_ACTIVE}. */
    PORT_ACTIVE_EVENT(10),
    /** The device has a system image GUID. */
    SYS_IMAGE_GUID(11),
    /** RC QPs send RNR NAKs. */
    RC_RNR_NAK_GEN(12),
    /** Shared receive queues can be resized. */
    SRQ_RESIZE(13),
    /** Completion events after N completions: {@link io.rdma4j.verbs.CompletionQueue#requestNotificationAt}. */
    N_NOTIFY_CQ(14),
    /** The device has the reserved L_Key: {@link io.rdma4j.verbs.Context#localDmaLkey}. */
    LOCAL_DMA_LKEY(15),
    /** Never set. */
    RESERVED(16),
    /** Memory windows. */
    MEM_WINDOW(17),
    /** Insertion and verification of checksums of IP over InfiniBand on UD queue pairs. */
    UD_IP_CSUM(18),
    /** TCP segmentation offload on UD QPs. */
    UD_TSO(19),
    /** Extended reliable connection. */
    XRC(20),
    /** Fast registration and local invalidation by work request. */
    MEM_MGT_EXTENSIONS(21),
    /** The device can suppress the loopback of multicast packets that it sends. */
    BLOCK_MULTICAST_LOOPBACK(22),
    /** Type 2A windows: bound to a QP number. */
    MEM_WINDOW_TYPE_2A(23),
    /** Type 2B windows: bound to a QP number and PD. */
    MEM_WINDOW_TYPE_2B(24),
    /** Checksum offload on RC QPs. */
    RC_IP_CSUM(25),
    /** Checksum offload on raw packet QPs. */
    RAW_IP_CSUM(26),
    /** Flow steering. */
    MANAGED_FLOW_STEERING(29),
    /** FLUSH to global visibility. */
    FLUSH_GLOBAL(38),
    /** FLUSH to persistence. */
    FLUSH_PERSISTENT(39),
    /** ATOMIC WRITE. */
    ATOMIC_WRITE(40);

    private final int shift;

    DeviceCapability(int shift) {
        this.shift = shift;
    }

    /** {@return the bit of the C constant} */
    public long bit() {
        return 1L << shift;
    }

    /**
     * {@return the bit mask of a set, as in C}
     *
     * @param flags any set; may be empty
     */
    public static long mask(Set<DeviceCapability> flags) {
        return Flags.mask(flags, DeviceCapability::bit);
    }

    /**
     * {@return the set of a C bit mask; unknown bits are ignored}
     *
     * @param mask the bit mask
     */
    public static Set<DeviceCapability> ofMask(long mask) {
        return Flags.of(DeviceCapability.class, mask, DeviceCapability::bit);
    }
}
