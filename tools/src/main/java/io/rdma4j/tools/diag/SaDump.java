// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.diag;

import io.rdma4j.base.Gid;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
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
    private static final int NIBBLE = 0xF;

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

    /**
     * A line.
     *
     * @param offset of the first byte in the record
     * @param bytes of the number, up to 8
     * @param shift bits to the right of the value
     * @param mask of the value
     */
    record Item(String name, int offset, int bytes, int shift, long mask, Form form) {
        private long number(MemorySegment memory, long at) {
            long value = 0;
            for (int i = 0; i < bytes; i++) {
                value = value << Byte.SIZE | memory.get(ValueLayout.JAVA_BYTE, at + offset + i) & 0xFF;
            }
            return value >>> shift & mask;
        }

        private String value(MemorySegment memory, long at) {
            return switch (form) {
                case NODE_TYPE -> FieldFormat.NODE_TYPE.text(number(memory, at), 0);
                case GID -> gid(memory, at).toString();
                case TEXT -> text(memory, at);
                case LINE -> "";
                default -> form.format.formatted(number(memory, at));
            };
        }

        private Gid gid(MemorySegment memory, long at) {
            byte[] raw = memory.asSlice(at + offset, 2 * Long.BYTES).toArray(ValueLayout.JAVA_BYTE);
            return Gid.ofBytes(raw);
        }

        private String text(MemorySegment memory, long at) {
            byte[] raw = memory.asSlice(at + offset, bytes).toArray(ValueLayout.JAVA_BYTE);
            int length = 0;
            while (length < raw.length && raw[length] != 0) {
                length++;
            }
            return new String(raw, 0, length, StandardCharsets.UTF_8);
        }
    }

    private static Item of(String name, int offset, int bytes, Form form) {
        return new Item(name, offset, bytes, 0, -1, form);
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
                    new Item("qos_class", 52, 2, 4, 0xFFF, Form.HEX),
                    new Item("sl", 53, 1, 0, NIBBLE, Form.HEX),
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
                    new Item("SL", 44, 1, 4, NIBBLE, Form.LOWER_HEX),
                    new Item("FlowLabel", 44, 4, 8, 0xF_FFFF, Form.LOWER_HEX),
                    of("HopLimit", 47, 1, Form.LOWER_HEX),
                    new Item("Scope", 48, 1, 4, NIBBLE, Form.LOWER_HEX),
                    new Item("JoinState", 48, 1, 0, NIBBLE, Form.LOWER_HEX),
                    new Item("ProxyJoin", 49, 1, 7, 1, Form.LOWER_HEX)));

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
                    new Item("SL", 44, 1, 4, NIBBLE, Form.HEX)));

    static final SaDump MANAGER = new SaDump(
            "SMInfoRecord dump:",
            MadAttribute.SM_INFO_RECORD,
            22,
            List.of(
                    of("RID", 0, 0, Form.LINE),
                    of("LID", 0, 2, Form.DECIMAL),
                    of("SMInfo dump:", 0, 0, Form.LINE),
                    of("GUID", 4, 8, Form.GUID),
                    of("SM_Key", 12, 8, Form.GUID),
                    of("ActCount", 20, 4, Form.DECIMAL),
                    new Item("Priority", 24, 1, 4, NIBBLE, Form.DECIMAL),
                    new Item("SMState", 24, 1, 0, NIBBLE, Form.DECIMAL)));

    static final SaDump SWITCH = new SaDump(
            "SwitchInfoRecord dump:",
            MadAttribute.SWITCH_INFO_RECORD,
            40,
            List.of(
                    of("RID", 0, 0, Form.LINE),
                    of("LID", 0, 2, Form.DECIMAL),
                    of("SwitchInfo dump:", 0, 0, Form.LINE),
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
                    new Item("Capability mask 2", 4, 4, 5, -1, Form.LONG_WORD),
                    new Item("Response time value", 7, 1, 0, 0x1F, Form.BYTE),
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
                members.put(item.name, item.number(memory, at));
            } else if (item.form != Form.LINE) {
                members.put(item.name, item.value(memory, at));
            }
        }
        return members;
    }
}
