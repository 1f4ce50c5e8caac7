// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.routing;

import io.rdma4j.sm.topology.SmNode;
import io.rdma4j.sm.topology.SmPort;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The numbers of links between switches. */
final class HopCounts {
    private static final int UNREACHABLE = Integer.MAX_VALUE;

    private final Map<SmNode, Map<SmNode, Integer>> hops = new HashMap<>();

    HopCounts(List<SmNode> switches) {
        switches.forEach(to -> hops.put(to, from(List.of(to))));
    }

    /** Returns the number of links between two switches. */
    int between(SmNode from, SmNode to) {
        return hops.getOrDefault(to, Map.of()).getOrDefault(from, UNREACHABLE);
    }

    /** Returns the number of links from the nearest one of some switches to each other one. */
    static Map<SmNode, Integer> from(Collection<SmNode> sources) {
        Map<SmNode, Integer> known = new HashMap<>();
        sources.forEach(source -> known.put(source, 0));
        Deque<SmNode> next = new ArrayDeque<>(sources);
        while (!next.isEmpty()) {
            SmNode node = next.remove();
            int beyond = known.getOrDefault(node, 0) + 1;
            for (SmPort port : node.portsToSwitches()) {
                SmNode other = port.peerNode();
                if (known.putIfAbsent(other, beyond) == null) {
                    next.add(other);
                }
            }
        }
        return known;
    }

    /** Returns the ports that lead from one switch one hop closer to another one. */
    List<SmPort> closer(SmNode from, SmNode to) {
        List<SmPort> ports = new ArrayList<>();
        for (SmPort port : from.portsToSwitches()) {
            if (between(port.peerNode(), to) < between(from, to)) {
                ports.add(port);
            }
        }
        return ports;
    }
}
