// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.diag;

import io.rdma4j.netlab.command.shell.Json;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.cli.UsageException;
import io.rdma4j.verbs.Host;
import io.rdma4j.wire.mad.sm.GuidInfo;
import io.rdma4j.wire.mad.sm.NodeDescription;
import io.rdma4j.wire.mad.sm.NodeInfo;
import io.rdma4j.wire.mad.sm.PkeyTableBlock;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import io.rdma4j.wire.mad.sm.SlToVlTable;
import io.rdma4j.wire.mad.sm.SwitchInfo;
import io.rdma4j.wire.mad.sm.VlArbitrationTable;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/** {@code smpquery}: reads an attribute of subnet management. */
public final class SmpqueryCommand extends DiagCommand {
    private static final int DESCRIPTION = 32;
    private static final int EXTENDED_SPEEDS = 1 << 31;
    private static final int LOW_TABLE = 1;
    private static final int HIGH_TABLE = 3;

    /** An operation: name, alias, and what fails if its request does. */
    private enum Operation {
        NODEINFO("ni", "node info query failed"),
        NODEDESC("nd", "node desc query failed"),
        PORTINFO("pi", "port info query failed"),
        SWITCHINFO("si", "switch info query failed"),
        PKEYTABLE("pkeys", "pkey table query failed"),
        SL2VLTABLE("sl2vl", "slvl query failed"),
        VLARBITRATION("vlarb", "vl arb query failed"),
        GUIDINFO("gi", "guid info query failed");

        private final String alias;
        private final String failure;

        Operation(String alias, String failure) {
            this.alias = alias;
            this.failure = failure;
        }

        static Operation of(String word) {
            String name = word.toLowerCase(Locale.ROOT);
            for (Operation operation : values()) {
                if (name.equals(operation.alias) || name.equals(operation.name().toLowerCase(Locale.ROOT))) {
                    return operation;
                }
            }
            throw new UsageException("operation '" + word + "' not supported");
        }
    }

    /** @param host with the devices */
    public SmpqueryCommand(Supplier<Host> host) {
        super(
                "smpquery",
                """
                [options] <op> <dest dr_path|lid|guid> [op params]      attributes of subnet management

                Operations: NodeInfo (NI), NodeDesc (ND), PortInfo (PI) [port], SwitchInfo (SI),
                  PKeyTable (PKeys) [port], SL2VLTable (SL2VL) [port], VLArbitration (VLArb) [port], GUIDInfo (GI)\
                """,
                host,
                "",
                Option.flag('c', "combined", "the address is a LID and a directed route from there"),
                Option.flag('x', "extended", "ask for extended speeds"));
    }

    @Override
    int run(MadAccess mads, Options options, PrintWriter out, PrintWriter err) throws DiagFailure {
        boolean isCombined = options.has("combined");
        List<String> operands = options.operands();
        int needed = isCombined ? 3 : 2;
        if (operands.size() < needed) {
            throw new UsageException("an operation and an address are needed");
        }
        atMostOperands(options, needed + 1);
        Operation operation = Operation.of(operands.getFirst());
        MadTarget to = target(mads, options, operands.get(1), isCombined ? operands.get(2) : null);
        int port = operands.size() > needed ? (int) number("port", operands.get(needed)) : 0;
        new Query(mads, options, to, port, operands.getFirst(), out).run(operation);
        return 0;
    }

    /** One run of an operation. */
    private record Query(MadAccess mads, Options options, MadTarget to, int port, String word, PrintWriter out) {
        void run(Operation operation) throws DiagFailure {
            switch (operation) {
                case NODEINFO -> dump("# Node info: " + to, AttributeDump.NODE_INFO, nodeInfo());
                case NODEDESC -> description();
                case PORTINFO -> portInfo(operation);
                case SWITCHINFO ->
                    dump(
                            "# Switch info: " + to,
                            AttributeDump.SWITCH_INFO,
                            get(operation, MadAttribute.SWITCH_INFO, 0));
                case PKEYTABLE -> pkeys(operation);
                case SL2VLTABLE -> lanes(operation);
                case VLARBITRATION -> arbitration(operation);
                case GUIDINFO -> guids(operation);
            }
        }

        private boolean isJson() {
            return options.has("json");
        }

        private MemorySegment get(Operation operation, MadAttribute attribute, int modifier) throws DiagFailure {
            return mads.get("operation " + word + ": " + operation.failure, to, attribute, modifier);
        }

