// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.diag;

import io.rdma4j.wire.mad.sm.MulticastForwardingTable;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Finds the way of packets of a multicast group by the multicast forwarding tables. One thread. */
final class MulticastWalk {
    private static final int FIRST_MLID = 0xC000;
    private static final int TABLE_PORTS = 16;
    private static final int POSITION_SHIFT = 28;

    private final MadAccess mads;
    private final int mlid;

    /** A way that was followed so far. */
    private record Way(MadTarget route, List<RouteHop> hops) {
        RouteHop last() {
            return hops.getLast();
        }

        Way to(MadTarget longer, RouteHop hop) {
            List<RouteHop> all = new ArrayList<>(hops);
            all.add(hop);
            return new Way(longer, all);
        }
    }

    MulticastWalk(MadAccess mads, int mlid) {
        this.mads = mads;
        this.mlid = mlid;
    }

    /** Returns the nodes from the port at the end of a directed route to the destination; none if there is no way. */
    List<RouteHop> find(MadTarget from, MadTarget to) throws DiagFailure {
        long target = RouteHop.read(mads, to).portGuid();
        Deque<Way> ways = new ArrayDeque<>();
        ways.add(new Way(from, List.of(RouteHop.read(mads, from))));
        Set<Long> seen = new HashSet<>();
        while (!ways.isEmpty()) {
            Way way = ways.remove();
            RouteHop last = way.last();
            if (last.portGuid() == target) {
                return way.hops;
            }
            if (seen.add(last.nodeGuid())) {
                ways.addAll(last.isSwitch() ? throughSwitch(way) : throughAdapter(way));
            }
        }
        return List.of();
    }

    /** Only the adapter at which the way begins sends packets. */
    private List<Way> throughAdapter(Way way) throws DiagFailure {
        if (way.hops.size() > 1) {
            return List.of();
        }
        int output = way.last().input();
        boolean isBack = way.route.hops().size() > 1;
        MadTarget route = isBack ? way.route.shortened() : way.route.through(output);
        RouteHop next = RouteHop.read(mads, route);
        return List.of(
                way.to(route, next.through(output, isBack ? way.route.hops().getLast() : next.input())));
    }

    private List<Way> throughSwitch(Way way) throws DiagFailure {
        List<Way> ways = new ArrayList<>();
        for (int output = 1; output <= way.last().ports(); output++) {
            if (output != way.last().input() && isMember(way.route, output)) {
                MadTarget route = way.route.through(output);
                RouteHop next = RouteHop.read(mads, route);
                ways.add(way.to(route, next.through(output, next.input())));
            }
        }
        return ways;
    }

    private boolean isMember(MadTarget route, int port) throws DiagFailure {
        int size = MulticastForwardingTable.MASKS.size();
        int index = mlid - FIRST_MLID;
        MemorySegment table = mads.get(
                "switch_mclookup: can't read the table at " + route,
                route,
                MadAttribute.MULTICAST_FORWARDING_TABLE,
                port / TABLE_PORTS << POSITION_SHIFT | index / size);
        return (MulticastForwardingTable.MASKS.getInt(table, 0, index % size) >> port % TABLE_PORTS & 1) != 0;
    }
}
