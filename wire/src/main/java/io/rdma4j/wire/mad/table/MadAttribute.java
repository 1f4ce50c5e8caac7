// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.table;

import io.rdma4j.wire.mad.ClassPortInfo;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadLayout;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.pm.PortCountersAttribute;
import io.rdma4j.wire.mad.pm.PortCountersExtended;
import io.rdma4j.wire.mad.pm.PortErrorDetails;
import io.rdma4j.wire.mad.pm.PortExtendedSpeedsCounters;
import io.rdma4j.wire.mad.pm.PortOptionCounters;
import io.rdma4j.wire.mad.pm.PortSamplesControl;
import io.rdma4j.wire.mad.pm.PortSamplesResult;
import io.rdma4j.wire.mad.pm.PortSamplesResultExtended;
import io.rdma4j.wire.mad.sa.GuidInfoRecord;
import io.rdma4j.wire.mad.sa.InformInfo;
import io.rdma4j.wire.mad.sa.InformInfoRecord;
import io.rdma4j.wire.mad.sa.LinearForwardingRecord;
import io.rdma4j.wire.mad.sa.LinkRecord;
import io.rdma4j.wire.mad.sa.McMemberRecord;
import io.rdma4j.wire.mad.sa.MultiPathRecord;
import io.rdma4j.wire.mad.sa.MulticastForwardingRecord;
import io.rdma4j.wire.mad.sa.NodeRecord;
import io.rdma4j.wire.mad.sa.PathRecord;
import io.rdma4j.wire.mad.sa.PkeyTableRecord;
import io.rdma4j.wire.mad.sa.PortInfoRecord;
import io.rdma4j.wire.mad.sa.RandomForwardingRecord;
import io.rdma4j.wire.mad.sa.ServiceRecord;
import io.rdma4j.wire.mad.sa.SlToVlRecord;
import io.rdma4j.wire.mad.sa.SmInfoRecord;
import io.rdma4j.wire.mad.sa.SwitchInfoRecord;
import io.rdma4j.wire.mad.sa.TraceRecord;
import io.rdma4j.wire.mad.sa.VlArbitrationRecord;
import io.rdma4j.wire.mad.sm.GuidInfo;
import io.rdma4j.wire.mad.sm.LedInfo;
import io.rdma4j.wire.mad.sm.LinearForwardingTable;
import io.rdma4j.wire.mad.sm.MlnxExtendedPortInfo;
import io.rdma4j.wire.mad.sm.MulticastForwardingTable;
import io.rdma4j.wire.mad.sm.NodeDescription;
import io.rdma4j.wire.mad.sm.NodeInfo;
import io.rdma4j.wire.mad.sm.Notice;
import io.rdma4j.wire.mad.sm.PkeyTableBlock;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import io.rdma4j.wire.mad.sm.PortInfoExtended;
import io.rdma4j.wire.mad.sm.RandomForwardingTable;
import io.rdma4j.wire.mad.sm.SlToVlTable;
import io.rdma4j.wire.mad.sm.SmInfo;
import io.rdma4j.wire.mad.sm.SwitchInfo;
import io.rdma4j.wire.mad.sm.VendorDiag;
import io.rdma4j.wire.mad.sm.VlArbitrationTable;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The table of attributes of subnet management (IBA 14.2.5), performance management (IBA 16.1.3, 16.1.4) and subnet
 * administration (IBA 15.2.5): class, attribute ID, layout, methods, and whether only switches have the attribute.
 */
public enum MadAttribute {
    /** Capabilities of a class; in all classes but those of queue pair 0. */
    CLASS_PORT_INFO(null, 0x0001, ClassPortInfo.LAYOUT, Methods.GET_SET),
    /** An event, in a Report of subnet administration or in another class. */
    NOTICE(null, 0x0002, Notice.LAYOUT, Methods.EVENT),
    /** A subscription. */
    INFORM_INFO(null, 0x0003, InformInfo.LAYOUT, Methods.SET),

