// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sm;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;
import io.rdma4j.wire.mad.PortKind;

/**
 * The attribute PortInfo of subnet management (IBA 14.2.5.6): state, addresses and limits of a port. A Set of 0 means
 * "no change" for states, widths, speeds and {@link #OPERATIONAL_VLS}.
 */
public final class PortInfoAttribute {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("PortInfo");
    /** Key of the subnet manager that manages the port; 0 for none. */
    public static final MadField M_KEY =
            FIELDS.settable().on(PortKind.END).component(3).hex("mKey", 0, 64);
    /** Upper half of the GID whose lower half is the port's GUID. */
    public static final MadField GID_PREFIX = FIELDS.settable().on(PortKind.END).hex("gidPrefix", 8, 64);
    /** Address of the port in the subnet. */
    public static final MadField LID = FIELDS.settable().on(PortKind.END).hex("lid", 16, 16);
    /** LID of the master subnet manager. */
    public static final MadField MASTER_SM_LID =
            FIELDS.settable().on(PortKind.END).hex("masterSmLid", 18, 16);
    /** Capabilities of the port. */
    public static final MadField CAPABILITY_MASK = FIELDS.on(PortKind.END).hex("capabilityMask", 20, 32);
    /** 0 for a port without faults. */
    public static final MadField DIAG_CODE = FIELDS.hex("diagCode", 24, 16);
    /** Seconds after which protection ends without its subnet manager; 0 for never. */
    public static final MadField M_KEY_LEASE_PERIOD =
            FIELDS.settable().on(PortKind.END).decimal("mKeyLeasePeriod", 26, 16);
    /** Number of the port at which the datagram arrived. */
    public static final MadField LOCAL_PORT_NUM = FIELDS.decimal("localPort", 28, 8);
    /** Enabled widths: 1 for 1x, 2 for 4x, 4 for 8x, 8 for 12x, 16 for 2x; a Set of 255 for all. */
    public static final MadField LINK_WIDTH_ENABLED =
            FIELDS.settable().on(PortKind.LINK).decimal("linkWidthEnabled", 29, 8);
    /** Supported widths. */
    public static final MadField LINK_WIDTH_SUPPORTED = FIELDS.on(PortKind.LINK).decimal("linkWidthSupported", 30, 8);
    /** Width of the link. */
    public static final MadField LINK_WIDTH_ACTIVE = FIELDS.on(PortKind.LINK).decimal("linkWidthActive", 31, 8);
    /** Supported speeds: 1 for SDR, 2 for DDR, 4 for QDR. */
    public static final MadField LINK_SPEED_SUPPORTED =
            FIELDS.on(PortKind.LINK).decimal("linkSpeedSupported", 32, 0, 4);
    /** Logical state: 1 down, 2 init, 3 armed, 4 active. */
    public static final MadField PORT_STATE =
            FIELDS.settable().on(PortKind.LINK).decimal("portState", 32, 4, 4);
    /** Physical state: 1 sleep, 2 polling, 3 disabled, 4 training, 5 link up. */
    public static final MadField PORT_PHYSICAL_STATE =
            FIELDS.settable().on(PortKind.LINK).decimal("portPhysicalState", 33, 0, 4);
    /** Physical state after a loss of the link: 1 sleep, 2 polling. */
    public static final MadField LINK_DOWN_DEFAULT_STATE =
            FIELDS.settable().on(PortKind.LINK).decimal("linkDownDefaultState", 33, 4, 4);
    /** What a datagram without the key may do. */
    public static final MadField M_KEY_PROTECT_BITS =
            FIELDS.settable().on(PortKind.END).decimal("mKeyProtectBits", 34, 0, 2);
    /** Number of low LID bits that path selection may vary. */
    public static final MadField LMC =
            FIELDS.settable().on(PortKind.MASKED).component(20).decimal("lmc", 34, 5, 3);
    /** Speed of the link: 1 SDR, 2 DDR, 4 QDR. */
    public static final MadField LINK_SPEED_ACTIVE = FIELDS.on(PortKind.LINK).decimal("linkSpeedActive", 35, 0, 4);
    /** Enabled speeds; a Set of 15 for all. */
    public static final MadField LINK_SPEED_ENABLED =
            FIELDS.settable().on(PortKind.LINK).decimal("linkSpeedEnabled", 35, 4, 4);
    /** Largest payload that the port sends: 1 for 256 bytes to 5 for 4096. */
    public static final MadField NEIGHBOR_MTU =
            FIELDS.settable().on(PortKind.SENDING).decimal("neighborMtu", 36, 0, 4);
    /** Service level of the path to the master subnet manager. */
    public static final MadField MASTER_SM_SL =
            FIELDS.settable().on(PortKind.END).decimal("masterSmSl", 36, 4, 4);
    /** Supported data VLs: 1 to 5 for 1, 2, 4, 8 and 15. */
    public static final MadField VL_CAP = FIELDS.on(PortKind.LINK).decimal("vlCap", 37, 0, 4);
    /** Initialization that the node asks for. */
    public static final MadField INIT_TYPE = FIELDS.on(PortKind.END).decimal("initType", 37, 4, 4);
    /** Units of 4096 bytes of the high table before a packet of the low one; 255 for no limit. */
    public static final MadField VL_HIGH_LIMIT =
            FIELDS.settable().on(PortKind.LINK).decimal("vlHighLimit", 38, 8);
    /** Entries of the high arbitration table. */
    public static final MadField VL_ARB_HIGH_CAP = FIELDS.on(PortKind.LINK).decimal("vlArbHighCap", 39, 8);
    /** Entries of the low arbitration table. */
    public static final MadField VL_ARB_LOW_CAP = FIELDS.on(PortKind.LINK).decimal("vlArbLowCap", 40, 8);
    /** Initialization that the subnet manager has performed. */
    public static final MadField INIT_TYPE_REPLY =
            FIELDS.settable().on(PortKind.END).decimal("initTypeReply", 41, 0, 4);
    /** Largest payload that the port supports. */
    public static final MadField MTU_CAP = FIELDS.decimal("mtuCap", 41, 4, 4);
    /** Packets dropped by age in sequence before a lane counts as stalled. */
    public static final MadField VL_STALL_COUNT =
            FIELDS.settable().on(PortKind.FORWARDING).decimal("vlStallCount", 42, 0, 3);
    /** Longest stay at the head of a lane, exponent of 4.096 µs; above 19 without limit. */
    public static final MadField HOQ_LIFE =
            FIELDS.settable().on(PortKind.FORWARDING).decimal("hoqLife", 42, 3, 5);
    /** Data VLs in use. */
    public static final MadField OPERATIONAL_VLS =
            FIELDS.settable().on(PortKind.LINK).decimal("operationalVls", 43, 0, 4);
    /** 1 if packets that arrive need a P_Key of the port's table. */
    public static final MadField PARTITION_ENFORCEMENT_INBOUND =
            FIELDS.settable().on(PortKind.FORWARDING).decimal("partitionEnforcementInbound", 43, 4, 1);
    /** 1 if packets that leave need a P_Key of the port's table. */
    public static final MadField PARTITION_ENFORCEMENT_OUTBOUND =
            FIELDS.settable().on(PortKind.FORWARDING).decimal("partitionEnforcementOutbound", 43, 5, 1);
    /** 1 if raw packets that arrive are dropped. */
    public static final MadField FILTER_RAW_INBOUND =
            FIELDS.settable().on(PortKind.FORWARDING).decimal("filterRawInbound", 43, 6, 1);
    /** 1 if raw packets that leave are dropped. */
    public static final MadField FILTER_RAW_OUTBOUND =
            FIELDS.settable().on(PortKind.FORWARDING).decimal("filterRawOutbound", 43, 7, 1);
    /** Datagrams with a wrong M_Key; stays at 65535, a Set of 0 clears it. */
    public static final MadField M_KEY_VIOLATIONS =
            FIELDS.settable().on(PortKind.END).decimal("mKeyViolations", 44, 16);
    /** Packets with a P_Key that is not in the port's table; stays at 65535, a Set of 0 clears it. */
    public static final MadField P_KEY_VIOLATIONS =
            FIELDS.settable().on(PortKind.END).decimal("pKeyViolations", 46, 16);
    /** Packets with a wrong Q_Key; stays at 65535, a Set of 0 clears it. */
    public static final MadField Q_KEY_VIOLATIONS =
            FIELDS.settable().on(PortKind.END).decimal("qKeyViolations", 48, 16);
    /** Entries of GUIDInfo. */
    public static final MadField GUID_CAP = FIELDS.on(PortKind.END).decimal("guidCap", 50, 8);
    /** In a Set: the clients of the port must register again. */
    public static final MadField CLIENT_REREGISTER =
            FIELDS.settable().on(PortKind.END).decimal("clientReregister", 51, 0, 1);
    /** Whether wrong P_Keys of multicast packets cause traps. */
    public static final MadField MULTICAST_PKEY_TRAP_SUPPRESSION =
            FIELDS.settable().on(PortKind.END).decimal("multicastPkeyTrapSuppression", 51, 1, 2);
    /** Maximum time of a packet in the subnet, exponent of 4.096 µs. */
    public static final MadField SUBNET_TIMEOUT =
            FIELDS.settable().on(PortKind.END).decimal("subnetTimeOut", 51, 3, 5);
    /** Time within which the port answers, exponent of 4.096 µs. */
    public static final MadField RESP_TIME_VALUE =
            FIELDS.on(PortKind.END).component(47).decimal("respTimeValue", 52, 3, 5);
    /** Threshold of local link integrity errors. */
    public static final MadField LOCAL_PHY_ERRORS =
            FIELDS.settable().on(PortKind.LINK).decimal("localPhyErrors", 53, 0, 4);
    /** Threshold of buffer overruns. */
    public static final MadField OVERRUN_ERRORS =
            FIELDS.settable().on(PortKind.LINK).decimal("overrunErrors", 53, 4, 4);
    /** Largest number of credits of a lane. */
    public static final MadField MAX_CREDIT_HINT =
            FIELDS.on(PortKind.FORWARDING).decimal("maxCreditHint", 54, 16);
    /** Round trip of the link in units of 4 ns; 0xFFFFFF if it was not measured. */
    public static final MadField LINK_ROUND_TRIP_LATENCY =
            FIELDS.on(PortKind.LINK).component(52).decimal("linkRoundTripLatency", 57, 24);
    /** Further capabilities. */
    public static final MadField CAPABILITY_MASK_2 = FIELDS.on(PortKind.END).hex("capabilityMask2", 60, 16);
    /** Speed of the link: 1 FDR, 2 EDR, 4 HDR, 8 NDR; 0 for one of {@link #LINK_SPEED_ACTIVE}. */
    public static final MadField LINK_SPEED_EXT_ACTIVE =
            FIELDS.on(PortKind.LINK).decimal("linkSpeedExtActive", 62, 0, 4);
    /** Supported extended speeds. */
    public static final MadField LINK_SPEED_EXT_SUPPORTED =
            FIELDS.on(PortKind.LINK).decimal("linkSpeedExtSupported", 62, 4, 4);
    /** Enabled extended speeds; a Set of 30 for none, of 31 for all. */
    public static final MadField LINK_SPEED_EXT_ENABLED =
            FIELDS.settable().on(PortKind.LINK).component(57).decimal("linkSpeedExtEnabled", 63, 3, 5);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(Smp.DATA_BYTES);

    private PortInfoAttribute() {}
}
