// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.diag;

import io.rdma4j.tools.cli.Option;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.util.List;

/**
 * An option of {@code perfquery} that selects an attribute with optional counters.
 *
 * @param option of the command line
 * @param title name of the attribute in the output
 * @param names of the counters, or one name to which a number is added
 */
record CounterOption(Option option, String title, MadAttribute attribute, List<String> names) {
    static final List<CounterOption> ALL = List.of(
            of('X', "xmtsl", "PortXmitDataSL", MadAttribute.PORT_XMIT_DATA_SL, "XmtDataSL"),
            of('S', "rcvsl", "PortRcvDataSL", MadAttribute.PORT_RCV_DATA_SL, "RcvDataSL"),
            of(
                    'D',
                    "xmtdisc",
                    "PortXmitDiscardDetails",
                    MadAttribute.PORT_XMIT_DISCARD_DETAILS,
                    "PortInactiveDiscards",
                    "PortNeighborMTUDiscards",
                    "PortSwLifetimeLimitDiscards",
                    "PortSwHOQLifetimeLimitDiscards"),
            of(
                    'E',
                    "rcverr",
                    "PortRcvErrorDetails",
                    MadAttribute.PORT_RCV_ERROR_DETAILS,
                    "PortLocalPhysicalErrors",
                    "PortMalformedPktErrors",
                    "PortBufferOverrunErrors",
                    "PortDLIDMappingErrors",
                    "PortVLMappingErrors",
                    "PortLoopingErrors"),
            of(
                    "oprcvcounters",
                    "PortOpRcvCounters",
                    MadAttribute.PORT_OP_RCV_COUNTERS,
                    "PortOpRcvPkts",
                    "PortOpRcvData"),
            of(
                    "flowctlcounters",
                    "PortFlowCtlCounters",
                    MadAttribute.PORT_FLOW_CTL_COUNTERS,
                    "PortXmitFlowPkts",
                    "PortRcvFlowPkts"),
            of("vloppackets", "PortVLOpPackets", MadAttribute.PORT_VL_OP_PACKETS, "PortVLOpPackets"),
            of("vlopdata", "PortVLOpData", MadAttribute.PORT_VL_OP_DATA, "PortVLOpData"),
            of(
                    "vlxmitflowctlerrors",
                    "PortVLXmitFlowCtlUpdateErrors",
                    MadAttribute.PORT_VL_XMIT_FLOW_CTL_UPDATE_ERRORS,
                    "PortVLXmitFlowCtlUpdateErrors"),
            of("vlxmitcounters", "PortVLXmitWaitCounters", MadAttribute.PORT_VL_XMIT_WAIT, "PortVLXmitWait"),
            of("swportvlcong", "SwPortVLCongestion", MadAttribute.SW_PORT_VL_CONGESTION, "SWPortVLCongestion"),
            of("rcvcc", "PortRcvConCtrl", MadAttribute.PORT_RCV_CON_CTRL, "PortPktRcvFECN", "PortPktRcvBECN"),
            of("slrcvfecn", "PortSLRcvFECN", MadAttribute.PORT_SL_RCV_FECN, "PortSLRcvFECN"),
            of("slrcvbecn", "PortSLRcvBECN", MadAttribute.PORT_SL_RCV_BECN, "PortSLRcvBECN"),
            of("xmitcc", "PortXmitConCtrl", MadAttribute.PORT_XMIT_CON_CTRL, "PortXmitTimeCong"),
            of("vlxmittimecc", "PortVLXmitTimeCong", MadAttribute.PORT_VL_XMIT_TIME_CONG, "PortVLXmitTimeCong"));

    private static CounterOption of(String name, String title, MadAttribute attribute, String... names) {
        return of(Option.NO_LETTER, name, title, attribute, names);
    }

    private static CounterOption of(char letter, String name, String title, MadAttribute attribute, String... names) {
        return new CounterOption(Option.flag(letter, name, "show " + title), title, attribute, List.of(names));
    }

    AttributeDump dump() {
        return AttributeDump.counters(attribute.layout(), names);
    }
}
