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
                SubnetPart.OPTIONS,
                Option.value('s', "suppress", "list", "counters that are no errors, separated by commas"),
                Option.flag('c', "suppress-common", "PortRcvSwitchRelayErrors is no error"),
                Option.flag('r', "report-port", "show the link of each port with errors"),
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
        SubnetPart part = SubnetPart.of(options);
        FabricDiscovery fabric = new FabricDiscovery(mads, err, null, part.hops());
        fabric.run(part.start());
        ErrorReport report = new ErrorReport(mads, options, out, err);
        List<FabricNode> nodes = part.nodes(fabric);
        if (nodes.isEmpty()) {
            err.println("Failed to find node: " + part.guid());
        }
        for (FabricNode node : nodes) {
            if (!part.isAll() || isWanted(node, options)) {
                report.check(node);
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
