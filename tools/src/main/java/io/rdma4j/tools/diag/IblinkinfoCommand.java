// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.diag;

import io.rdma4j.netlab.command.shell.Json;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.verbs.Host;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** {@code iblinkinfo}: state, width and speed of the links of a subnet. */
public final class IblinkinfoCommand extends DiagCommand {
    private static final int WRONG = 1;

    /** @param host with the devices */
    public IblinkinfoCommand(Supplier<Host> host) {
        super(
                "iblinkinfo",
                "[options]      state, width and speed of the links of the subnet",
                host,
                "DGLsK",
                SubnetPart.OPTIONS,
                Option.flag('d', "down", "only ports that are down"),
                Option.flag('l', "line", "show one line for each link, with the GUIDs"),
                Option.flag('p', "additional", "show head-of-queue life and stall count"),
                Option.value('n', "hops", "number", "length of the routes"),
                Option.flag(Option.NO_LETTER, "switches-only", "only switches"),
                Option.flag(Option.NO_LETTER, "cas-only", "only channel adapters"));
    }

    @Override
    int run(MadAccess mads, Options options, PrintWriter out, PrintWriter err) throws DiagFailure {
        atMostOperands(options, 0);
        SubnetPart part = SubnetPart.of(options);
        FabricDiscovery fabric = new FabricDiscovery(mads, err, null, options.number("hops", part.hops(), 0, 63));
        fabric.run(part.start());
        List<FabricNode> nodes = part.nodes(fabric);
        if (nodes.isEmpty()) {
            err.println("Failed to find port: " + part.guid());
            return WRONG;
        }
        List<Map<String, Object>> links = new ArrayList<>();
        for (FabricNode node : nodes) {
            if (isWanted(node, options)) {
                show(node, options, links, out);
            }
        }
        if (options.has("json")) {
            out.println(Json.text(links));
        }
        return 0;
    }

    private static boolean isWanted(FabricNode node, Options options) {
        return !(options.has("switches-only") && !node.isSwitch())
                && !(options.has("cas-only") && node.type() != FabricNode.ADAPTER);
    }

    private static void show(FabricNode node, Options options, List<Map<String, Object>> links, PrintWriter out) {
        boolean isTitled = options.has("line");
        for (FabricPort port : node.ports()) {
            if (port.number() == 0 || options.has("down") && !port.isDown()) {
                continue;
            }
            LinkLine line = new LinkLine(port);
            if (options.has("json")) {
                links.add(json(line, port));
                continue;
            }
            if (!isTitled) {
                out.println(title(node));
                isTitled = true;
            }
            out.println(line.text(options.has("line"), options.has("additional")));
        }
    }

    private static String title(FabricNode node) {
        return switch (node.type()) {
            case FabricNode.SWITCH ->
                "Switch: 0x%016x %s:".formatted(node.ports().iterator().next().guid(), node.description());
            case FabricNode.ADAPTER -> "CA: " + node.description() + ":";
            default -> "Router: " + node.description() + ":";
        };
    }

    private static Map<String, Object> json(LinkLine line, FabricPort port) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("node", port.node().description());
        members.put("guid", "0x%016x".formatted(port.guid()));
        members.put("lid", port.lid());
        members.put("port", port.number());
        members.put("state", line.state());
        members.put("physicalState", line.physicalState());
        FabricPort remote = port.remote();
        if (remote != null) {
            members.put("rate", port.rate());
            members.put("remoteNode", remote.node().description());
            members.put("remoteGuid", "0x%016x".formatted(remote.guid()));
            members.put("remoteLid", remote.lid());
            members.put("remotePort", remote.number());
        }
        return members;
    }
}
