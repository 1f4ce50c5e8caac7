// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.diag;

import io.rdma4j.netlab.command.shell.Json;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.cli.UsageException;
import io.rdma4j.verbs.Host;
import io.rdma4j.wire.mad.sm.NodeInfo;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/** {@code ibnetdiscover}: the nodes and links of a subnet, in the syntax that {@code net run} reads. */
public final class IbnetdiscoverCommand extends DiagCommand {
    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss yyyy", Locale.ROOT);

    /** @param host with the devices */
    public IbnetdiscoverCommand(Supplier<Host> host) {
        super(
                "ibnetdiscover",
                "[options]      nodes and links of the subnet",
                host,
                "DGLsK",
                Option.flag('f', "full", "show speed, width and lanes of ports"),
                Option.flag('s', "show", "show each step of the discovery"),
                Option.flag('l', "list", "list all nodes"),
                Option.flag('H', "Hca_list", "list channel adapters"),
                Option.flag('S', "Switch_list", "list switches"),
                Option.flag('R', "Router_list", "list routers"),
                Option.flag('p', "ports", "show a line for each port"),
                Option.flag('m', "max_hops", "show the number of hops and of datagrams"),
                Option.value(Option.NO_LETTER, "svg", "file", "draw nodes, links, load and errors"));
    }

    @Override
    int run(MadAccess mads, Options options, PrintWriter out, PrintWriter err) throws DiagFailure {
        atMostOperands(options, 0);
        FabricDiscovery fabric = new FabricDiscovery(mads, err, options.has("show") ? out : null, 0);
        fabric.run(MadTarget.self());
        String picture = options.text("svg");
        if (picture != null) {
            try {
                Files.writeString(Path.of(picture), FabricPicture.of(fabric, mads));
            } catch (IOException e) {
                throw new UsageException("'" + picture + "' cannot be written: " + e.getMessage());
            }
        } else if (options.has("json")) {
            out.println(Json.text(nodesOfJson(fabric)));
        } else if (options.has("ports")) {
            fabric.nodes().forEach(node -> ports(node, out));
        } else if (!list(fabric, options, out)) {
            topology(fabric, options, out);
        }
        return 0;
    }

    private static List<Map<String, Object>> nodesOfJson(FabricDiscovery fabric) {
        List<Map<String, Object>> nodes = new ArrayList<>();
        for (FabricNode node : fabric.nodes()) {
            List<Map<String, Object>> links = new ArrayList<>();
            for (FabricPort port : node.ports()) {
                FabricPort remote = port.remote();
                if (remote != null) {
                    Map<String, Object> link = new LinkedHashMap<>();
                    link.put("port", port.number());
                    link.put("remoteGuid", hex(remote.node().guid()));
                    link.put("remotePort", remote.number());
                    link.put("lid", port.lid());
                    link.put("rate", port.rate());
                    links.add(link);
                }
            }
            Map<String, Object> members = new LinkedHashMap<>();
            members.put("type", kind(node));
            members.put("guid", hex(node.guid()));
            members.put("description", node.description());
            members.put("ports", node.portCount());
            members.put("links", links);
            nodes.add(members);
        }
        return nodes;
    }

    private static String hex(long guid) {
        return "0x%016x".formatted(guid);
    }

    private static String kind(FabricNode node) {
        return switch (node.type()) {
            case FabricNode.SWITCH -> "Switch";
            case FabricNode.ADAPTER -> "Ca";
            default -> "Router";
        };
    }

    /** Prints the lists that the user asks for; returns false if there are none. */
    private static boolean list(FabricDiscovery fabric, Options options, PrintWriter out) {
        boolean isAll = options.has("list");
        boolean isListed = false;
        Map<String, Integer> kinds = new LinkedHashMap<>();
        kinds.put("Hca_list", FabricNode.ADAPTER);
        kinds.put("Switch_list", FabricNode.SWITCH);
        kinds.put("Router_list", FabricNode.ROUTER);
        for (Map.Entry<String, Integer> kind : kinds.entrySet()) {
            if (isAll || options.has(kind.getKey())) {
                isListed = true;
                for (FabricNode node : fabric.nodes(kind.getValue())) {
                    out.println("%s\t : 0x%016x ports %d devid 0x%x vendid 0x%x \"%s\""
                            .formatted(
                                    kind(node),
                                    node.guid(),
                                    node.portCount(),
                                    NodeInfo.DEVICE_ID.get(node.info(), 0),
                                    NodeInfo.VENDOR_ID.get(node.info(), 0),
                                    node.description()));
                }
            }
        }
        return isListed;
    }