        private MemorySegment nodeInfo() throws DiagFailure {
            return get(Operation.NODEINFO, MadAttribute.NODE_INFO, 0);
        }

        private void dump(String title, AttributeDump dump, MemorySegment data) {
            if (isJson()) {
                out.println(Json.text(dump.json(data)));
            } else {
                out.println(title);
                dump.print(data, out);
            }
        }

        private void description() throws DiagFailure {
            nodeInfo();
            MemorySegment data = get(Operation.NODEDESC, MadAttribute.NODE_DESCRIPTION, 0);
            String name = NodeDescription.NODE_DESCRIPTION.text(data, 0);
            if (isJson()) {
                out.println(Json.text(Map.of("nodeDescription", name)));
            } else {
                out.println("Node Description:" + ".".repeat(Math.max(1, DESCRIPTION - name.length())) + name);
            }
        }

        private void portInfo(Operation operation) throws DiagFailure {
            int modifier = options.has("extended") ? port | EXTENDED_SPEEDS : port;
            MemorySegment data = get(operation, MadAttribute.PORT_INFO, modifier);
            if (isJson()) {
                Map<String, Object> members = AttributeDump.PORT_INFO.json(data);
                if (!options.has("show_keys")) {
                    members.remove("Mkey");
                }
                out.println(Json.text(members));
                return;
            }
            out.println("# Port info: " + to + " port " + port);
            if (options.has("show_keys")) {
                AttributeDump.PORT_INFO.print(data, out);
            } else {
                out.println(AttributeDump.line("Mkey", "<not displayed>"));
                List<AttributeDump.Field> fields = AttributeDump.PORT_INFO.fields();
                new AttributeDump(fields.subList(1, fields.size())).print(data, out);
            }
        }

        private void pkeys(Operation operation) throws DiagFailure {
            MemorySegment node = nodeInfo();
            checkPort(node);
            int capacity = NodeInfo.PARTITION_CAP.getInt(node, 0);
            if (isSwitch(node) && port != 0) {
                MemorySegment info = get(Operation.SWITCHINFO, MadAttribute.SWITCH_INFO, 0);
                capacity = SwitchInfo.PARTITION_ENFORCEMENT_CAP.getInt(info, 0);
            }
            List<String> keys = new ArrayList<>();
            int size = PkeyTableBlock.PKEYS.size();
            for (int block = 0; block * size < capacity; block++) {
                MemorySegment data = get(operation, MadAttribute.P_KEY_TABLE, port << 16 | block);
                for (int i = 0; i < size; i++) {
                    keys.add("0x%04x".formatted(PkeyTableBlock.PKEYS.getInt(data, 0, i)));
                }
            }
            table(keys, 8, capacity, "pkeys");
        }

        private void guids(Operation operation) throws DiagFailure {
            MemorySegment info = mads.get("operation " + word + ": port info failed", to, MadAttribute.PORT_INFO, 0);
            int capacity = PortInfoAttribute.GUID_CAP.getInt(info, 0);
            List<String> guids = new ArrayList<>();
            int size = GuidInfo.GUIDS.size();
            for (int block = 0; block * size < capacity; block++) {
                MemorySegment data = get(operation, MadAttribute.GUID_INFO, block);
                for (int i = 0; i < size; i++) {
                    guids.add("0x%016x".formatted(GuidInfo.GUIDS.get(data, 0, i)));
                }
            }
            table(guids, 2, capacity, "guids");
        }

        /** Prints the entries of a table: whole lines. */
        private void table(List<String> entries, int inLine, int capacity, String name) {
            if (isJson()) {
                out.println(Json.text(Map.of(name, entries.subList(0, Math.min(capacity, entries.size())))));
                return;
            }
            int end = Math.min(entries.size(), (capacity + inLine - 1) / inLine * inLine);
            for (int at = 0; at < end; at += inLine) {
                out.println("%4d: %s".formatted(at, String.join(" ", entries.subList(at, at + inLine))));
            }
            out.println(capacity + " " + name + " capacity for this port");
        }

        private static boolean isSwitch(MemorySegment node) {
            return NodeInfo.NODE_TYPE.getInt(node, 0) == FabricNode.SWITCH;
        }

