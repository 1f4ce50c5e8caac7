// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.diag;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The text of a record in {@code saquery}.
 *
 * @param title first line
 * @param attribute of the record
 * @param column of the values, behind two tabs
 * @param items lines of the text
 */
record SaDump(String title, MadAttribute attribute, int column, List<Item> items) {
    /** How a value is written. */
    private enum Form {
        DECIMAL("%d"),
        HEX("0x%X"),
        LOWER_HEX("0x%x"),
        BYTE("0x%02X"),
        WORD("0x%04X"),
        LONG_WORD("0x%08X"),
        SIX_BYTES("0x%012X"),
        GUID("0x%016x"),
        NODE_TYPE(""),
        GID(""),
        TEXT(""),
        /** A line without value. */
        LINE("");

        private final String format;

        Form(String format) {
            this.format = format;
        }
    }

    /** A line; {@code field} has no meaning in a {@link Form#LINE}. */
    record Item(String name, MadField field, Form form) {
        private String value(MemorySegment memory, long at) {
            return switch (form) {
                case NODE_TYPE -> FieldFormat.NODE_TYPE.text(field.get(memory, at), field.bits());
                case GID -> field.gid(memory, at).toString();
                case TEXT -> field.text(memory, at);
                case LINE -> "";
                default -> form.format.formatted(field.get(memory, at));
            };
        }
    }

    /** A line with a value of whole bytes. */
    private static Item of(String name, int offset, int bytes, Form form) {
        MadLayout.Builder layout = MadLayout.builder(name);
        return new Item(
                name,
                switch (form) {
                    case GID -> layout.gid(name, offset);
                    case TEXT -> layout.text(name, offset, bytes);
                    default -> layout.hex(name, offset, bytes * Byte.SIZE);
                },
                form);
    }

    /** A line without value. */
    private static Item line(String text) {
        return of(text, 0, 1, Form.LINE);
    }

    /** A line with a number of {@code bits} that begins at a bit of a byte; bit 0 is the most significant one. */
    private static Item of(String name, int offset, int bit, int bits, Form form) {
        return new Item(name, MadLayout.builder(name).hex(name, offset, bit, bits), form);
    }

    static final SaDump NODE = new SaDump(
            "NodeRecord dump:",
            MadAttribute.NODE_RECORD,
            24,
            List.of(
                    of("lid", 0, 2, Form.DECIMAL),
                    of("reserved", 2, 2, Form.HEX),
                    of("base_version", 4, 1, Form.HEX),
                    of("class_version", 5, 1, Form.HEX),
                    of("node_type", 6, 1, Form.NODE_TYPE),
                    of("num_ports", 7, 1, Form.DECIMAL),
                    of("sys_guid", 8, 8, Form.GUID),
                    of("node_guid", 16, 8, Form.GUID),
                    of("port_guid", 24, 8, Form.GUID),
                    of("partition_cap", 32, 2, Form.HEX),
                    of("device_id", 34, 2, Form.HEX),
                    of("revision", 36, 4, Form.HEX),
                    of("port_num", 40, 1, Form.DECIMAL),
                    of("vendor_id", 41, 3, Form.HEX),
                    of("NodeDescription", 44, 64, Form.TEXT)));

    static final SaDump PATH = new SaDump(
            "PathRecord dump:",
            MadAttribute.PATH_RECORD,
            24,
            List.of(
                    of("service_id", 0, 8, Form.GUID),
                    of("dgid", 8, 16, Form.GID),
                    of("sgid", 24, 16, Form.GID),
                    of("dlid", 40, 2, Form.DECIMAL),
                    of("slid", 42, 2, Form.DECIMAL),
                    of("hop_flow_raw", 44, 4, Form.HEX),
                    of("tclass", 48, 1, Form.HEX),
                    of("num_path_revers", 49, 1, Form.HEX),
                    of("pkey", 50, 2, Form.HEX),
                    of("qos_class", 52, 0, 12, Form.HEX),
                    of("sl", 53, 4, 4, Form.HEX),
                    of("mtu", 54, 1, Form.HEX),
                    of("rate", 55, 1, Form.HEX),
                    of("pkt_life", 56, 1, Form.HEX),
                    of("preference", 57, 1, Form.HEX),
                    of("resv2", 58, 6, Form.SIX_BYTES)));

    static final SaDump LINK = new SaDump(
            "LinkRecord dump:",
            MadAttribute.LINK_RECORD,
            27,
            List.of(
                    of("FromLID", 0, 2, Form.DECIMAL),
                    of("FromPort", 2, 1, Form.DECIMAL),
                    of("ToPort", 3, 1, Form.DECIMAL),
                    of("ToLID", 4, 2, Form.DECIMAL)));

