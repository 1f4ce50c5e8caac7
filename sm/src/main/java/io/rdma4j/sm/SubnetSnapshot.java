// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm;

import io.rdma4j.base.Gid;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the last sweep has found and written, for the subnet administrator.
 *
 * @param topology nodes and ports with their LIDs
 * @param routes linear forwarding tables
 * @param trees multicast forwarding tables
 * @param options of the subnet
 */
record SubnetSnapshot(SubnetTopology topology, LinearRoutes routes, MulticastTrees trees, SubnetOptions options) {
    private static final int MAX_HOPS = 64;
    private static final int X1 = 1;
    private static final int X12 = 8;

    /** Codes of rates by width (1x, 4x, 12x) and by speed (SDR, DDR, QDR). */
    private static final int[][] RATES = {{2, 5, 3}, {3, 6, 7}, {4, 8, 10}};

    List<SmPort> ends() {
        return topology.ends();
    }

    Gid gid(SmPort end) {
        return gid(end.guid);
    }

    Gid gid(long guid) {
        return new Gid(options.prefix(), guid);
    }

    @Nullable
    SmPort endOf(Gid gid) {
        return ends().stream().filter(end -> gid(end).equals(gid)).findFirst().orElse(null);
    }

    @Nullable
    SmPort endOf(int lid) {
        return ends().stream()
                .filter(end -> lid >> end.lmc == end.lid >> end.lmc)
                .findFirst()
                .orElse(null);
    }

    /** LID of a node at one of its ports: that of port 0 of a switch. */
    static int lidAt(SmPort port) {
        SmPort zero = port.node.isSwitch ? port.node.port(0) : port;
        return zero == null ? 0 : zero.lid;
    }

    /**
     * Follows the forwarding tables; returns the ports that send, or null if they do not lead to the LID.
     *
     * @param from where the packet begins
     */
    @Nullable
    List<SmPort> walk(SmPort from, int lid) {
        SmPort to = endOf(lid);
        if (to == null) {
            return null;
        }
        ArrayList<SmPort> way = new ArrayList<>();
        SmNode at = from.node;
        while (at != to.node && way.size() < MAX_HOPS) {
            SmPort out = at.isSwitch ? routes.port(at, lid) : from;
            SmPort peer = out == null ? null : out.peer;
            if (out == null || peer == null) {
                return null;
            }
            way.add(out);
            at = peer.node;
        }
        return at == to.node ? way : null;
    }

    /** The rate of a port, as records have it. */
    static int rate(SmPort port) {
        int width = port.get(PortInfoAttribute.LINK_WIDTH_ACTIVE);
        int speed = Integer.numberOfTrailingZeros(Math.max(1, port.get(PortInfoAttribute.LINK_SPEED_ACTIVE)));
        int row = width == X1 ? 0 : width == X12 ? 2 : 1;
        return RATES[row][Math.min(speed, 2)];
    }
}
