// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.diag;

import io.rdma4j.netlab.command.shell.Json;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.cli.UsageException;
import io.rdma4j.verbs.Host;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** {@code ibtracert}: the way of packets from one port to another by the forwarding tables. */
public final class IbtracertCommand extends DiagCommand {
    private static final int MIN_MULTICAST = 0xC000;
    private static final int MAX_MULTICAST = 0xFFFE;

    /** @param host with the devices */
    public IbtracertCommand(Supplier<Host> host) {
        super(
                "ibtracert",
                "[options] <src-addr> <dest-addr>      way of packets by the forwarding tables",
                host,
                "DK",
                Option.flag('f', "force", "compare LIDs too, and go on without the destination"),
                Option.flag('n', "no_info", "simple format"),
                Option.value('m', "mlid", "mlid", "the way of packets of a multicast group"));
    }

    @Override
    int run(MadAccess mads, Options options, PrintWriter out, PrintWriter err) throws DiagFailure {
        List<String> operands = options.operands();
        if (operands.size() != 2) {
            throw new UsageException("two addresses are needed");
        }
        MadTarget source = target(mads, options, operands.getFirst(), null);
        MadTarget destination = target(mads, options, operands.get(1), null);
        RouteWalk walk = new RouteWalk(mads, options.has("force"));
        String problem = "can't find a route to the src port";
        List<RouteHop> hops;
        try {
            MadTarget toSource = walk.find(MadTarget.directed("0"), source);
            problem = "can't find a %sroute from src to dest".formatted(options.has("mlid") ? "multicast " : "");
            hops = options.has("mlid")
                    ? new MulticastWalk(mads, options.number("mlid", 0, MIN_MULTICAST, MAX_MULTICAST))
                            .find(toSource, destination)
                    : walk.to(toSource, destination);
        } catch (DiagFailure e) {
            out.flush();
            warn(e.warning() == null ? String.valueOf(e.getMessage()) : e.warning(), err);
            hops = List.of();
        }
        if (hops.isEmpty()) {
            warn("get_route: " + problem, err);
            throw new DiagFailure("Failed to get route information");
        }
        show(hops, options, out);
        return 0;
    }

    private static void show(List<RouteHop> hops, Options options, PrintWriter out) {
        if (options.has("json")) {
            List<Map<String, Object>> nodes = new ArrayList<>();
            hops.forEach(hop -> nodes.add(hop.json()));
            out.println(Json.text(nodes));
            return;
        }
        boolean isShort = options.has("no_info");
        boolean isMulticast = options.has("mlid");
        for (int i = 0; i < hops.size(); i++) {
            RouteHop hop = hops.get(i);
            if (i == 0) {
                out.println(isMulticast ? hop.multicastEnd("From") : hop.end("From", isShort));
            } else {
                out.println(isMulticast ? hop.multicastStep(isShort) : hop.step(isShort));
            }
        }
        out.println(
                isMulticast ? hops.getLast().multicastEnd("To") : hops.getLast().end("To", isShort));
    }
}