        private void checkPort(MemorySegment node) throws DiagFailure {
            if (port > NodeInfo.NUM_PORTS.getInt(node, 0)) {
                throw new DiagFailure("operation " + word + ": invalid port number");
            }
        }

        private void lanes(Operation operation) throws DiagFailure {
            MemorySegment node = nodeInfo();
            checkPort(node);
            int last = isSwitch(node) ? NodeInfo.NUM_PORTS.getInt(node, 0) : 0;
            int output = isSwitch(node) ? port : 0;
            Map<String, Object> members = new LinkedHashMap<>();
            if (!isJson()) {
                out.println("# SL2VL table: " + to);
                out.println("#                 SL: " + "| 0| 1| 2| 3| 4| 5| 6| 7| 8| 9|10|11|12|13|14|15|");
            }
            for (int input = 0; input <= last; input++) {
                MemorySegment data = get(operation, MadAttribute.SL_TO_VL_TABLE, input << 8 | output);
                List<Integer> lanes = new ArrayList<>();
                StringBuilder line = new StringBuilder("ports: in %2d, out %2d: |".formatted(input, output));
                for (int level = 0; level < SlToVlTable.LANES.size(); level++) {
                    lanes.add(SlToVlTable.LANES.getInt(data, 0, level));
                    line.append("%2d|".formatted(lanes.getLast()));
                }
                members.put(String.valueOf(input), lanes);
                if (!isJson()) {
                    out.println(line);
                }
            }
            if (isJson()) {
                out.println(Json.text(members));
            }
        }

        private void arbitration(Operation operation) throws DiagFailure {
            if (port == 0 && isSwitch(nodeInfo())) {
                MemorySegment info = get(Operation.SWITCHINFO, MadAttribute.SWITCH_INFO, 0);
                if (!SwitchInfo.ENHANCED_PORT_0.isSet(info, 0)) {
                    out.println(isJson() ? "{}" : "# No VLArbitration tables (BSP0): " + to + " port 0");
                    return;
                }
            }
            MemorySegment info = get(Operation.PORTINFO, MadAttribute.PORT_INFO, port);
            int low = PortInfoAttribute.VL_ARB_LOW_CAP.getInt(info, 0);
            int high = PortInfoAttribute.VL_ARB_HIGH_CAP.getInt(info, 0);
            if (isJson()) {
                Map<String, Object> members = new LinkedHashMap<>();
                members.put("low", entries(operation, LOW_TABLE, low));
                members.put("high", entries(operation, HIGH_TABLE, high));
                out.println(Json.text(members));
                return;
            }
            out.println("# VLArbitration tables: " + to + " port " + port + " LowCap " + low + " HighCap " + high);
            arbitration("Low", entries(operation, LOW_TABLE, low));
            arbitration("High", entries(operation, HIGH_TABLE, high));
        }

        private List<List<Integer>> entries(Operation operation, int block, int capacity) throws DiagFailure {
            List<List<Integer>> entries = new ArrayList<>();
            int size = VlArbitrationTable.LANES.size();
            for (int at = 0; at < capacity; at += size) {
                MemorySegment data = get(operation, MadAttribute.VL_ARBITRATION_TABLE, block + at / size << 16 | port);
                for (int i = 0; i < Math.min(size, capacity - at); i++) {
                    entries.add(List.of(
                            VlArbitrationTable.LANES.getInt(data, 0, i),
                            VlArbitrationTable.WEIGHTS.getInt(data, 0, i)));
                }
            }
            return entries;
        }

        private void arbitration(String name, List<List<Integer>> entries) {
            int block = VlArbitrationTable.LANES.size();
            if (!entries.isEmpty()) {
                out.print("# " + name + " priority VL Arbitration Table:");
            }
            for (int at = 0; at < entries.size(); at += block) {
                StringBuilder lanes = new StringBuilder("\nVL    : |");
                StringBuilder weights = new StringBuilder("\nWEIGHT: |");
                for (List<Integer> entry : entries.subList(at, Math.min(entries.size(), at + block))) {
                    lanes.append("0x%-2s|"
                            .formatted(Integer.toHexString(entry.getFirst()).toUpperCase(Locale.ROOT)));
                    weights.append("0x%-2s|"
                            .formatted(Integer.toHexString(entry.getLast()).toUpperCase(Locale.ROOT)));
                }
                out.println(lanes.append(weights));
            }
        }
    }
}
