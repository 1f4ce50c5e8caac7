// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.diag;

import io.rdma4j.netlab.command.shell.Json;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.verbs.Host;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** {@code ibqueryerrors}: the ports of a subnet whose error counters are not zero. */
public final class IbqueryerrorsCommand extends DiagCommand {
    private static final int BAD = 1;

    /** @param host with the devices */
    public IbqueryerrorsCommand(Supplier<Host> host) {
        super(
                "ibqueryerrors",
                "[options]      ports of the subnet with errors",
                host,
                "DGLsK",
                Option.value('s', "suppress", "list", "counters that are no errors, separated by commas"),
                Option.flag('c', "suppress-common", "PortRcvSwitchRelayErrors is no error"),
                Option.flag('r', "report-port", "show the link of each port with errors"),
                Option.value('G', "port-guid", "port_guid", "only the node of this port"),
                Option.value('S', "switch", "port_guid", "the same"),
                Option.value('D', "Direct", "dr_path", "only the node at the end of this route"),
                Option.flag(Option.NO_LETTER, "data", "show the data counters of ports with errors"),
                Option.flag(Option.NO_LETTER, "counters", "show the data counters of all ports, and no errors"),
                Option.flag(Option.NO_LETTER, "switches", "only switches"),
                Option.flag(Option.NO_LETTER, "ca", "only channel adapters"),
                Option.flag(Option.NO_LETTER, "router", "only routers"),
                Option.value(Option.NO_LETTER, "threshold-file", "file", "lines NAME=VALUE: more is an error"),
                Option.flag('k', "clear-errors", "clear the error counters after reading"),
                Option.flag('K', "clear-counts", "clear the data counters after reading"));
    }

    @Override
    int run(MadAccess mads, Options options, PrintWriter out, PrintWriter err) throws DiagFailure {
        atMostOperands(options, 0);
        String guid = options.text("switch") == null ? options.text("port-guid") : options.text("switch");
        String route = options.text("Direct");
        FabricDiscovery fabric = new FabricDiscovery(mads, err, null, route == null ? 0 : 1);
        fabric.run(route == null ? MadTarget.self() : MadTarget.fromSelf(route));
        ErrorReport report = new ErrorReport(mads, options, out, err);
        if (route != null) {
            report.check(fabric.first());
        } else if (guid != null) {
            FabricNode node = fabric.node(number("switch", guid));
            if (node == null) {
                err.println("Failed to find node: " + guid);
            } else {
                report.check(node);
            }
        } else {
            List<FabricNode> nodes = fabric.nodes();
            for (FabricNode node : nodes) {
                if (isWanted(node, options)) {
                    report.check(node);
                }
            }
        }
        if (options.has("json")) {
            Map<String, Object> members = new LinkedHashMap<>();
            members.put("nodesChecked", report.nodes());
            members.put("portsChecked", report.ports());
            members.put("ports", report.bad());
            out.println(Json.text(members));
        } else {
            report.printSummary();
        }
        return report.bad().isEmpty() ? 0 : BAD;
    }

    private static boolean isWanted(FabricNode node, Options options) {
        if (!options.has("switches") && !options.has("ca") && !options.has("router")) {
            return true;
        }
        return switch (node.type()) {
            case FabricNode.SWITCH -> options.has("switches");
            case FabricNode.ADAPTER -> options.has("ca");
            default -> options.has("router");
        };
    }
}
