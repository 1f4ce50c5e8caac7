// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.sweep;

import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.sm.SubnetQos;
import io.rdma4j.sm.routing.LinearRoutes;
import io.rdma4j.sm.routing.MulticastTrees;
import io.rdma4j.sm.topology.SmNode;
import io.rdma4j.sm.topology.SmPort;
import io.rdma4j.sm.topology.SubnetTopology;
import io.rdma4j.verbs.device.PortState;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What a sweep writes to the nodes that it has found, one method for each step. */
final class SubnetWriter {
    private final SubnetOptions options;
    private final LidTable lids;
    private final TableWriter tables;
    private final PortWriter ports;
    private final PkeyTables pkeys;
    private final QosTables lanes;
    private final AliasGuids aliases;
    private final Map<Integer, MulticastTrees.Members> groups = new TreeMap<>();
    /** Of the groups, and of those that have ended. */
    private final Set<Integer> mlids = new TreeSet<>();

    /** The groups whose members have changed since their tables were written. */
    private final Set<Integer> changedGroups = new TreeSet<>();

    /** @param answer to each request */
    SubnetWriter(SmpRequests requests, SubnetOptions options, SmpRequests.Answer answer) {
        this.options = options;
        this.lids = new LidTable(options.lmc());
        this.tables = new TableWriter(requests, answer);
        this.ports = new PortWriter(requests, options, answer);
        this.pkeys = new PkeyTables(requests, options, answer);
        this.lanes = new QosTables(requests, answer);
        this.aliases = new AliasGuids(requests, answer);
    }

    AliasGuids aliases() {
        return aliases;
    }

    /** Sets the members of a multicast group; none ends it. */
    void group(int mlid, MulticastTrees.Members members) {
        mlids.add(mlid);
        changedGroups.add(mlid);
        if (members.isEmpty()) {
            groups.remove(mlid);
        } else {
            groups.put(mlid, members);
        }
    }

    /** Another manager may have written to all nodes. A master that another subnet has joined keeps its LIDs. */
    void forget(boolean wasMaster) {
        if (!wasMaster) {
            lids.forget();
        }
        tables.forget();
        ports.forget();
        pkeys.forget();
        lanes.forget();
    }

    /** Writes LIDs, keys and what the ends of links have in common. Returns the highest LID. */
    int configure(SubnetTopology topology) {
        List<SmPort> ends = topology.ends();
        ports.retain(ends);
        int top = lids.assign(ends);
        int managerLid = ends.getFirst().lid;
        ends.forEach(port -> ports.writeEnd(port, managerLid));
        ends.forEach(port -> pkeys.writeEnd(port, port == ends.getFirst()));
        ends.forEach(aliases::write);
        linked(topology).forEach(this::writeLink);
        return top;
    }

    private void writeLink(SmPort port) {
        boolean isNew = port.state() == PortState.INIT;
        ports.writeLink(port);
        if (port.isNextToAdapter() && !options.partitions().isEmpty()) {
            pkeys.writeSwitchPort(port, port.peerPort().pkeys, isNew);
        }
        SubnetQos qos = options.qos();
        if (qos != null) {
            lanes.write(qos, port, isNew);
        }
    }

    /** The ports with a cable to a known port. */
    private static List<SmPort> linked(SubnetTopology topology) {
        return topology.ports().stream()
                .filter(port -> port.number != 0 && port.peer != null && port.isUp())
                .toList();
    }

    /** Computes and writes the forwarding tables. Returns what the subnet has then. */
    SubnetSnapshot route(SubnetTopology topology, int topLid) {
        LinearRoutes routes = new LinearRoutes(topology, topLid, options);
        MulticastTrees trees = new MulticastTrees(topology, routes, groups);
        for (SmNode node : topology.switches()) {
            tables.writeLinear(node, routes.table(node));
            tables.writeMulticast(node, trees, mlids);
        }
        changedGroups.clear();
        return new SubnetSnapshot(topology, routes, trees, options);
    }

    /** Computes and writes the trees of the groups that have changed. Returns what the subnet has then. */
    SubnetSnapshot regroup(SubnetSnapshot present) {
        MulticastTrees trees = present.trees().with(changedGroups, groups);
        for (SmNode node : present.topology().switches()) {
            tables.writeMulticast(node, trees, changedGroups);
        }
        changedGroups.clear();
        return present.with(trees);
    }

    /** Moves the ports with a cable from one state to the next one. */
    void advance(SubnetTopology topology, PortState from, PortState to) {
        linked(topology).stream()
                .filter(port -> port.state() == from && !port.staysDown())
                .forEach(port -> ports.writeState(port, to));
    }
}
