// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.routing;

import io.rdma4j.sm.RoutingEngine;
import io.rdma4j.sm.topology.SmNode;
import io.rdma4j.sm.topology.SmPort;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * {@link RoutingEngine#UP_DOWN}. The rank of a switch is its distance to the nearest root; of two switches of one rank
 * that with the smaller GUID is the upper one. A switch above the destination sends down only; another one sends up, to
 * a switch from which the rest of the way is the shortest.
 */
final class UpDownPaths implements RouteChoice {
    private final Map<SmNode, Integer> ranks;
    private final Map<SmNode, Ways> ways = new HashMap<>();

    /** The ways to one switch: their lengths, and the switches above it. */
    private record Ways(Map<SmNode, Integer> lengths, Set<SmNode> above) {}

    private record Visit(SmNode node, int length) {}

    UpDownPaths(Collection<SmNode> roots) {
        this.ranks = HopCounts.from(roots);
    }

    private boolean isUp(SmNode from, SmNode to) {
        int difference = ranks.getOrDefault(to, 0) - ranks.getOrDefault(from, 0);
        return difference < 0 || difference == 0 && Long.compareUnsigned(to.guid, from.guid) < 0;
    }

    private Ways waysTo(SmNode to) {
        Map<SmNode, Integer> lengths = new HashMap<>();
        Deque<SmNode> next = new ArrayDeque<>(List.of(to));
        lengths.put(to, 0);
        while (!next.isEmpty()) {
            SmNode node = next.remove();
            for (SmPort port : node.portsToSwitches()) {
                SmNode other = port.peerNode();
                if (isUp(node, other) && lengths.putIfAbsent(other, lengths.getOrDefault(node, 0) + 1) == null) {
                    next.add(other);
                }
            }
        }
        Set<SmNode> above = new HashSet<>(lengths.keySet());
        PriorityQueue<Visit> visits = new PriorityQueue<>(Comparator.comparingInt(Visit::length));
        lengths.forEach((node, length) -> visits.add(new Visit(node, length)));
        while (!visits.isEmpty()) {
            Visit visit = visits.remove();
            for (SmPort port : visit.node().portsToSwitches()) {
                SmNode other = port.peerNode();
                int length = visit.length() + 1;
                if (!above.contains(other)
                        && isUp(other, visit.node())
                        && length < lengths.getOrDefault(other, Integer.MAX_VALUE)) {
                    lengths.put(other, length);
                    visits.add(new Visit(other, length));
                }
            }
        }
        return new Ways(lengths, above);
    }

    @Override
    public List<SmPort> candidates(SmNode from, SmNode to) {
        Ways known = ways.computeIfAbsent(to, this::waysTo);
        Integer length = known.lengths().get(from);
        if (length == null) {
            return List.of();
        }
        List<SmPort> ports = new ArrayList<>();
        boolean goesDown = known.above().contains(from);
        for (SmPort port : from.portsToSwitches()) {
            SmNode next = port.peerNode();
            boolean isLegal = goesDown ? known.above().contains(next) && isUp(next, from) : isUp(from, next);
            if (isLegal && known.lengths().getOrDefault(next, Integer.MAX_VALUE) == length - 1) {
                ports.add(port);
            }
        }
        return ports;
    }

    @Override
    public @Nullable SmPort choose(List<SmPort> candidates, SmPort end, int index, PortLoad load) {
        return load.least(candidates);
    }
}
