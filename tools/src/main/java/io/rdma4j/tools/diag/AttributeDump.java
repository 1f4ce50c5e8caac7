// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.diag;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;
import io.rdma4j.wire.mad.pm.PortCountersAttribute;
import io.rdma4j.wire.mad.pm.PortCountersExtended;
import io.rdma4j.wire.mad.sm.NodeInfo;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import io.rdma4j.wire.mad.sm.SwitchInfo;
import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The fields of an attribute with the names and formats of {@code libibmad}.
 *
 * @param fields in the order of the output
 */
record AttributeDump(List<Field> fields) {
    private static final int COLUMN = 32;

    /** A field of the output. */
    record Field(String name, MadField field, FieldFormat format) {
        String text(MemorySegment data) {
            return format.text(field.get(data, 0), field.bits());
        }
    }

    AttributeDump {
        fields = List.copyOf(fields);
    }

    /** Names and formats, separated by spaces, for all fields of a layout; {@code NAME} is a decimal number. */
    private static AttributeDump of(MadLayout layout, String... names) {
        return of(layout.fields(), names);
    }

    private static AttributeDump of(List<MadField> present, String... names) {
        if (present.size() != names.length) {
            throw new IllegalArgumentException(present.size() + " fields and " + names.length + " names");
        }
        List<Field> fields = new ArrayList<>();
        for (int i = 0; i < names.length; i++) {
            String[] words = names[i].split(" ", 2);
            FieldFormat format = words.length == 1 ? FieldFormat.DECIMAL : FieldFormat.valueOf(words[1]);
            fields.add(new Field(words[0], present.get(i), format));
        }
        return new AttributeDump(fields);
    }

    /**
     * Returns the dump of counters of an option: the port, the mask, and counters.
     *
     * @param names one name for each counter, or one for all, to which a number is added
     */
    static AttributeDump counters(MadLayout layout, List<String> names) {
        List<MadField> present = layout.fields();
        int count = present.size() - 2;
        List<String> all = new ArrayList<>(List.of("PortSelect", "CounterSelect HEX"));
        for (int i = 0; i < count; i++) {
            all.add(names.size() == count ? names.get(i) : names.getFirst() + i);
        }
        return of(present, all.toArray(String[]::new));
    }

    static final AttributeDump NODE_INFO = of(
            NodeInfo.LAYOUT,
            "BaseVers",
            "ClassVers",
            "NodeType NODE_TYPE",
            "NumPorts",
            "SystemGuid HEX",
            "Guid HEX",
            "PortGuid HEX",
            "PartCap",
            "DevId HEX",
            "Revision HEX",
            "LocalPort",
            "VendorId HEX");

    static final AttributeDump SWITCH_INFO = of(
            SwitchInfo.LAYOUT,
            "LinearFdbCap",
            "RandomFdbCap",
            "McastFdbCap",
            "LinearFdbTop",
            "DefPort",
            "DefMcastPrimPort",
            "DefMcastNotPrimPort",
            "LifeTime",
            "StateChange",
            "OptSLtoVLMapping",
            "LidsPerPort",
            "PartEnforceCap",
            "InboundPartEnf",
            "OutboundPartEnf",
            "FilterRawInbound",
            "FilterRawOutbound",
            "EnhancedPort0",
            "MulticastFDBTop HEX");

    static final AttributeDump PORT_INFO = of(
            PortInfoAttribute.LAYOUT,
            "Mkey HEX",
            "GidPrefix HEX",
            "Lid",
            "SMLid",
            "CapMask CAPABILITIES",
            "DiagCode HEX",
            "MkeyLeasePeriod",
            "LocalPort",
            "LinkWidthEnabled WIDTH_SET",
            "LinkWidthSupported SUPPORTED_WIDTHS",
            "LinkWidthActive WIDTH",
            "LinkSpeedSupported SPEED_SET",
            "LinkState PORT_STATE",
            "PhysLinkState PHYSICAL_STATE",
            "LinkDownDefState DOWN_DEFAULT_STATE",
            "ProtectBits",
            "LMC",
            "LinkSpeedActive SPEED",
            "LinkSpeedEnabled SPEED_SET",
            "NeighborMTU MTU",
            "SMSL",
            "VLCap VL_CAP",
            "InitType HEX",
            "VLHighLimit",
            "VLArbHighCap",
            "VLArbLowCap",
            "InitReply HEX",
            "MtuCap MTU",
            "VLStallCount",
            "HoqLife",
            "OperVLs OPERATIONAL_VLS",
            "PartEnforceInb",
            "PartEnforceOutb",
            "FilterRawInb",
            "FilterRawOutb",
            "MkeyViolations",
            "PkeyViolations",
            "QkeyViolations",
            "GuidCap",
            "ClientReregister",
            "McastPkeyTrapSuppressionEnabled",
            "SubnetTimeout",
            "RespTimeVal",
            "LocalPhysErr",
            "OverrunErr",
            "MaxCreditHint",
            "RoundTrip",
            "CapabilityMask2 CAPABILITIES_2",
            "LinkSpeedExtActive EXTENDED_SPEED",
            "LinkSpeedExtSupported EXTENDED_SPEED_SET",
            "LinkSpeedExtEnabled EXTENDED_SPEED_SET");

