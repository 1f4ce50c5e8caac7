// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.diag;

import io.rdma4j.wire.mad.sm.LinearForwardingTable;
import io.rdma4j.wire.mad.sm.SwitchInfo;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Follows the linear forwarding tables from one port to another, by directed routes. One thread. */
final class RouteWalk {
    private static final int MAX_HOPS = 63;

    private final MadAccess mads;
    private final boolean isForced;
    private final List<RouteHop> hops = new ArrayList<>();

    /** @param isForced true if equal LIDs are enough for the destination */
    RouteWalk(MadAccess mads, boolean isForced) {
        this.mads = mads;
        this.isForced = isForced;
    }

    /** Returns the nodes from the port at the end of a directed route to the destination. */
    List<RouteHop> to(MadTarget from, MadTarget destination) throws DiagFailure {
        find(from, destination);
        return List.copyOf(hops);
    }

    /**
     * Walks from the port at the end of a directed route.
     *
     * @return directed route to the destination
     */
    MadTarget find(MadTarget from, MadTarget to) throws DiagFailure {
        hops.clear();
        RouteHop at = RouteHop.read(mads, from);
        RouteHop end = RouteHop.read(mads, to);
        RouteHop first = at;
        hops.add(at);
        MadTarget route = from;
        while (!isSame(at, end)) {
            if (!at.isActive()) {
                throw new DiagFailure("find_route: Bad port state found: node \"%s\" port %d state %d"
                        .formatted(at.name(), at.input(), at.state()));
            }
            if (hops.size() > MAX_HOPS) {
                throw new DiagFailure("find_route: no route found after " + MAX_HOPS + " hops");
            }
            if (at.isSwitch()) {
                int output = output(at, route, to.lid());
                route = route.through(output);
                RouteHop next = RouteHop.read(mads, route);
                at = next.through(output, next.input());
            } else {
                if (!isSame(at, first)) {
                    throw new DiagFailure("find_route: can't continue: reached CA or router port %x, lid %d"
                            .formatted(at.portGuid(), at.lid()));
                }
                int output = at.input();
                if (route.hops().size() > 1) {
                    int back = route.hops().getLast();
                    route = route.shortened();
                    at = RouteHop.read(mads, route).through(output, back);
                } else {
                    route = route.through(output);
                    RouteHop next = RouteHop.read(mads, route);
                    at = next.through(output, next.input());
                }
            }
            hops.add(at);
        }
        return route;
    }

    private boolean isSame(RouteHop one, RouteHop other) {
        return one.portGuid() == other.portGuid() || isForced && one.lid() == other.lid();
    }

    private int output(RouteHop at, MadTarget route, int lid) throws DiagFailure {
        String what = "find_route: can't read the table of \"" + at.name() + "\"";
        MemorySegment info = mads.get(what, route, MadAttribute.SWITCH_INFO, 0);
        int size = LinearForwardingTable.PORTS.size();
        MemorySegment table = mads.get(what, route, MadAttribute.LINEAR_FORWARDING_TABLE, lid / size);
        int port = LinearForwardingTable.PORTS.getInt(table, 0, lid % size);
        if (port == 0 || port > at.ports()) {
            throw new DiagFailure(
                    "find_route: Bad forwarding table entry found at: node \"%s\" lid entry %d is %d (top %d)"
                            .formatted(at.name(), lid, port, SwitchInfo.LINEAR_FDB_TOP.getInt(info, 0)));
        }
        return port;
    }
}
