// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.routing;

import io.rdma4j.sm.topology.SmNode;
import io.rdma4j.sm.topology.SmPort;
import io.rdma4j.sm.topology.SubnetTopology;
import io.rdma4j.wire.ib.Lid;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The multicast forwarding tables: for each group a tree over the switches of its members, with the root at the switch
 * from which the farthest member has the fewest hops.
 */
public final class MulticastTrees {
    /** Groups in a block of a table, and ports in a part of it. */
    public static final int MLIDS_OF_BLOCK = 32;

    public static final int PORTS_OF_POSITION = 16;

    /**
     * The members of a group, as GUIDs of ports.
     *
     * @param receivers they send and receive
     * @param senders they only send: the tree reaches their switches, and no packets leave for them
     */
    public record Members(Set<Long> receivers, Set<Long> senders) {
        public Members {
            receivers = Set.copyOf(receivers);
            senders = Set.copyOf(senders);
        }

        public boolean isEmpty() {
            return receivers.isEmpty() && senders.isEmpty();
        }
    }

    private final SubnetTopology topology;
    private final LinearRoutes routes;

    /** Output ports by multicast LID and switch. */
    private final Map<Integer, Map<SmNode, BitSet>> trees = new TreeMap<>();

    /** @param groups members by multicast LID */
    public MulticastTrees(SubnetTopology topology, LinearRoutes routes, Map<Integer, Members> groups) {
        this.topology = topology;
        this.routes = routes;
        groups.forEach(this::grow);
    }

    /**
     * Returns trees that differ in some groups only.
     *
     * @param changed multicast LIDs of these groups
     * @param groups members by multicast LID; a changed group that is not among them has no tree
     */
    public MulticastTrees with(Set<Integer> changed, Map<Integer, Members> groups) {
        MulticastTrees next = new MulticastTrees(topology, routes, Map.of());
        next.trees.putAll(trees);
        for (int mlid : changed) {
            next.trees.remove(mlid);
            Members members = groups.get(mlid);
            if (members != null) {
                next.grow(mlid, members);
            }
        }
        return next;
    }

    /** Returns the output ports of a multicast LID. */
    public BitSet ports(SmNode of, int mlid) {
        return trees.getOrDefault(mlid, Map.of()).getOrDefault(of, new BitSet());
    }

    /** Returns the numbers of the blocks in which a group has a port of the switch. */
    public Set<Integer> blocks(SmNode of) {
        Set<Integer> blocks = new TreeSet<>();
        trees.forEach((mlid, tree) -> {
            if (tree.containsKey(of)) {
                blocks.add((mlid - Lid.MULTICAST) / MLIDS_OF_BLOCK);
            }
        });
        return blocks;
    }

    /**
     * Returns an entry of a multicast forwarding table: a bit for each output port.
     *
     * @param position number of the part with the ports
     * @param index of the group in the block
     */
    public int mask(SmNode of, int block, int position, int index) {
        BitSet outputs = ports(of, Lid.MULTICAST + block * MLIDS_OF_BLOCK + index);
        int mask = 0;
        for (int bit = 0; bit < PORTS_OF_POSITION; bit++) {
            mask |= outputs.get(position * PORTS_OF_POSITION + bit) ? 1 << bit : 0;
        }
        return mask;
    }

    private void add(SmNode to, int mlid, int port) {
        trees.computeIfAbsent(mlid, _ -> new HashMap<>())
                .computeIfAbsent(to, _ -> new BitSet())
                .set(port);
    }

    private void grow(int mlid, Members group) {
        Set<SmNode> members = new LinkedHashSet<>();
        List<SmPort> ends = new ArrayList<>();
        for (SmPort end : topology.ends()) {
            SmNode at = end.switchNode();
            if (at == null) {
                continue;
            }
            if (group.receivers().contains(end.guid)) {
                members.add(at);
                ends.add(end);
            } else if (group.senders().contains(end.guid)) {
                members.add(at);
            }
        }
        SmNode root = root(members);
        if (root == null) {
            return;
        }
        Map<SmNode, SmPort> parents = parents(root);
        for (SmPort end : ends) {
            SmPort peer = end.peer;
            if (end.node.isSwitch) {
                add(end.node, mlid, 0);
            } else if (peer != null) {
                add(peer.node, mlid, peer.number);
            }
        }
        for (SmNode member : members) {
            climb(member, mlid, parents);
        }
    }

    private void climb(SmNode member, int mlid, Map<SmNode, SmPort> parents) {
        SmPort up = parents.get(member);
        while (up != null && up.peer != null) {
            SmPort down = up.peer;
            add(up.node, mlid, up.number);
            add(down.node, mlid, down.number);
            up = parents.get(down.node);
        }
    }

    private @Nullable SmNode root(Set<SmNode> members) {
        SmNode best = null;
        int bestHops = Integer.MAX_VALUE;
        for (SmNode candidate : members.isEmpty() ? List.<SmNode>of() : topology.switches()) {
            int farthest = 0;
            for (SmNode member : members) {
                farthest = Math.max(farthest, routes.hops(candidate, member));
            }
            if (farthest < bestHops) {
                best = candidate;
                bestHops = farthest;
            }
        }
        return best;
    }

    /** Returns the port towards the root of each switch. */
    private static Map<SmNode, SmPort> parents(SmNode root) {
        Map<SmNode, SmPort> parents = new HashMap<>();
        Deque<SmNode> next = new ArrayDeque<>(List.of(root));
        while (!next.isEmpty()) {
            SmNode node = next.remove();
            for (SmPort port : node.ports()) {
                SmPort peer = port.peer;
                if (peer != null && peer.node.isSwitch && peer.node != root && !parents.containsKey(peer.node)) {
                    parents.put(peer.node, peer);
                    next.add(peer.node);
                }
            }
        }
        return parents;
    }
}