    private static void ports(FabricNode node, PrintWriter out) {
        List<FabricPort> ports = new ArrayList<>(node.ports());
        for (FabricPort port : ports.reversed()) {
            if (port.number() == 0) {
                continue;
            }
            StringBuilder line = new StringBuilder("%s %s %s".formatted(end(port), port.width(), port.speed()));
            FabricPort remote = port.remote();
            if (remote == null) {
                line.append("%36s'%s'".formatted("", node.description()));
            } else {
                line.append(" - %s ( '%s' - '%s' )"
                        .formatted(
                                end(remote), node.description(), remote.node().description()));
            }
            out.println(line);
        }
    }

    private static String end(FabricPort port) {
        FabricNode node = port.node();
        String kind = node.isSwitch() ? "SW" : node.type() == FabricNode.ADAPTER ? "CA" : "RT";
        return "%2s %5d %2d 0x%016x".formatted(kind, port.lid(), port.number(), port.guid());
    }

    // The topology

    private static void topology(FabricDiscovery fabric, Options options, PrintWriter out) {
        out.println("#\n# Topology file: generated on "
                + ZonedDateTime.now(ZoneId.systemDefault()).format(DATE) + "\n#");
        if (options.has("max_hops")) {
            out.println("# Reported max hops discovered: " + fabric.hops());
            out.println("# Total MADs used: " + fabric.requests());
        }
        out.println("# Initiated from node %016x port %016x"
                .formatted(
                        fabric.first().guid(),
                        NodeInfo.PORT_GUID.get(fabric.first().info(), 0)));
        boolean isFull = options.has("full");
        for (int type : List.of(FabricNode.SWITCH, FabricNode.ADAPTER, FabricNode.ROUTER)) {
            for (FabricNode node : fabric.nodes(type)) {
                header(node, out);
                for (FabricPort port : node.ports()) {
                    FabricPort remote = port.remote();
                    if (remote != null) {
                        out.println((node.isSwitch() ? ofSwitch(port, remote) : ofAdapter(port, remote))
                                + (isFull ? full(port) : ""));
                    }
                }
            }
        }
    }

    private static String name(FabricNode node) {
        String letter = node.isSwitch() ? "S" : node.type() == FabricNode.ADAPTER ? "H" : "R";
        return "\"%s-%016x\"".formatted(letter, node.guid());
    }

    private static void header(FabricNode node, PrintWriter out) {
        out.println();
        out.println("vendid=0x%x".formatted(NodeInfo.VENDOR_ID.get(node.info(), 0)));
        out.println("devid=0x%x".formatted(NodeInfo.DEVICE_ID.get(node.info(), 0)));
        long system = NodeInfo.SYSTEM_IMAGE_GUID.get(node.info(), 0);
        if (system != 0) {
            out.println("sysimgguid=0x%x".formatted(system));
        }
        if (node.isSwitch()) {
            out.println("switchguid=0x%x(%x)".formatted(node.guid(), NodeInfo.PORT_GUID.get(node.info(), 0)));
            out.println("Switch\t%d %s\t\t# \"%s\" %s port 0 lid %d lmc %d"
                    .formatted(
                            node.portCount(),
                            name(node),
                            node.description(),
                            node.isEnhanced() ? "enhanced" : "base",
                            node.switchLid(),
                            node.switchLmc()));
        } else {
            boolean isAdapter = node.type() == FabricNode.ADAPTER;
            out.println("%sguid=0x%x".formatted(isAdapter ? "ca" : "rt", node.guid()));
            out.println("%s\t%d %s\t\t# \"%s\""
                    .formatted(isAdapter ? "Ca" : "Rt", node.portCount(), name(node), node.description()));
        }
    }

    private static String ofSwitch(FabricPort port, FabricPort remote) {
        return "[%d]\t%s[%d]%s\t\t# \"%s\" lid %d %s"
                .formatted(
                        port.number(),
                        name(remote.node()),
                        remote.number(),
                        remote.node().isSwitch() ? "" : "(%x) ".formatted(remote.guid()),
                        remote.node().description(),
                        remote.lid(),
                        port.rate());
    }

    private static String ofAdapter(FabricPort port, FabricPort remote) {
        return "[%d](%x) \t%s[%d]%s\t\t# lid %d lmc %d \"%s\" lid %d %s"
                .formatted(
                        port.number(),
                        port.guid(),
                        name(remote.node()),
                        remote.number(),
                        remote.node().isSwitch() ? "" : " (%x) ".formatted(remote.guid()),
                        port.lid(),
                        port.lmc(),
                        remote.node().description(),
                        remote.lid(),
                        port.rate());
    }

    private static String full(FabricPort port) {
        return " s=%d w=%d v=%d"
                .formatted(
                        PortInfoAttribute.LINK_SPEED_ACTIVE.getInt(port.info(), 0),
                        PortInfoAttribute.LINK_WIDTH_ACTIVE.getInt(port.info(), 0),
                        PortInfoAttribute.VL_CAP.getInt(port.info(), 0));
    }
}
