// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.diag;

import io.rdma4j.wire.mad.sm.NodeDescription;
import io.rdma4j.wire.mad.sm.NodeInfo;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds the nodes of a subnet by directed routes, breadth first, as {@code libibnetdisc} does. One thread. */
final class FabricDiscovery {
    private static final String FAILED = "discover failed";

    /** A port with a link, behind which a node is to be found. */
    private record Step(MadTarget path, @Nullable FabricPort from) {}

    private final MadAccess mads;
    private final PrintWriter err;
    private final @Nullable PrintWriter trace;
    private final int maxHops;
    private final Map<Long, FabricNode> byGuid = new HashMap<>();
    private final List<FabricNode> nodes = new ArrayList<>();
    private final Deque<Step> steps = new ArrayDeque<>();
    private int startHops;
    private int hops;
    private long requests;

    /**
     * @param err hears of requests that fail
     * @param trace hears of each step; null if the user does not want it
     * @param maxHops from the first node; 0 for all
     */
    FabricDiscovery(MadAccess mads, PrintWriter err, @Nullable PrintWriter trace, int maxHops) {
        this.mads = mads;
        this.err = err;
        this.trace = trace;
        this.maxHops = maxHops;
    }

    /**
     * Finds the nodes.
     *
     * @param start route to the first node
     */
    void run(MadTarget start) throws DiagFailure {
        long before = mads.sent();
        startHops = start.hops().size() - 1;
        visit(new Step(start, null), mads.get(FAILED, start, MadAttribute.NODE_INFO, 0));
        while (!steps.isEmpty()) {
            Step step = steps.remove();
            try {
                visit(step, mads.get(FAILED, step.path, MadAttribute.NODE_INFO, 0));
            } catch (DiagFailure e) {
                report(e);
            }
        }
        requests = mads.sent() - before;
    }

    private void report(DiagFailure failure) {
        String warning = failure.warning();
        DiagCommand.warn(warning == null ? String.valueOf(failure.getMessage()) : warning, err);
    }

    private void visit(Step step, MemorySegment info) throws DiagFailure {
        int arrival = NodeInfo.LOCAL_PORT_NUM.getInt(info, 0);
        FabricNode node = byGuid.get(NodeInfo.NODE_GUID.get(info, 0));
        boolean isNew = node == null;
        if (node == null) {
            node = new FabricNode(info);
            byGuid.put(node.guid(), node);
            nodes.add(node);
            hops = Math.max(hops, step.path.hops().size() - 1);
        }
        boolean isNewPort = node.port(arrival) == null;
        FabricPort port = node.port(arrival, NodeInfo.PORT_GUID.get(info, 0));
        trace(step, node, port, isNew);
        if (step.from != null) {
            step.from.connect(port);
            port.connect(step.from);
        }
        if (isNew) {
            MemorySegment text = mads.get(FAILED, step.path, MadAttribute.NODE_DESCRIPTION, 0);
            node.describe(NodeDescription.NODE_DESCRIPTION.text(text, 0));
            if (node.isSwitch()) {
                readSwitch(step, node, arrival);
            }
        }
        if (!node.isSwitch() && isNewPort) {
            readPort(step, port, step.from == null);
        }
    }

    private void trace(Step step, FabricNode node, FabricPort port, boolean isNew) {
        if (trace == null) {
            return;
        }
        int lid = port.lid();
        trace.println("%s -> %s %s {%016x} portnum %d lid %d-%d \"%s\""
                .formatted(
                        step.path,
                        isNew ? "new" : "known",
                        FieldFormat.NODE_TYPE.text(node.type(), 0),
                        node.guid(),
                        node.isSwitch() ? 0 : port.number(),
                        lid,
                        lid + (1 << port.lmc()) - 1,
                        node.description()));
    }

    private void readSwitch(Step step, FabricNode node, int arrival) throws DiagFailure {
        node.switchInfo(mads.get(FAILED, step.path, MadAttribute.SWITCH_INFO, 0));
        for (int number = 0; number <= node.portCount(); number++) {
            FabricPort port = node.port(number, NodeInfo.PORT_GUID.get(node.info(), 0));
            readPort(step, port, number != 0 && (number != arrival || step.from == null));
        }
    }

    private void readPort(Step step, FabricPort port, boolean isWay) {
        try {
            port.read(mads.get(FAILED, step.path, MadAttribute.PORT_INFO, port.number()));
        } catch (DiagFailure e) {
            report(e);
            return;
        }
        boolean isNear = maxHops == 0 || step.path.hops().size() - startHops <= maxHops;
        if (isWay && port.hasLink() && isNear) {
            steps.add(new Step(step.path.through(port.number()), port));
        }
    }

    // Results

    /** Returns the first node. */
    FabricNode first() {
        return nodes.getFirst();
    }

    /** Returns the nodes, the last one first, as the programs of infiniband-diags list them. */
    List<FabricNode> nodes() {
        List<FabricNode> reversed = new ArrayList<>(nodes);
        Collections.reverse(reversed);
        return reversed;
    }

    /** Returns the nodes of a type, the last one first. */
    List<FabricNode> nodes(int type) {
        return nodes().stream().filter(node -> node.type() == type).toList();
    }

    /** Returns the node with a GUID, also of one of its ports. */
    @Nullable
    FabricNode node(long guid) {
        FabricNode node = byGuid.get(guid);
        if (node != null) {
            return node;
        }
        for (FabricNode one : nodes) {
            if (one.ports().stream().anyMatch(port -> port.guid() == guid)) {
                return one;
            }
        }
        return null;
    }

    /** Returns the number of links of the longest route. */
    int hops() {
        return hops;
    }

    /** Returns the number of requests. */
    long requests() {
        return requests;
    }
}
