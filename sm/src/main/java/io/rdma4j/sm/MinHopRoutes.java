// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The linear forwarding tables of shortest paths. Of several ports on shortest paths each LID takes the one with the
 * fewest LIDs so far; the LIDs of one port leave by different neighbours if there are several.
 */
final class MinHopRoutes {
    static final int NO_PORT = 0xFF;
    private static final int UNREACHABLE = Integer.MAX_VALUE;

    private final List<SmNode> switches;
    private final Map<SmNode, Map<SmNode, Integer>> hops = new HashMap<>();
    private final Map<SmNode, byte[]> tables = new HashMap<>();

    /** @param topLid highest LID */
    MinHopRoutes(SubnetTopology topology, int topLid) {
        this.switches = topology.switches();
        switches.forEach(to -> hops.put(to, distances(to)));
        List<SmPort> ends = new ArrayList<>(topology.ends());
        ends.sort(Comparator.comparingInt(end -> end.lid)); // the same tables for each manager
        for (SmNode from : switches) {
            byte[] table = new byte[topLid + 1];
            Arrays.fill(table, (byte) NO_PORT);
            int[] load = new int[from.portCount + 1];
            for (SmPort end : ends) {
                route(from, end, table, load);
            }
            tables.put(from, table);
        }
    }

    byte[] table(SmNode of) {
        return tables.getOrDefault(of, new byte[0]);
    }

    /** Returns the number of links between two switches. */
    int hops(SmNode from, SmNode to) {
        return hops.getOrDefault(to, Map.of()).getOrDefault(from, UNREACHABLE);
    }

    private static Map<SmNode, Integer> distances(SmNode to) {
        Map<SmNode, Integer> known = new HashMap<>();
        known.put(to, 0);
        Deque<SmNode> next = new ArrayDeque<>(List.of(to));
        while (!next.isEmpty()) {
            SmNode node = next.remove();
            int beyond = known.getOrDefault(node, 0) + 1;
            for (SmPort port : node.ports()) {
                SmPort peer = port.peer;
                if (peer != null && peer.node.isSwitch && !known.containsKey(peer.node)) {
                    known.put(peer.node, beyond);
                    next.add(peer.node);
                }
            }
        }
        return known;
    }

    /** Returns the switch of a LID: the node itself, or that at the other end of the cable. */
    static @Nullable SmNode switchOf(SmPort end) {
        SmPort peer = end.peer;
        return end.node.isSwitch ? end.node : peer == null || !peer.node.isSwitch ? null : peer.node;
    }

    private void route(SmNode from, SmPort end, byte[] table, int[] load) {
        SmNode to = switchOf(end);
        SmPort last = end.peer;
        if (to == null) {
            return;
        }
        Set<SmNode> taken = new HashSet<>();
        for (int lid = end.lid; lid < end.lid + (1 << end.lmc); lid++) {
            int port = from != to ? next(from, to, load, taken) : end.node.isSwitch || last == null ? 0 : last.number;
            table[lid] = (byte) port;
            if (port != NO_PORT) {
                load[port]++;
            }
        }
    }

    private int next(SmNode from, SmNode to, int[] load, Set<SmNode> taken) {
        int best = NO_PORT;
        SmNode bestNode = null;
        for (SmPort port : from.ports()) {
            SmPort peer = port.peer;
            if (peer == null || !peer.node.isSwitch || hops(peer.node, to) >= hops(from, to)) {
                continue;
            }
            boolean isBetter = bestNode == null
                    || (taken.contains(peer.node) != taken.contains(bestNode)
                            ? taken.contains(bestNode)
                            : load[port.number] < load[best]);
            if (isBetter) {
                best = port.number;
                bestNode = peer.node;
            }
        }
        if (bestNode != null) {
            taken.add(bestNode);
        }
        return best;
    }
}
