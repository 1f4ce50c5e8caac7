// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.routing;

import io.rdma4j.sm.RoutingEngine;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.sm.topology.SmNode;
import io.rdma4j.sm.topology.SmPort;
import io.rdma4j.sm.topology.SubnetTopology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The linear forwarding tables of a subnet, as a routing engine makes them. */
public final class LinearRoutes {
    public static final int NO_PORT = 0xFF;

    private final HopCounts hops;
    private final Map<SmNode, byte[]> tables = new HashMap<>();

    /** @param topLid highest LID */
    public LinearRoutes(SubnetTopology topology, int topLid, SubnetOptions options) {
        this.hops = new HopCounts(topology.switches());
        RouteChoice choice = choice(topology, options);
        List<SmPort> ends = new ArrayList<>(topology.ends());
        ends.sort(Comparator.comparingInt(end -> end.lid)); // the same tables for each manager
        for (SmNode from : topology.switches()) {
            byte[] table = new byte[topLid + 1];
            Arrays.fill(table, (byte) NO_PORT);
            PortLoad load = new PortLoad(from.portCount);
            Map<SmNode, List<SmPort>> candidates = new HashMap<>(); // the same for all ends at a switch
            for (SmPort end : ends) {
                SmNode to = end.switchNode();
                if (to != null) {
                    load.begin();
                    List<SmPort> ports = from == to
                            ? List.of()
                            : candidates.computeIfAbsent(to, target -> choice.candidates(from, target));
                    route(from == to, end, choice, ports, table, load);
                }
            }
            tables.put(from, table);
        }
    }

    private RouteChoice choice(SubnetTopology topology, SubnetOptions options) {
        RouteChoice shortest = new ShortestPaths(hops, options.routing() == RoutingEngine.DIMENSION_ORDER);
        return switch (options.routing()) {
            case MIN_HOP, DIMENSION_ORDER -> shortest;
            case UP_DOWN -> new UpDownPaths(roots(topology, options));
            case FAT_TREE -> {
                RouteChoice tree = FatTreePaths.of(topology, hops);
                yield tree == null ? shortest : tree;
            }
        };
    }

    /** The roots of the options that are there, or the switch in the middle. */
    private List<SmNode> roots(SubnetTopology topology, SubnetOptions options) {
        List<SmNode> switches = topology.switches();
        List<SmNode> named = switches.stream()
                .filter(node -> options.rootGuids().contains(node.guid))
                .toList();
        return !named.isEmpty()
                ? named
                : switches.stream()
                        .min(Comparator.comparingInt((SmNode node) -> farthest(node, switches))
                                .thenComparing(node -> node.guid, Long::compareUnsigned))
                        .stream()
                        .toList();
    }

    private int farthest(SmNode node, List<SmNode> switches) {
        return switches.stream()
                .mapToInt(other -> hops.between(node, other))
                .max()
                .orElse(0);
    }

    public byte[] table(SmNode of) {
        return tables.getOrDefault(of, new byte[0]);
    }

    /** Returns the port by which a switch sends to a LID; null if it is for the switch itself, or there is none. */
    @Nullable
    public SmPort port(SmNode of, int lid) {
        byte[] table = table(of);
        int number = lid < table.length ? Byte.toUnsignedInt(table[lid]) : NO_PORT;
        return number == 0 ? null : of.port(number);
    }

    /** Returns the number of links between two switches. */
    public int hops(SmNode from, SmNode to) {
        return hops.between(from, to);
    }

    private static void route(
            boolean isHere, SmPort end, RouteChoice choice, List<SmPort> candidates, byte[] table, PortLoad load) {
        for (int i = 0; i < 1 << end.lmc; i++) {
            SmPort port = !isHere ? choice.choose(candidates, end, i, load) : end.node.isSwitch ? end : end.peer;
            if (port != null) {
                table[end.lid + i] = (byte) port.number;
                load.add(port);
            }
        }
    }
}