    /** An event, in a datagram of subnet management. */
    SM_NOTICE(MadClass.SUBN_LID_ROUTED, 0x0002, Notice.SM_LAYOUT, Methods.EVENT),
    /** Text that describes the node. */
    NODE_DESCRIPTION(MadClass.SUBN_LID_ROUTED, 0x0010, NodeDescription.LAYOUT, Methods.GET),
    /** What the node is. */
    NODE_INFO(MadClass.SUBN_LID_ROUTED, 0x0011, NodeInfo.LAYOUT, Methods.GET),
    /** Tables of a switch. */
    SWITCH_INFO(MadClass.SUBN_LID_ROUTED, 0x0012, SwitchInfo.LAYOUT, Methods.GET_SET, true),
    /** GUIDs of a port. */
    GUID_INFO(MadClass.SUBN_LID_ROUTED, 0x0014, GuidInfo.LAYOUT, Methods.GET_SET),
    /** A port. */
    PORT_INFO(MadClass.SUBN_LID_ROUTED, 0x0015, PortInfoAttribute.LAYOUT, Methods.GET_SET),
    /** P_Keys of a port. */
    P_KEY_TABLE(MadClass.SUBN_LID_ROUTED, 0x0016, PkeyTableBlock.LAYOUT, Methods.GET_SET),
    /** Virtual lanes of service levels. */
    SL_TO_VL_TABLE(MadClass.SUBN_LID_ROUTED, 0x0017, SlToVlTable.LAYOUT, Methods.GET_SET),
    /** Arbitration of virtual lanes. */
    VL_ARBITRATION_TABLE(MadClass.SUBN_LID_ROUTED, 0x0018, VlArbitrationTable.LAYOUT, Methods.GET_SET),
    /** Output ports by LID. */
    LINEAR_FORWARDING_TABLE(MadClass.SUBN_LID_ROUTED, 0x0019, LinearForwardingTable.LAYOUT, Methods.GET_SET, true),
    /** Output ports by entries with a LID each. */
    RANDOM_FORWARDING_TABLE(MadClass.SUBN_LID_ROUTED, 0x001A, RandomForwardingTable.LAYOUT, Methods.GET_SET, true),
    /** Output ports of multicast LIDs. */
    MULTICAST_FORWARDING_TABLE(
            MadClass.SUBN_LID_ROUTED, 0x001B, MulticastForwardingTable.LAYOUT, Methods.GET_SET, true),
    /** A subnet manager. */
    SM_INFO(MadClass.SUBN_LID_ROUTED, 0x0020, SmInfo.LAYOUT, Methods.GET_SET),
    /** Diagnosis of the vendor. */
    VENDOR_DIAG(MadClass.SUBN_LID_ROUTED, 0x0030, VendorDiag.LAYOUT, Methods.GET),
    /** The LED of a port. */
    LED_INFO(MadClass.SUBN_LID_ROUTED, 0x0031, LedInfo.LAYOUT, Methods.GET_SET),
    /** Forward error correction of a port. */
    PORT_INFO_EXTENDED(MadClass.SUBN_LID_ROUTED, 0x0033, PortInfoExtended.LAYOUT, Methods.GET_SET),
    /** FDR10. */
    MLNX_EXTENDED_PORT_INFO(MadClass.SUBN_LID_ROUTED, 0xFF90, MlnxExtendedPortInfo.LAYOUT, Methods.GET_SET),

