// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.pm;

import io.rdma4j.wire.mad.MadArray;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;

/**
 * The attribute PortCountersExtended of performance management (IBA 16.1.4.11): counters of 64 bits, which wrap. The
 * number in the comment of a counter is its bit in {@link #COUNTER_SELECT}, or in {@link #COUNTER_SELECT_2}.
 */
public final class PortCountersExtended {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("PortCountersExtended");
    /** Number of the port; 0xFF for all ports. */
    public static final MadField PORT_SELECT = FIELDS.decimal("portSelect", 1, 8);
    /** Counters that a Set clears. */
    public static final MadField COUNTER_SELECT = FIELDS.hex("counterSelect", 2, 16);
    /** Error counters that a Set clears. */
    public static final MadField COUNTER_SELECT_2 = FIELDS.hex("counterSelect2", 4, 32);
    /** 0: words of 4 bytes that were sent. */
    public static final MadField XMIT_DATA = FIELDS.decimal("xmitData", 8, 64);
    /** 1: words of 4 bytes that arrived. */
    public static final MadField RCV_DATA = FIELDS.decimal("rcvData", 16, 64);
    /** 2: packets that were sent. */
    public static final MadField XMIT_PKTS = FIELDS.decimal("xmitPkts", 24, 64);
    /** 3: packets that arrived. */
    public static final MadField RCV_PKTS = FIELDS.decimal("rcvPkts", 32, 64);
    /** 4: unicast packets that were sent. */
    public static final MadField UNICAST_XMIT_PKTS = FIELDS.decimal("unicastXmitPkts", 40, 64);
    /** 5: unicast packets that arrived. */
    public static final MadField UNICAST_RCV_PKTS = FIELDS.decimal("unicastRcvPkts", 48, 64);
    /** 6: multicast packets that were sent. */
    public static final MadField MULTICAST_XMIT_PKTS = FIELDS.decimal("multicastXmitPkts", 56, 64);
    /** 7: multicast packets that arrived. */
    public static final MadField MULTICAST_RCV_PKTS = FIELDS.decimal("multicastRcvPkts", 64, 64);
    /**
     * 0 to 13 of the second mask: the errors of {@link PortCountersAttribute} in their order; then VL15 dropped,
     * transmit wait, QP1 dropped.
     */
    public static final MadArray ERRORS = FIELDS.decimalArray("errors", 72, 64, 14);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(184);

    private PortCountersExtended() {}
}
