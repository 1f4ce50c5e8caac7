// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sm;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;

/** The attribute SwitchInfo of subnet management (IBA 14.2.5.4): sizes of the tables of a switch and their use. */
public final class SwitchInfo {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("SwitchInfo");
    /** Entries of the linear forwarding table; 0 if there is none. */
    public static final MadField LINEAR_FDB_CAP = FIELDS.decimal("linearFdbCap", 0, 16);
    /** Entries of the random forwarding table; 0 if there is none. */
    public static final MadField RANDOM_FDB_CAP = FIELDS.decimal("randomFdbCap", 2, 16);
    /** Entries of the multicast forwarding table. */
    public static final MadField MULTICAST_FDB_CAP = FIELDS.decimal("multicastFdbCap", 4, 16);
    /** Highest LID of the linear forwarding table in use. */
    public static final MadField LINEAR_FDB_TOP = FIELDS.settable().decimal("linearFdbTop", 6, 16);
    /** Port for LIDs that the random forwarding table does not contain. */
    public static final MadField DEFAULT_PORT = FIELDS.settable().decimal("defaultPort", 8, 8);
    /** Port for multicast LIDs above the table. */
    public static final MadField DEFAULT_MULTICAST_PRIMARY_PORT =
            FIELDS.settable().decimal("defaultMulticastPrimaryPort", 9, 8);
    /** Port for such packets that arrive at the primary one. */
    public static final MadField DEFAULT_MULTICAST_NOT_PRIMARY_PORT =
            FIELDS.settable().decimal("defaultMulticastNotPrimaryPort", 10, 8);
    /** Longest stay of a packet, exponent of 4.096 µs; above 19 without limit. */
    public static final MadField LIFE_TIME_VALUE = FIELDS.settable().decimal("lifeTime", 11, 0, 5);
    /** 1 after the state of a port has changed; a Set with 1 clears it. */
    public static final MadField PORT_STATE_CHANGE = FIELDS.settable().decimal("portStateChange", 11, 5, 1);
    /** Whether one Set writes the SL-to-VL tables of many ports. */
    public static final MadField OPTIMIZED_SL_TO_VL = FIELDS.settable().decimal("optimizedSlToVl", 11, 6, 2);
    /** LIDs of a port in the random forwarding table. */
    public static final MadField LIDS_PER_PORT = FIELDS.decimal("lidsPerPort", 12, 16);
    /** Entries of the P_Key table of a port with a link. */
    public static final MadField PARTITION_ENFORCEMENT_CAP = FIELDS.decimal("partitionEnforcementCap", 14, 16);
    /** 1 if P_Keys of arriving packets can be enforced. */
    public static final MadField INBOUND_ENFORCEMENT_CAP = FIELDS.decimal("inboundEnforcementCap", 16, 0, 1);
    /** 1 if P_Keys of leaving packets can be enforced. */
    public static final MadField OUTBOUND_ENFORCEMENT_CAP = FIELDS.decimal("outboundEnforcementCap", 16, 1, 1);
    /** 1 if arriving raw packets can be dropped. */
    public static final MadField FILTER_RAW_INBOUND_CAP = FIELDS.decimal("filterRawInboundCap", 16, 2, 1);
    /** 1 if leaving raw packets can be dropped. */
    public static final MadField FILTER_RAW_OUTBOUND_CAP = FIELDS.decimal("filterRawOutboundCap", 16, 3, 1);
    /** 1 if port 0 has the abilities of a channel adapter's port. */
    public static final MadField ENHANCED_PORT_0 = FIELDS.decimal("enhancedPort0", 16, 4, 1);
    /** Highest multicast LID in use. */
    public static final MadField MULTICAST_FDB_TOP = FIELDS.settable().hex("multicastFdbTop", 18, 16);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(20);

    private SwitchInfo() {}
}
