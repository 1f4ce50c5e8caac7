// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.pm;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;

/**
 * The attribute PortCounters of performance management (IBA 16.1.3.5). The counters stop at their maximum. The number
 * in the comment of a counter is its bit in {@link #COUNTER_SELECT}, or in {@link #COUNTER_SELECT_2}.
 */
public final class PortCountersAttribute {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("PortCounters");
    /** Number of the port; 0xFF for all ports. */
    public static final MadField PORT_SELECT = FIELDS.decimal("portSelect", 1, 8);
    /** Counters that a Set clears. */
    public static final MadField COUNTER_SELECT = FIELDS.hex("counterSelect", 2, 16);
    /** 0: symbol errors of the link. */
    public static final MadField SYMBOL_ERRORS = FIELDS.decimal("symbolErrors", 4, 16);
    /** 1: recoveries of the link that succeeded. */
    public static final MadField LINK_ERROR_RECOVERY = FIELDS.decimal("linkErrorRecovery", 6, 8);
    /** 2: recoveries of the link that failed. */
    public static final MadField LINK_DOWNED = FIELDS.decimal("linkDowned", 7, 8);
    /** 3: packets with an error that arrived. */
    public static final MadField RCV_ERRORS = FIELDS.decimal("rcvErrors", 8, 16);
    /** 4: packets that were marked bad by another port. */
    public static final MadField RCV_REMOTE_PHYSICAL_ERRORS = FIELDS.decimal("rcvRemotePhysicalErrors", 10, 16);
    /** 5: packets that the switch could not forward. */
    public static final MadField RCV_SWITCH_RELAY_ERRORS = FIELDS.decimal("rcvSwitchRelayErrors", 12, 16);
    /** 6: packets that were dropped instead of sent. */
    public static final MadField XMIT_DISCARDS = FIELDS.decimal("xmitDiscards", 14, 16);
    /** 7: packets that P_Key enforcement or a filter did not send. */
    public static final MadField XMIT_CONSTRAINT_ERRORS = FIELDS.decimal("xmitConstraintErrors", 16, 8);
    /** 8: packets that P_Key enforcement or a filter did not accept. */
    public static final MadField RCV_CONSTRAINT_ERRORS = FIELDS.decimal("rcvConstraintErrors", 17, 8);
    /** Further counters that a Set clears. */
    public static final MadField COUNTER_SELECT_2 = FIELDS.hex("counterSelect2", 18, 8);
    /** 9: threshold of physical errors exceeded. */
    public static final MadField LOCAL_LINK_INTEGRITY_ERRORS = FIELDS.decimal("localLinkIntegrityErrors", 19, 0, 4);
    /** 10: threshold of buffer overruns exceeded. */
    public static final MadField EXCESSIVE_BUFFER_OVERRUN_ERRORS =
            FIELDS.decimal("excessiveBufferOverrunErrors", 19, 4, 4);
    /** 1 of the second mask: datagrams for queue pair 1 that were dropped. */
    public static final MadField QP1_DROPPED = FIELDS.decimal("qp1Dropped", 20, 16);
    /** 11: packets of VL15 that were dropped for lack of buffers. */
    public static final MadField VL15_DROPPED = FIELDS.decimal("vl15Dropped", 22, 16);
    /** 12: words of 4 bytes that were sent. */
    public static final MadField XMIT_DATA = FIELDS.decimal("xmitData", 24, 32);
    /** 13: words of 4 bytes that arrived. */
    public static final MadField RCV_DATA = FIELDS.decimal("rcvData", 28, 32);
    /** 14: packets that were sent. */
    public static final MadField XMIT_PKTS = FIELDS.decimal("xmitPkts", 32, 32);
    /** 15: packets that arrived. */
    public static final MadField RCV_PKTS = FIELDS.decimal("rcvPkts", 36, 32);
    /** 0 of the second mask: ticks with a packet but without credits. */
    public static final MadField XMIT_WAIT = FIELDS.decimal("xmitWait", 40, 32);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(44);

    private PortCountersAttribute() {}
}