    static final AttributeDump PORT_COUNTERS = of(
            PortCountersAttribute.LAYOUT,
            "PortSelect",
            "CounterSelect HEX",
            "SymbolErrorCounter",
            "LinkErrorRecoveryCounter",
            "LinkDownedCounter",
            "PortRcvErrors",
            "PortRcvRemotePhysicalErrors",
            "PortRcvSwitchRelayErrors",
            "PortXmitDiscards",
            "PortXmitConstraintErrors",
            "PortRcvConstraintErrors",
            "CounterSelect2 HEX",
            "LocalLinkIntegrityErrors",
            "ExcessiveBufferOverrunErrors",
            "QP1Dropped",
            "VL15Dropped",
            "PortXmitData",
            "PortRcvData",
            "PortXmitPkts",
            "PortRcvPkts",
            "PortXmitWait");

    /** Without the errors, which few devices have. */
    static final AttributeDump PORT_COUNTERS_EXTENDED = new AttributeDump(List.of(
            new Field("PortSelect", PortCountersExtended.PORT_SELECT, FieldFormat.DECIMAL),
            new Field("CounterSelect", PortCountersExtended.COUNTER_SELECT, FieldFormat.HEX),
            new Field("PortXmitData", PortCountersExtended.XMIT_DATA, FieldFormat.DECIMAL),
            new Field("PortRcvData", PortCountersExtended.RCV_DATA, FieldFormat.DECIMAL),
            new Field("PortXmitPkts", PortCountersExtended.XMIT_PKTS, FieldFormat.DECIMAL),
            new Field("PortRcvPkts", PortCountersExtended.RCV_PKTS, FieldFormat.DECIMAL),
            new Field("PortUnicastXmitPkts", PortCountersExtended.UNICAST_XMIT_PKTS, FieldFormat.DECIMAL),
            new Field("PortUnicastRcvPkts", PortCountersExtended.UNICAST_RCV_PKTS, FieldFormat.DECIMAL),
            new Field("PortMulticastXmitPkts", PortCountersExtended.MULTICAST_XMIT_PKTS, FieldFormat.DECIMAL),
            new Field("PortMulticastRcvPkts", PortCountersExtended.MULTICAST_RCV_PKTS, FieldFormat.DECIMAL)));

    /** Prints a line for each field. */
    void print(MemorySegment data, PrintWriter out) {
        for (Field field : fields) {
            out.println(line(field.name(), field.text(data)));
        }
    }

    /** Adds the counters of one port to a sum; a sum stops at the maximum of its field. */
    void add(MemorySegment sum, MemorySegment data) {
        for (Field field : fields) {
            long max = field.field().bits() == Long.SIZE
                    ? Long.MAX_VALUE
                    : (1L << field.field().bits()) - 1;
            boolean isCounter =
                    field.format() == FieldFormat.DECIMAL && !field.name().equals("PortSelect");
            long value = field.field().get(data, 0) + (isCounter ? field.field().get(sum, 0) : 0);
            field.field().put(sum, 0, isCounter ? Math.min(max, value) : value);
        }
    }

    /** Returns the fields as members of an object of JSON: numbers as numbers, others as text. */
    Map<String, Object> json(MemorySegment data) {
        Map<String, Object> members = new LinkedHashMap<>();
        for (Field field : fields) {
            members.put(
                    field.name(),
                    field.format() == FieldFormat.DECIMAL
                            ? (Object) field.field().get(data, 0)
                            : field.text(data).lines().findFirst().orElse(""));
        }
        return members;
    }

    /** Returns a line: name, dots up to the column of the values, value. */
    static String line(String name, String value) {
        return name + ":" + ".".repeat(Math.max(0, COLUMN - name.length())) + value;
    }
}
