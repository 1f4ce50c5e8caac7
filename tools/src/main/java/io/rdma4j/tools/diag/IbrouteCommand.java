// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.diag;

import io.rdma4j.netlab.command.shell.Json;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.cli.UsageException;
import io.rdma4j.verbs.Host;
import io.rdma4j.wire.mad.sm.LinearForwardingTable;
import io.rdma4j.wire.mad.sm.MulticastForwardingTable;
import io.rdma4j.wire.mad.sm.NodeDescription;
import io.rdma4j.wire.mad.sm.NodeInfo;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import io.rdma4j.wire.mad.sm.SwitchInfo;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** {@code ibroute}: the forwarding tables of a switch. */
public final class IbrouteCommand extends DiagCommand {
    private static final int MIN_MULTICAST = 0xC000;
    private static final int MAX_MULTICAST = 0xFFFE;
    private static final int MAX_UNICAST = 0xBFFF;
    private static final int TABLE_PORTS = 16;
    private static final int POSITION_SHIFT = 28;

    /** @param host with the devices */
    public IbrouteCommand(Supplier<Host> host) {
        super(
                "ibroute",
                "[options] <dest dr_path|lid|guid> [<startlid> [<endlid>]]      forwarding tables of a switch",
                host,
                "K",
                Option.flag('a', "all", "show all lids, even invalid entries"),
                Option.flag('n', "no_dests", "do not show destinations"),
                Option.flag('M', "Multicast", "show the multicast forwarding table"));
    }

    @Override
    int run(MadAccess mads, Options options, PrintWriter out, PrintWriter err) throws DiagFailure {
        List<String> operands = options.operands();
        if (operands.isEmpty()) {
            throw new UsageException("the address of a switch is needed");
        }
        atMostOperands(options, 3);
        MadTarget to = target(mads, options, operands.getFirst(), null);
        int start = operands.size() > 1 ? (int) number("startlid", operands.get(1)) : 0;
        int end = operands.size() > 2 ? (int) number("endlid", operands.get(2)) : 0;
        Query query = new Query(mads, options, to, out);
        if (options.has("Multicast")) {
            query.multicast(start, end);
        } else {
            query.unicast(start, end);
        }
        return 0;
    }

    /** One run of the tool on one switch. */
    private static final class Query {
        private static final String TABLES = "dump tables: ";

        private final MadAccess mads;
        private final Options options;
        private final MadTarget to;
        private final PrintWriter out;
        private final MemorySegment node;
        private final MemorySegment info;
        private final String name;

        /** LIDs of the last port with several: the first and the last one, and its GUID. */
        private int baseLid;

        private int lastLid;
        private long portGuid;

        Query(MadAccess mads, Options options, MadTarget to, PrintWriter out) throws DiagFailure {
            this.mads = mads;
            this.options = options;
            this.to = to;
            this.out = out;
            node = mads.get(TABLES + "node info failed: valid addr?", to, MadAttribute.NODE_INFO, 0);
            MemorySegment text = mads.get(TABLES + "node desc failed", to, MadAttribute.NODE_DESCRIPTION, 0);
            name = NodeDescription.NODE_DESCRIPTION.text(text, 0);
            if (NodeInfo.NODE_TYPE.getInt(node, 0) != FabricNode.SWITCH) {
                throw new DiagFailure(TABLES + "not a switch");
            }
            info = mads.get(TABLES + "switch info failed: is a switch node?", to, MadAttribute.SWITCH_INFO, 0);
        }

        private boolean isAll() {
            return options.has("all");
        }

        private boolean isJson() {
            return options.has("json");
        }

        private int ports() {
            return NodeInfo.NUM_PORTS.getInt(node, 0);
        }

        private void title(String kind, int start, int end) {
            out.println("%s [0x%x-0x%x] of switch %s guid 0x%016x (%s):"
                    .formatted(kind, start, end, to, NodeInfo.NODE_GUID.get(node, 0), name));
        }

        // Unicast

        void unicast(int start, int wantedEnd) throws DiagFailure {
            int top = SwitchInfo.LINEAR_FDB_TOP.getInt(info, 0);
            int end = Math.min(wantedEnd == 0 ? top : Math.min(wantedEnd, top), MAX_UNICAST);
            Map<String, Object> members = new LinkedHashMap<>();
            if (!isJson()) {
                title("Unicast lids", start, end);
                out.println("  Lid  Out   Destination");
                out.println("       Port     Info ");
            }
            int size = LinearForwardingTable.PORTS.size();
            int count = 0;
            for (int block = start / size; block * size < end + 1; block++) {
                MemorySegment table = mads.get(TABLES + "lft failed", to, MadAttribute.LINEAR_FORWARDING_TABLE, block);
                for (int lid = Math.max(start, block * size); lid < Math.min(end + 1, (block + 1) * size); lid++) {
                    int port = LinearForwardingTable.PORTS.getInt(table, 0, lid - block * size);
                    boolean isValid = port <= ports();
                    if (!isValid && !isAll()) {
                        continue;
                    }
                    count++;
                    if (isJson()) {
                        members.put(String.valueOf(lid), port);
                    } else {
                        out.println("0x%04x %03d %s"
                                .formatted(lid, port, options.has("no_dests") ? "" : destination(lid, isValid)));
                    }
                }
            }
            out.println(isJson() ? Json.text(members) : count + (isAll() ? " lids dumped " : " valid lids dumped "));
        }

