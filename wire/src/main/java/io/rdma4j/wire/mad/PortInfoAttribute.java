// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

/** The attribute PortInfo of subnet management (IBA 14.2.5.6): state, addresses and limits of a port. */
public final class PortInfoAttribute {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("PortInfo");
    /** Key of the subnet manager that manages the port; 0 for none. */
    public static final MadField M_KEY = FIELDS.hex("mKey", 0, 64);
    /** Upper half of the GID whose lower half is the port's GUID. */
    public static final MadField GID_PREFIX = FIELDS.hex("gidPrefix", 8, 64);
    /** Address of the port in the subnet. */
    public static final MadField LID = FIELDS.hex("lid", 16, 16);
    /** LID of the master subnet manager. */
    public static final MadField MASTER_SM_LID = FIELDS.hex("masterSmLid", 18, 16);
    /** Capabilities of the port. */
    public static final MadField CAPABILITY_MASK = FIELDS.hex("capabilityMask", 20, 32);
    /** Number of the port at which the datagram arrived. */
    public static final MadField LOCAL_PORT_NUM = FIELDS.decimal("localPort", 28, 8);
    /** Enabled widths: 1 for 1x, 2 for 4x, 4 for 8x, 8 for 12x, 16 for 2x. */
    public static final MadField LINK_WIDTH_ENABLED = FIELDS.decimal("linkWidthEnabled", 29, 8);
    /** Supported widths. */
    public static final MadField LINK_WIDTH_SUPPORTED = FIELDS.decimal("linkWidthSupported", 30, 8);
    /** Width of the link. */
    public static final MadField LINK_WIDTH_ACTIVE = FIELDS.decimal("linkWidthActive", 31, 8);
    /** Supported speeds: 1 for SDR, 2 for DDR, 4 for QDR. */
    public static final MadField LINK_SPEED_SUPPORTED = FIELDS.decimal("linkSpeedSupported", 32, 0, 4);
    /** Logical state: 1 down, 2 init, 3 armed, 4 active. */
    public static final MadField PORT_STATE = FIELDS.decimal("portState", 32, 4, 4);
    /** Physical state: 2 polling, 3 disabled, 5 link up. */
    public static final MadField PORT_PHYSICAL_STATE = FIELDS.decimal("portPhysicalState", 33, 0, 4);
    /** Physical state after a loss of the link: 1 sleep, 2 polling. */
    public static final MadField LINK_DOWN_DEFAULT_STATE = FIELDS.decimal("linkDownDefaultState", 33, 4, 4);
    /** Number of low LID bits that path selection may vary. */
    public static final MadField LMC = FIELDS.decimal("lmc", 34, 5, 3);
    /** Speed of the link: 1 SDR, 2 DDR, 4 QDR. */
    public static final MadField LINK_SPEED_ACTIVE = FIELDS.decimal("linkSpeedActive", 35, 0, 4);
    /** Enabled speeds. */
    public static final MadField LINK_SPEED_ENABLED = FIELDS.decimal("linkSpeedEnabled", 35, 4, 4);
    /** Largest payload that the port sends: 1 for 256 bytes to 5 for 4096. */
    public static final MadField NEIGHBOR_MTU = FIELDS.decimal("neighborMtu", 36, 0, 4);
    /** Service level of the path to the master subnet manager. */
    public static final MadField MASTER_SM_SL = FIELDS.decimal("masterSmSl", 36, 4, 4);
    /** Supported data VLs: 1 to 5 for 1, 2, 4, 8 and 15. */
    public static final MadField VL_CAP = FIELDS.decimal("vlCap", 37, 0, 4);
    /** Initialization that the node asks for. */
    public static final MadField INIT_TYPE = FIELDS.decimal("initType", 37, 4, 4);
    /** Initialization that the subnet manager has performed. */
    public static final MadField INIT_TYPE_REPLY = FIELDS.decimal("initTypeReply", 41, 0, 4);
    /** Largest payload that the port supports. */
    public static final MadField MTU_CAP = FIELDS.decimal("mtuCap", 41, 4, 4);
    /** Data VLs in use. */
    public static final MadField OPERATIONAL_VLS = FIELDS.decimal("operationalVls", 43, 0, 4);
    /** Packets with a P_Key that is not in the port's table; stays at 65535. */
    public static final MadField P_KEY_VIOLATIONS = FIELDS.decimal("pKeyViolations", 46, 16);
    /** Packets with a wrong Q_Key; stays at 65535. */
    public static final MadField Q_KEY_VIOLATIONS = FIELDS.decimal("qKeyViolations", 48, 16);
    /** In a Set: the clients of the port must register again. */
    public static final MadField CLIENT_REREGISTER = FIELDS.decimal("clientReregister", 51, 0, 1);
    /** Maximum time of a packet in the subnet, exponent of 4.096 µs. */
    public static final MadField SUBNET_TIMEOUT = FIELDS.decimal("subnetTimeOut", 51, 3, 5);
    /** Speed of the link: 1 FDR, 2 EDR, 4 HDR; 0 for one of {@link #LINK_SPEED_ACTIVE}. */
    public static final MadField LINK_SPEED_EXT_ACTIVE = FIELDS.decimal("linkSpeedExtActive", 62, 0, 4);
    /** Supported extended speeds. */
    public static final MadField LINK_SPEED_EXT_SUPPORTED = FIELDS.decimal("linkSpeedExtSupported", 62, 4, 4);
    /** Enabled extended speeds. */
    public static final MadField LINK_SPEED_EXT_ENABLED = FIELDS.decimal("linkSpeedExtEnabled", 63, 3, 5);
    /** The attribute. */
    public static final MadLayout LAYOUT = withOthers().build(64);

    private PortInfoAttribute() {}

    /** Adds the fields that only subnet managers and switches use. */
    private static MadLayout.Builder withOthers() {
        FIELDS.hex("diagCode", 24, 16);
        FIELDS.decimal("mKeyLeasePeriod", 26, 16);
        FIELDS.decimal("mKeyProtectBits", 34, 0, 2);
        FIELDS.decimal("vlHighLimit", 38, 8);
        FIELDS.decimal("vlArbHighCap", 39, 8);
        FIELDS.decimal("vlArbLowCap", 40, 8);
        FIELDS.decimal("vlStallCount", 42, 0, 3);
        FIELDS.decimal("hoqLife", 42, 3, 5);
        FIELDS.decimal("partitionEnforcementInbound", 43, 4, 1);
        FIELDS.decimal("partitionEnforcementOutbound", 43, 5, 1);
        FIELDS.decimal("filterRawInbound", 43, 6, 1);
        FIELDS.decimal("filterRawOutbound", 43, 7, 1);
        FIELDS.decimal("mKeyViolations", 44, 16);
        FIELDS.decimal("guidCap", 50, 8);
        FIELDS.decimal("multicastPkeyTrapSuppression", 51, 1, 2);
        FIELDS.decimal("respTimeValue", 52, 3, 5);
        FIELDS.decimal("localPhyErrors", 53, 0, 4);
        FIELDS.decimal("overrunErrors", 53, 4, 4);
        FIELDS.decimal("maxCreditHint", 54, 16);
        FIELDS.decimal("linkRoundTripLatency", 57, 24);
        FIELDS.hex("capabilityMask2", 60, 16);
        return FIELDS;
    }
}
