package io.rdma4j.verbs;

import java.util.Set;

/** What a port says of itself in PortInfo:CapabilityMask (IBA 14.2.5.6). Answers to {@code enum ibv_port_cap_flags}. */
public enum PortCapability {
    /** The master or a standby subnet manager runs behind this port. */
    SM(1),
    NOTICE_SUP(2),
    TRAP_SUP(3),
    /** Optional inter-packet delay values. */
    OPT_IPD_SUP(4),
    /** Automatic path migration. */
    AUTO_MIGR_SUP(5),
    /** SL to VL mapping. */
    SL_MAP_SUP(6),
    /** The M_Key survives power loss. */
    MKEY_NVRAM(7),
    /** The P_Key table survives power loss. */
    PKEY_NVRAM(8),
    LED_INFO_SUP(9),
    /** A subnet manager is there and inactive. */
    SM_DISABLED(10),
    SYS_IMAGE_GUID_SUP(11),
    /** A switch watches P_Keys on its external ports. */
    PKEY_SW_EXT_PORT_TRAP_SUP(12),
    /** FDR and faster. */
    EXTENDED_SPEEDS_SUP(14),
    CAP_MASK2_SUP(15),
    /** A communication manager listens. */
    CM_SUP(16),
    SNMP_TUNNEL_SUP(17),
    REINIT_SUP(18),
    DEVICE_MGMT_SUP(19),
    VENDOR_CLASS_SUP(20),
    DR_NOTICE_SUP(21),
    /** Sends a notice when this mask changes. */
    CAP_MASK_NOTICE_SUP(22),
    BOOT_MGMT_SUP(23),
    LINK_LATENCY_SUP(24),
    /** Raises {@link EventType#CLIENT_REREGISTER}. */
    CLIENT_REG_SUP(25),
    /** GIDs are IP addresses (RoCE). */
    IP_BASED_GIDS(26);

    private final int shift;

    PortCapability(int shift) {
        this.shift = shift;
    }

    /** The bit in C. */
    public int bit() {
        return 1 << shift;
    }

    /** C's mask of a set. */
    public static int mask(Set<PortCapability> flags) {
        return (int) Flags.mask(flags, PortCapability::bit);
    }

    /** The set of C's mask; unknown bits are left out. */
    public static Set<PortCapability> ofMask(int mask) {
        return Flags.of(PortCapability.class, mask, PortCapability::bit);
    }
}