        private String destination(int lid, boolean isValid) {
            if (lid <= lastLid) {
                if (!isValid) {
                    return ": (path #%d - illegal port)".formatted(lid - baseLid);
                }
                String guid = portGuid == 0 ? "" : ": portguid 0x%016x".formatted(portGuid);
                return ": (path #%d out of %d%s)".formatted(lid - baseLid + 1, lastLid - baseLid + 1, guid);
            }
            if (!isValid) {
                return ": (illegal port)";
            }
            portGuid = 0;
            try {
                MadTarget port = MadTarget.ofLid(lid);
                MemorySegment text = mads.get("", port, MadAttribute.NODE_DESCRIPTION, 0);
                MemorySegment attribute = mads.get("", port, MadAttribute.PORT_INFO, 0);
                MemorySegment there = mads.get("", port, MadAttribute.NODE_INFO, 0);
                portGuid = NodeInfo.PORT_GUID.get(there, 0);
                int lmc = PortInfoAttribute.LMC.getInt(attribute, 0);
                if (lmc > 0) {
                    baseLid = PortInfoAttribute.LID.getInt(attribute, 0);
                    lastLid = baseLid + (1 << lmc) - 1;
                }
                return ": (%s portguid 0x%016x: '%s')"
                        .formatted(
                                FieldFormat.NODE_TYPE.text(NodeInfo.NODE_TYPE.get(there, 0), 0),
                                portGuid,
                                NodeDescription.NODE_DESCRIPTION.text(text, 0));
            } catch (DiagFailure _) {
                return ": (unknown node and type)"; // the table may have LIDs of ports that have gone
            }
        }

        // Multicast

        void multicast(int wantedStart, int wantedEnd) throws DiagFailure {
            int last = Math.min(MIN_MULTICAST + SwitchInfo.MULTICAST_FDB_CAP.getInt(info, 0) - 1, MAX_MULTICAST);
            int end = wantedEnd == 0 ? last : Math.min(wantedEnd, last);
            int top = SwitchInfo.MULTICAST_FDB_TOP.getInt(info, 0);
            if (!isAll() && top >= MIN_MULTICAST - 1 && top < end) {
                end = top;
            }
            int start = Math.max(wantedStart, MIN_MULTICAST);
            Map<String, Object> members = new LinkedHashMap<>();
            if (!isJson()) {
                title("Multicast mlids", start, end);
                out.print(columns());
            }
            int size = MulticastForwardingTable.MASKS.size();
            int count = 0;
            for (int block = start / size; block * size < end + 1; block++) {
                List<MemorySegment> tables = multicastBlock(block - MIN_MULTICAST / size);
                for (int mlid = Math.max(start, block * size); mlid < Math.min(end + 1, (block + 1) * size); mlid++) {
                    List<Integer> ports = members(tables, mlid - block * size);
                    if (ports.isEmpty() && !isAll()) {
                        continue;
                    }
                    count++;
                    if (isJson()) {
                        members.put("0x%04x".formatted(mlid), ports);
                    } else {
                        out.println("0x%04x      %s".formatted(mlid, crosses(ports, tables, mlid - block * size)));
                    }
                }
            }
            out.println(isJson() ? Json.text(members) : count + (isAll() ? " mlids dumped " : " valid mlids dumped "));
        }

        private String columns() {
            if (options.has("no_dests")) {
                return " MLid       Port Mask\n";
            }
            StringBuilder tens = new StringBuilder();
            StringBuilder units = new StringBuilder();
            for (int port = 0; port <= ports(); port++) {
                tens.append(port % 10 == 0 ? port / 10 : " ").append(' ');
                units.append(port % 10).append(' ');
            }
            String first = ports() > 9 ? "            " + tens + "\n" : "";
            return first + "     Ports: " + units + "\n MLid\n";
        }

        private List<MemorySegment> multicastBlock(int block) throws DiagFailure {
            List<MemorySegment> tables = new ArrayList<>();
            for (int position = 0; position * TABLE_PORTS <= ports(); position++) {
                tables.add(mads.get(
                        TABLES + "mft failed",
                        to,
                        MadAttribute.MULTICAST_FORWARDING_TABLE,
                        position << POSITION_SHIFT | block));
            }
            return tables;
        }

        private List<Integer> members(List<MemorySegment> tables, int index) {
            List<Integer> ports = new ArrayList<>();
            for (int port = 0; port <= ports(); port++) {
                int mask = MulticastForwardingTable.MASKS.getInt(tables.get(port / TABLE_PORTS), 0, index);
                if ((mask >> port % TABLE_PORTS & 1) != 0) {
                    ports.add(port);
                }
            }
            return ports;
        }

        private String crosses(List<Integer> ports, List<MemorySegment> tables, int index) {
            StringBuilder line = new StringBuilder();
            if (options.has("no_dests")) {
                for (MemorySegment table : tables) {
                    line.append("%04x".formatted(MulticastForwardingTable.MASKS.getInt(table, 0, index)));
                }
                return line.toString();
            }
            for (int port = 0; port <= ports(); port++) {
                line.append(ports.contains(port) ? "x " : "  ");
            }
            return line.toString();
        }
    }
}
