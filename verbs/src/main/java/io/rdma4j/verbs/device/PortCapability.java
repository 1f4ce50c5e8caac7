// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.device;

import io.rdma4j.verbs.values.Flags;
import java.util.EnumSet;
import java.util.Set;

/** Bits of PortInfo:CapabilityMask (IBA 14.2.5.6). Corresponds to {@code enum ibv_port_cap_flags}. */
public enum PortCapability {
    /** The master or a standby subnet manager runs behind this port. */
    SM(1),
    /** Sends notices. */
    NOTICE_SUP(2),
    /** Sends traps. */
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
    /** Management can switch its LED. */
    LED_INFO_SUP(9),
    /** The node has a subnet manager, which is disabled. */
    SM_DISABLED(10),
    /** Reports a system image GUID. */
    SYS_IMAGE_GUID_SUP(11),
    /** A switch checks P_Keys on its external ports. */
    PKEY_SW_EXT_PORT_TRAP_SUP(12),
    /** Supports FDR and faster speeds. */
    EXTENDED_SPEEDS_SUP(14),
    /** Has a second capability mask. */
    CAP_MASK2_SUP(15),
    /** A communication manager listens. */
    CM_SUP(16),
    /** An agent for tunnelled SNMP listens. */
    SNMP_TUNNEL_SUP(17),
    /** Supports reinitialization of the node. */
    REINIT_SUP(18),
    /** A device management agent listens. */
    DEVICE_MGMT_SUP(19),
    /** An agent of the vendor listens. */
    VENDOR_CLASS_SUP(20),
    /** Supports notices with directed routes. */
    DR_NOTICE_SUP(21),
    /** Sends a notice when this mask changes. */
    CAP_MASK_NOTICE_SUP(22),
    /** A boot manager listens. */
    BOOT_MGMT_SUP(23),
    /** Measures the round trip of the link. */
    LINK_LATENCY_SUP(24),
    /** Raises {@link io.rdma4j.verbs.values.EventType#CLIENT_REREGISTER}. */
    CLIENT_REG_SUP(25),
    /** GIDs are IP addresses (RoCE). */
    IP_BASED_GIDS(26);

    private static final Set<PortCapability> OF_AGENTS =
            EnumSet.of(CM_SUP, SNMP_TUNNEL_SUP, DEVICE_MGMT_SUP, VENDOR_CLASS_SUP, BOOT_MGMT_SUP);

    private final int shift;

    PortCapability(int shift) {
        this.shift = shift;
    }

    /** {@return the bit in C} */
    public int bit() {
        return 1 << shift;
    }

    /** {@return true if the bit announces a listening agent; see {@link io.rdma4j.verbs.Port#announce}} */
    public boolean isOfAgent() {
        return OF_AGENTS.contains(this);
    }

    /**
     * {@return the mask in C of a set}
     *
     * @param flags may be empty
     */
    public static int mask(Set<PortCapability> flags) {
        return (int) Flags.mask(flags, PortCapability::bit);
    }

    /**
     * {@return the set of a mask in C; unknown bits are ignored}
     *
     * @param mask {@code port_cap_flags}
     */
    public static Set<PortCapability> ofMask(int mask) {
        return Flags.of(PortCapability.class, mask, PortCapability::bit);
    }
}