    /** Start of sampling. */
    PORT_SAMPLES_CONTROL(MadClass.PERF_MGT, 0x0010, PortSamplesControl.LAYOUT, Methods.GET_SET),
    /** Samples. */
    PORT_SAMPLES_RESULT(MadClass.PERF_MGT, 0x0011, PortSamplesResult.LAYOUT, Methods.GET),
    /** Counters that stop at their maximum. */
    PORT_COUNTERS(MadClass.PERF_MGT, 0x0012, PortCountersAttribute.LAYOUT, Methods.GET_SET),
    /** Reasons of errors of arriving packets. */
    PORT_RCV_ERROR_DETAILS(MadClass.PERF_MGT, 0x0015, PortErrorDetails.RCV_LAYOUT, Methods.GET_SET),
    /** Reasons of discards. */
    PORT_XMIT_DISCARD_DETAILS(MadClass.PERF_MGT, 0x0016, PortErrorDetails.XMIT_LAYOUT, Methods.GET_SET),
    /** See {@link PortOptionCounters#OP_RCV}. */
    PORT_OP_RCV_COUNTERS(MadClass.PERF_MGT, 0x0017, PortOptionCounters.OP_RCV, Methods.GET_SET),
    /** See {@link PortOptionCounters#FLOW_CTL}. */
    PORT_FLOW_CTL_COUNTERS(MadClass.PERF_MGT, 0x0018, PortOptionCounters.FLOW_CTL, Methods.GET_SET),
    /** See {@link PortOptionCounters#VL_OP_PACKETS}. */
    PORT_VL_OP_PACKETS(MadClass.PERF_MGT, 0x0019, PortOptionCounters.VL_OP_PACKETS, Methods.GET_SET),
    /** See {@link PortOptionCounters#VL_OP_DATA}. */
    PORT_VL_OP_DATA(MadClass.PERF_MGT, 0x001A, PortOptionCounters.VL_OP_DATA, Methods.GET_SET),
    /** See {@link PortOptionCounters#VL_XMIT_FLOW_CTL_UPDATE_ERRORS}. */
    PORT_VL_XMIT_FLOW_CTL_UPDATE_ERRORS(
            MadClass.PERF_MGT, 0x001B, PortOptionCounters.VL_XMIT_FLOW_CTL_UPDATE_ERRORS, Methods.GET_SET),
    /** See {@link PortOptionCounters#VL_XMIT_WAIT}. */
    PORT_VL_XMIT_WAIT(MadClass.PERF_MGT, 0x001C, PortOptionCounters.VL_XMIT_WAIT, Methods.GET_SET),
    /** Counters of 64 bits. */
    PORT_COUNTERS_EXTENDED(MadClass.PERF_MGT, 0x001D, PortCountersExtended.LAYOUT, Methods.GET_SET),
    /** Samples of 64 bits. */
    PORT_SAMPLES_RESULT_EXTENDED(MadClass.PERF_MGT, 0x001E, PortSamplesResultExtended.LAYOUT, Methods.GET),
    /** Errors of links from FDR on. */
    PORT_EXTENDED_SPEEDS_COUNTERS(MadClass.PERF_MGT, 0x001F, PortExtendedSpeedsCounters.LAYOUT, Methods.GET_SET),
    /** See {@link PortOptionCounters#SW_PORT_VL_CONGESTION}. */
    SW_PORT_VL_CONGESTION(MadClass.PERF_MGT, 0x0030, PortOptionCounters.SW_PORT_VL_CONGESTION, Methods.GET_SET, true),
    /** See {@link PortOptionCounters#RCV_CON_CTRL}. */
    PORT_RCV_CON_CTRL(MadClass.PERF_MGT, 0x0031, PortOptionCounters.RCV_CON_CTRL, Methods.GET_SET),
    /** See {@link PortOptionCounters#SL_RCV_FECN}. */
    PORT_SL_RCV_FECN(MadClass.PERF_MGT, 0x0032, PortOptionCounters.SL_RCV_FECN, Methods.GET_SET),
    /** See {@link PortOptionCounters#SL_RCV_BECN}. */
    PORT_SL_RCV_BECN(MadClass.PERF_MGT, 0x0033, PortOptionCounters.SL_RCV_BECN, Methods.GET_SET),
    /** See {@link PortOptionCounters#XMIT_CON_CTRL}. */
    PORT_XMIT_CON_CTRL(MadClass.PERF_MGT, 0x0034, PortOptionCounters.XMIT_CON_CTRL, Methods.GET_SET),
    /** See {@link PortOptionCounters#VL_XMIT_TIME_CONG}. */
    PORT_VL_XMIT_TIME_CONG(MadClass.PERF_MGT, 0x0035, PortOptionCounters.VL_XMIT_TIME_CONG, Methods.GET_SET),
    /** See {@link PortOptionCounters#XMIT_DATA_SL}. */
    PORT_XMIT_DATA_SL(MadClass.PERF_MGT, 0x0036, PortOptionCounters.XMIT_DATA_SL, Methods.GET_SET),
    /** See {@link PortOptionCounters#RCV_DATA_SL}. */
    PORT_RCV_DATA_SL(MadClass.PERF_MGT, 0x0037, PortOptionCounters.RCV_DATA_SL, Methods.GET_SET),

