// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.pm;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;

/**
 * The optional counters of performance management (IBA 16.1.4, annex A10): a port, a mask of the counters that a Set
 * clears, and one, two or sixteen counters from byte 4 on. Bit n of the mask is counter n.
 */
public final class PortOptionCounters {
    private static final int FIRST = 4;
    private static final int LANES = 16;
    private static final int LEVELS = 16;
    private static final int DATA_LANES = 15;
    /** Bytes of every attribute, which is that of the largest one. */
    private static final int BYTES = FIRST + LANES * Integer.BYTES;

    /** Number of the port; in the first bytes of each attribute. */
    public static final MadField PORT_SELECT;
    /** Counters that a Set clears; in the first bytes of each attribute. */
    public static final MadField COUNTER_SELECT;

    static {
        MadLayout.Builder head = MadLayout.builder("counters");
        PORT_SELECT = head.decimal("portSelect", 1, 8);
        COUNTER_SELECT = head.hex("counterSelect", 2, 16);
    }

    /** Packets that arrived with an operation of the link, and their words. */
    public static final MadLayout OP_RCV = two("PortOpRcvCounters", "opRcvPkts", "opRcvData");
    /** Flow-control packets that were sent, and that arrived. */
    public static final MadLayout FLOW_CTL = two("PortFlowCtlCounters", "xmitFlowPkts", "rcvFlowPkts");
    /** Packets of each lane. */
    public static final MadLayout VL_OP_PACKETS = many("PortVLOpPackets", "vlOpPackets", 16, LANES);
    /** Words of each lane. */
    public static final MadLayout VL_OP_DATA = many("PortVLOpData", "vlOpData", 32, LANES);
    /** Errors of flow control of each lane. */
    public static final MadLayout VL_XMIT_FLOW_CTL_UPDATE_ERRORS =
            many("PortVLXmitFlowCtlUpdateErrors", "vlFlowCtlUpdateErrors", 2, LANES);
    /** Ticks of each lane with a packet but without credits. */
    public static final MadLayout VL_XMIT_WAIT = many("PortVLXmitWaitCounters", "vlXmitWait", 16, LANES);
    /** Congestion events of each lane of a switch. */
    public static final MadLayout SW_PORT_VL_CONGESTION = many("SwPortVLCongestion", "vlCongestion", 16, LANES);
    /** Packets with FECN, and with BECN. */
    public static final MadLayout RCV_CON_CTRL = two("PortRcvConCtrl", "rcvFecn", "rcvBecn");
    /** Packets with FECN of each service level. */
    public static final MadLayout SL_RCV_FECN = many("PortSLRcvFECN", "slRcvFecn", 32, LEVELS);
    /** Packets with BECN of each service level. */
    public static final MadLayout SL_RCV_BECN = many("PortSLRcvBECN", "slRcvBecn", 32, LEVELS);
    /** Time of congestion. */
    public static final MadLayout XMIT_CON_CTRL = many("PortXmitConCtrl", "xmitTimeCong", 32, 1);
    /** Time of congestion of each lane. */
    public static final MadLayout VL_XMIT_TIME_CONG = many("PortVLXmitTimeCong", "vlXmitTimeCong", 32, DATA_LANES);
    /** Words of each service level that were sent. */
    public static final MadLayout XMIT_DATA_SL = many("PortXmitDataSL", "xmitDataSl", 32, LEVELS);
    /** Words of each service level that arrived. */
    public static final MadLayout RCV_DATA_SL = many("PortRcvDataSL", "rcvDataSl", 32, LEVELS);

    private PortOptionCounters() {}

    /** Returns the builder of a layout that begins with port and mask. */
    static MadLayout.Builder selecting(String name) {
        MadLayout.Builder builder = MadLayout.builder(name);
        builder.decimal("portSelect", 1, 8);
        builder.hex("counterSelect", 2, 16);
        return builder;
    }

    private static MadLayout two(String name, String first, String second) {
        MadLayout.Builder builder = selecting(name);
        builder.decimal(first, FIRST, 32);
        builder.decimal(second, FIRST + Integer.BYTES, 32);
        return builder.build(BYTES);
    }

    private static MadLayout many(String name, String counters, int bits, int count) {
        MadLayout.Builder builder = selecting(name);
        builder.decimalArray(counters, FIRST, bits, count);
        return builder.build(BYTES);
    }
}
