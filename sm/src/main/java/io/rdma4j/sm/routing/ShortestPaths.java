// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.routing;

import io.rdma4j.sm.RoutingEngine;
import io.rdma4j.sm.topology.SmNode;
import io.rdma4j.sm.topology.SmPort;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@link RoutingEngine#MIN_HOP} and {@link RoutingEngine#DIMENSION_ORDER}. */
final class ShortestPaths implements RouteChoice {
    private final HopCounts hops;
    private final boolean isByDimension;

    /** @param isByDimension true if the neighbour behind the lowest port is always taken */
    ShortestPaths(HopCounts hops, boolean isByDimension) {
        this.hops = hops;
        this.isByDimension = isByDimension;
    }

    @Override
    public List<SmPort> candidates(SmNode from, SmNode to) {
        List<SmPort> closer = hops.closer(from, to);
        return isByDimension && !closer.isEmpty()
                ? closer.stream()
                        .filter(port -> port.peerNode() == closer.getFirst().peerNode())
                        .toList()
                : closer;
    }

    @Override
    public @Nullable SmPort choose(List<SmPort> candidates, SmPort end, int index, PortLoad load) {
        return load.least(candidates);
    }
}