    /** A node. */
    NODE_RECORD(MadClass.SUBN_ADM, 0x0011, NodeRecord.LAYOUT, Methods.QUERY),
    /** A port. */
    PORT_INFO_RECORD(MadClass.SUBN_ADM, 0x0012, PortInfoRecord.LAYOUT, Methods.QUERY),
    /** Virtual lanes of service levels. */
    SL_TO_VL_RECORD(MadClass.SUBN_ADM, 0x0013, SlToVlRecord.LAYOUT, Methods.QUERY),
    /** A switch. */
    SWITCH_INFO_RECORD(MadClass.SUBN_ADM, 0x0014, SwitchInfoRecord.LAYOUT, Methods.QUERY),
    /** A block of a linear forwarding table. */
    LINEAR_FORWARDING_RECORD(MadClass.SUBN_ADM, 0x0015, LinearForwardingRecord.LAYOUT, Methods.QUERY),
    /** A block of a random forwarding table. */
    RANDOM_FORWARDING_RECORD(MadClass.SUBN_ADM, 0x0016, RandomForwardingRecord.LAYOUT, Methods.QUERY),
    /** A block of a multicast forwarding table. */
    MULTICAST_FORWARDING_RECORD(MadClass.SUBN_ADM, 0x0017, MulticastForwardingRecord.LAYOUT, Methods.QUERY),
    /** A subnet manager. */
    SM_INFO_RECORD(MadClass.SUBN_ADM, 0x0018, SmInfoRecord.LAYOUT, Methods.QUERY),
    /** A link. */
    LINK_RECORD(MadClass.SUBN_ADM, 0x0020, LinkRecord.LAYOUT, Methods.QUERY),
    /** A block of GUIDs of a port. */
    GUID_INFO_RECORD(MadClass.SUBN_ADM, 0x0030, GuidInfoRecord.LAYOUT, Methods.MEMBERSHIP),
    /** A service. */
    SERVICE_RECORD(MadClass.SUBN_ADM, 0x0031, ServiceRecord.LAYOUT, Methods.MEMBERSHIP),
    /** A block of P_Keys of a port. */
    P_KEY_TABLE_RECORD(MadClass.SUBN_ADM, 0x0033, PkeyTableRecord.LAYOUT, Methods.QUERY),
    /** A path. */
    PATH_RECORD(MadClass.SUBN_ADM, 0x0035, PathRecord.LAYOUT, Methods.QUERY),
    /** A block of an arbitration table. */
    VL_ARBITRATION_RECORD(MadClass.SUBN_ADM, 0x0036, VlArbitrationRecord.LAYOUT, Methods.QUERY),
    /** A membership in a multicast group. */
    MC_MEMBER_RECORD(MadClass.SUBN_ADM, 0x0038, McMemberRecord.LAYOUT, Methods.MEMBERSHIP),
    /** A node on a path. */
    TRACE_RECORD(MadClass.SUBN_ADM, 0x0039, TraceRecord.LAYOUT, Methods.TRACE),
    /** A request for paths among many ports. */
    MULTI_PATH_RECORD(MadClass.SUBN_ADM, 0x003A, MultiPathRecord.LAYOUT, Methods.MULTI),
    /** A subscription of a port. */
    INFORM_INFO_RECORD(MadClass.SUBN_ADM, 0x00F3, InformInfoRecord.LAYOUT, Methods.QUERY);

