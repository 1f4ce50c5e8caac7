// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.routing;

import io.rdma4j.sm.RoutingEngine;
import io.rdma4j.sm.topology.SmNode;
import io.rdma4j.sm.topology.SmPort;
import io.rdma4j.sm.topology.SubnetTopology;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * {@link RoutingEngine#FAT_TREE}. The switches with channel adapters are the leaves. The number of a destination,
 * counted through all leaves, selects the port at each rank on the way up, so that each destination is below one root
 * only.
 */
final class FatTreePaths implements RouteChoice {
    private final HopCounts hops;
    private final Map<SmNode, Integer> ranks;
    /** Products of the numbers of ports that lead up from the ranks below. */
    private final Map<Integer, Integer> divisors = new HashMap<>();

    private final Map<SmPort, Integer> numbers = new HashMap<>();

    private FatTreePaths(HopCounts hops, Map<SmNode, Integer> ranks, Map<SmNode, List<SmPort>> leaves) {
        this.hops = hops;
        this.ranks = ranks;
        Map<Integer, Integer> ups = new TreeMap<>();
        ranks.forEach((node, rank) -> ups.merge(rank, portsUp(node), Math::max));
        int product = 1;
        for (Map.Entry<Integer, Integer> up : ups.entrySet()) {
            divisors.put(up.getKey(), product);
            product *= Math.max(1, up.getValue());
        }
        int leafSize = Math.max(1, ups.getOrDefault(0, 1));
        int first = 0;
        for (List<SmPort> ends : leaves.values()) {
            ends.sort(Comparator.comparingInt(end -> end.peer == null ? 0 : end.peer.number));
            for (int i = 0; i < ends.size(); i++) {
                numbers.put(ends.get(i), first + i);
            }
            first += leafSize;
        }
    }

    private int portsUp(SmNode node) {
        int rank = ranks.getOrDefault(node, 0);
        return (int) node.portsToSwitches().stream()
                .filter(port -> ranks.getOrDefault(port.peerNode(), 0) > rank)
                .count();
    }

    /**
     * Returns null if the topology is no fat tree: all links between switches must lead from a rank to the next one.
     */
    static @Nullable FatTreePaths of(SubnetTopology topology, HopCounts hops) {
        Map<SmNode, List<SmPort>> leaves =
                new TreeMap<>(Comparator.comparing((SmNode node) -> node.guid, Long::compareUnsigned));
        for (SmPort end : topology.ends()) {
            SmNode leaf = end.node.isSwitch ? null : end.switchNode();
            if (leaf != null) {
                leaves.computeIfAbsent(leaf, _ -> new ArrayList<>()).add(end);
            }
        }
        Map<SmNode, Integer> ranks = HopCounts.from(leaves.keySet());
        Set<SmNode> switches = new LinkedHashSet<>(topology.switches());
        boolean isTree = !leaves.isEmpty()
                && ranks.keySet().containsAll(switches)
                && switches.stream()
                        .allMatch(node -> node.portsToSwitches().stream()
                                .noneMatch(port -> Objects.equals(ranks.get(node), ranks.get(port.peerNode()))));
        return isTree ? new FatTreePaths(hops, ranks, leaves) : null;
    }

    @Override
    public List<SmPort> candidates(SmNode from, SmNode to) {
        return hops.closer(from, to);
    }

    @Override
    public @Nullable SmPort choose(List<SmPort> candidates, SmPort end, int index, PortLoad load) {
        Integer number = numbers.get(end);
        if (candidates.isEmpty() || number == null) {
            return load.least(candidates); // a LID of a switch
        }
        int rank = ranks.getOrDefault(candidates.getFirst().node, 0);
        return candidates.get((number / divisors.getOrDefault(rank, 1) + index) % candidates.size());
    }
}