    static final SaDump MEMBER = new SaDump(
            "MCMember Record dump:",
            MadAttribute.MC_MEMBER_RECORD,
            24,
            List.of(
                    of("MGID", 0, 16, Form.GID),
                    of("PortGid", 16, 16, Form.GID),
                    of("qkey", 32, 4, Form.LOWER_HEX),
                    of("mlid", 36, 2, Form.LOWER_HEX),
                    of("mtu", 38, 1, Form.LOWER_HEX),
                    of("TClass", 39, 1, Form.LOWER_HEX),
                    of("pkey", 40, 2, Form.LOWER_HEX),
                    of("rate", 42, 1, Form.LOWER_HEX),
                    of("pkt_life", 43, 1, Form.LOWER_HEX),
                    of("SL", 44, 0, 4, Form.LOWER_HEX),
                    of("FlowLabel", 44, 4, 20, Form.LOWER_HEX),
                    of("HopLimit", 47, 1, Form.LOWER_HEX),
                    of("Scope", 48, 0, 4, Form.LOWER_HEX),
                    of("JoinState", 48, 4, 4, Form.LOWER_HEX),
                    of("ProxyJoin", 49, 0, 1, Form.LOWER_HEX)));

    static final SaDump GROUP = new SaDump(
            "MCMemberRecord group dump:",
            MadAttribute.MC_MEMBER_RECORD,
            24,
            List.of(
                    of("MGID", 0, 16, Form.GID),
                    of("Mlid", 36, 2, Form.HEX),
                    of("Mtu", 38, 1, Form.HEX),
                    of("pkey", 40, 2, Form.HEX),
                    of("Rate", 42, 1, Form.HEX),
                    of("SL", 44, 0, 4, Form.HEX)));

    static final SaDump MANAGER = new SaDump(
            "SMInfoRecord dump:",
            MadAttribute.SM_INFO_RECORD,
            22,
            List.of(
                    line("RID"),
                    of("LID", 0, 2, Form.DECIMAL),
                    line("SMInfo dump:"),
                    of("GUID", 4, 8, Form.GUID),
                    of("SM_Key", 12, 8, Form.GUID),
                    of("ActCount", 20, 4, Form.DECIMAL),
                    of("Priority", 24, 0, 4, Form.DECIMAL),
                    of("SMState", 24, 4, 4, Form.DECIMAL)));

    static final SaDump SWITCH = new SaDump(
            "SwitchInfoRecord dump:",
            MadAttribute.SWITCH_INFO_RECORD,
            40,
            List.of(
                    line("RID"),
                    of("LID", 0, 2, Form.DECIMAL),
                    line("SwitchInfo dump:"),
                    of("LinearFDBCap", 4, 2, Form.HEX),
                    of("RandomFDBCap", 6, 2, Form.HEX),
                    of("MulticastFDBCap", 8, 2, Form.HEX),
                    of("LinearFDBTop", 10, 2, Form.HEX),
                    of("DefaultPort", 12, 1, Form.DECIMAL),
                    of("DefaultMulticastPrimaryPort", 13, 1, Form.DECIMAL),
                    of("DefaultMulticastNotPrimaryPort", 14, 1, Form.DECIMAL),
                    of("LifeTimeValue/PortStateChange/OpSL2VL", 15, 1, Form.HEX),
                    of("LIDsPerPort", 16, 2, Form.HEX),
                    of("PartitionEnforcementCap", 18, 2, Form.HEX),
                    of("flags", 20, 1, Form.HEX)));

    static final SaDump CLASS = new SaDump(
            "SA ClassPortInfo:",
            MadAttribute.CLASS_PORT_INFO,
            25,
            List.of(
                    of("Base version", 0, 1, Form.DECIMAL),
                    of("Class version", 1, 1, Form.DECIMAL),
                    of("Capability mask", 2, 2, Form.WORD),
                    of("Capability mask 2", 4, 0, 27, Form.LONG_WORD),
                    of("Response time value", 7, 3, 5, Form.BYTE),
                    of("Redirect GID", 8, 16, Form.GID),
                    of("Redirect TC/SL/FL", 24, 4, Form.LONG_WORD),
                    of("Redirect LID", 28, 2, Form.DECIMAL),
                    of("Redirect PKey", 30, 2, Form.WORD),
                    of("Redirect QP", 32, 4, Form.LONG_WORD),
                    of("Redirect QKey", 36, 4, Form.LONG_WORD),
                    of("Trap GID", 40, 16, Form.GID),
                    of("Trap TC/SL/FL", 56, 4, Form.LONG_WORD),
                    of("Trap LID", 60, 2, Form.DECIMAL),
                    of("Trap PKey", 62, 2, Form.WORD),
                    of("Trap HL/QP", 64, 4, Form.LONG_WORD),
                    of("Trap QKey", 68, 4, Form.LONG_WORD)));

    /** Returns the lines of a record. */
    List<String> lines(MemorySegment memory, long at) {
        List<String> lines = new ArrayList<>();
        lines.add(title);
        for (Item item : items) {
            String dots = item.form == Form.LINE ? "" : ".".repeat(Math.max(0, column - item.name.length()));
            lines.add("\t\t" + item.name + dots + item.value(memory, at));
        }
        return lines;
    }

    /** Returns a record as an object of JSON. */
    Map<String, Object> json(MemorySegment memory, long at) {
        Map<String, Object> members = new LinkedHashMap<>();
        for (Item item : items) {
            if (item.form == Form.DECIMAL) {
                members.put(item.name, item.field.get(memory, at));
            } else if (item.form != Form.LINE) {
                members.put(item.name, item.value(memory, at));
            }
        }
        return members;
    }
}