    /** The methods of requests. */
    private static final class Methods {
        private static final Set<MadMethod> GET = EnumSet.of(MadMethod.GET);
        private static final Set<MadMethod> SET = EnumSet.of(MadMethod.SET);
        private static final Set<MadMethod> GET_SET = EnumSet.of(MadMethod.GET, MadMethod.SET);
        private static final Set<MadMethod> EVENT =
                EnumSet.of(MadMethod.GET, MadMethod.SET, MadMethod.TRAP, MadMethod.TRAP_REPRESS, MadMethod.REPORT);
        private static final Set<MadMethod> QUERY = EnumSet.of(MadMethod.GET, MadMethod.GET_TABLE);
        private static final Set<MadMethod> MEMBERSHIP =
                EnumSet.of(MadMethod.GET, MadMethod.GET_TABLE, MadMethod.SET, MadMethod.DELETE);
        private static final Set<MadMethod> TRACE = EnumSet.of(MadMethod.GET_TRACE_TABLE);
        private static final Set<MadMethod> MULTI = EnumSet.of(MadMethod.GET_MULTI);

        private Methods() {}
    }

    private final @Nullable MadClass mgmtClass;
    private final int attributeId;

    @SuppressWarnings("ImmutableEnumChecker") // has no state that changes
    private final MadLayout layout;

    @SuppressWarnings("ImmutableEnumChecker") // private and not modified
    private final Set<MadMethod> methods;

    private final boolean switchOnly;

    MadAttribute(@Nullable MadClass mgmtClass, int attributeId, MadLayout layout, Set<MadMethod> methods) {
        this(mgmtClass, attributeId, layout, methods, false);
    }

    MadAttribute(
            @Nullable MadClass mgmtClass,
            int attributeId,
            MadLayout layout,
            Set<MadMethod> methods,
            boolean switchOnly) {
        this.mgmtClass = mgmtClass;
        this.attributeId = attributeId;
        this.layout = layout;
        this.methods = methods;
        this.switchOnly = switchOnly;
    }

    /** {@return 16 bits} */
    public int attributeId() {
        return attributeId;
    }

    /** {@return the fields of the attribute, or of a record} */
    public MadLayout layout() {
        return layout;
    }

    /**
     * {@return true if a request may have this method}
     *
     * @param method of the request
     */
    public boolean allows(MadMethod method) {
        return methods.contains(method);
    }

    /** {@return true for an attribute of subnet administration} */
    public boolean isRecord() {
        return mgmtClass == null || mgmtClass == MadClass.SUBN_ADM;
    }

    /** {@return true if only switches have the attribute} */
    public boolean isSwitchOnly() {
        return switchOnly;
    }

    /**
     * {@return the attribute of a class, or null if it is unknown}
     *
     * @param mgmtClass the class; the two of subnet management have the same attributes
     * @param attributeId 16 bits
     */
    public static @Nullable MadAttribute of(MadClass mgmtClass, int attributeId) {
        boolean management = mgmtClass == MadClass.SUBN_DIRECTED_ROUTE;
        MadClass owner = management ? MadClass.SUBN_LID_ROUTED : mgmtClass;
        for (MadAttribute attribute : values()) {
            boolean isOwn = attribute.mgmtClass == null
                    ? owner != MadClass.SUBN_LID_ROUTED && owner != MadClass.COM_MGT
                    : attribute.mgmtClass == owner;
            if (isOwn && attribute.attributeId == attributeId) {
                return attribute;
            }
        }
        return null;
    }
}
