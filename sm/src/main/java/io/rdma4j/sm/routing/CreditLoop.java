// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.routing;

import io.rdma4j.sm.topology.SmNode;
import io.rdma4j.sm.topology.SmPort;
import io.rdma4j.sm.topology.SubnetTopology;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Searches the forwarding tables for a cycle of links each of which waits for credits of the next one. Packets among
 * channel adapters can come to a standstill on it. A link is named by the port that sends.
 */
public final class CreditLoop {
    private final LinearRoutes routes;
    private final Map<SmPort, Set<SmPort>> before = new LinkedHashMap<>();

    private CreditLoop(SubnetTopology topology, LinearRoutes routes) {
        this.routes = routes;
        Set<SmNode> sources = new LinkedHashSet<>();
        List<SmPort> adapters =
                topology.ends().stream().filter(end -> !end.node.isSwitch).toList();
        for (SmPort adapter : adapters) {
            SmNode at = adapter.switchNode();
            if (at != null) {
                sources.add(at);
            }
        }
        for (SmPort adapter : adapters) {
            for (int i = 0; i < 1 << adapter.lmc; i++) {
                follow(sources, adapter.lid + i);
            }
        }
    }

    /** Returns the ports of a cycle in the order of the packets; none if there is no cycle. */
    public static List<SmPort> find(SubnetTopology topology, LinearRoutes routes) {
        return new CreditLoop(topology, routes).cycle();
    }

    private @Nullable SmPort output(SmNode at, int lid) {
        SmPort port = routes.port(at, lid);
        return port == null || port.peer == null || !port.peer.node.isSwitch ? null : port;
    }

    /** Adds what the packets to a LID do: they hold a link while they wait for the next one. */
    private void follow(Set<SmNode> sources, int lid) {
        Set<SmNode> seen = new HashSet<>();
        for (SmNode source : sources) {
            SmPort held = output(source, lid);
            while (held != null && seen.add(held.node)) {
                before.computeIfAbsent(held, _ -> new LinkedHashSet<>());
                SmPort next = output(held.peerNode(), lid);
                if (next != null) {
                    before.computeIfAbsent(next, _ -> new LinkedHashSet<>()).add(held);
                }
                held = next;
            }
        }
    }

    /** Takes away the links that no other one waits for, until only cycles and what follows them are left. */
    private List<SmPort> cycle() {
        Map<SmPort, Integer> waiting = new HashMap<>();
        Map<SmPort, List<SmPort>> after = new HashMap<>();
        Deque<SmPort> free = new ArrayDeque<>();
        before.forEach((port, holders) -> {
            waiting.put(port, holders.size());
            holders.forEach(holder ->
                    after.computeIfAbsent(holder, _ -> new ArrayList<>()).add(port));
            if (holders.isEmpty()) {
                free.add(port);
            }
        });
        while (!free.isEmpty()) {
            SmPort port = free.remove();
            waiting.remove(port);
            for (SmPort next : after.getOrDefault(port, List.of())) {
                if (waiting.merge(next, -1, Integer::sum) == 0) {
                    free.add(next);
                }
            }
        }
        return waiting.isEmpty() ? List.of() : backwards(waiting.keySet());
    }

    private List<SmPort> backwards(Set<SmPort> left) {
        List<SmPort> way = new ArrayList<>();
        SmPort at = left.iterator().next();
        while (!way.contains(at)) {
            way.add(at);
            at = before.getOrDefault(at, Set.of()).stream()
                    .filter(left::contains)
                    .findFirst()
                    .orElseThrow();
        }
        return new ArrayList<>(way.subList(way.indexOf(at), way.size())).reversed();
    }
}
