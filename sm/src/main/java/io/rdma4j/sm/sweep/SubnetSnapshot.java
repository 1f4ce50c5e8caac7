// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.sweep;

import io.rdma4j.base.Gid;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.sm.routing.LinearRoutes;
import io.rdma4j.sm.routing.MulticastTrees;
import io.rdma4j.sm.topology.SmNode;
import io.rdma4j.sm.topology.SmPort;
import io.rdma4j.sm.topology.SubnetTopology;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the last sweep has found and written, for the subnet administrator. */
public final class SubnetSnapshot {
    private static final int MAX_HOPS = 64;
    private static final int FIRST_EXTENDED = 3;
    private static final int RATE_10 = 3;

    /** Codes of rates by width (1x, 4x, 8x, 12x, 2x) and by speed (SDR, DDR, QDR, FDR, EDR, HDR). */
    private static final int[][] RATES = {
        {2, 5, 3, 11, 15, 20},
        {3, 6, 7, 12, 16, 17},
        {6, 7, 9, 13, 17, 21},
        {4, 8, 10, 14, 18, 22},
        {5, 3, 6, 19, 20, 16}
    };

    private final SubnetTopology topology;
    private final LinearRoutes routes;
    private final MulticastTrees trees;
    private final SubnetOptions options;
    private final Map<Long, SmPort> byGuid;
    private final Map<Integer, SmPort> byLid;

    /** @param topology nodes and ports with their LIDs */
    public SubnetSnapshot(SubnetTopology topology, LinearRoutes routes, MulticastTrees trees, SubnetOptions options) {
        this(topology, routes, trees, options, new HashMap<>(), new HashMap<>());
        for (SmPort end : topology.ends()) {
            byGuid.putIfAbsent(end.guid, end);
            for (int i = 0; i < 1 << end.lmc; i++) {
                byLid.putIfAbsent(end.lid + i, end);
            }
        }
    }

    private SubnetSnapshot(
            SubnetTopology topology,
            LinearRoutes routes,
            MulticastTrees trees,
            SubnetOptions options,
            Map<Long, SmPort> byGuid,
            Map<Integer, SmPort> byLid) {
        this.topology = topology;
        this.routes = routes;
        this.trees = trees;
        this.options = options;
        this.byGuid = byGuid;
        this.byLid = byLid;
    }

    /** Returns the same subnet with other multicast trees. */
    SubnetSnapshot with(MulticastTrees changed) {
        return new SubnetSnapshot(topology, routes, changed, options, byGuid, byLid);
    }

    public SubnetTopology topology() {
        return topology;
    }

    public LinearRoutes routes() {
        return routes;
    }

    public MulticastTrees trees() {
        return trees;
    }

    public SubnetOptions options() {
        return options;
    }

    public List<SmPort> ends() {
        return topology.ends();
    }

    public Gid gid(SmPort end) {
        return gid(end.guid);
    }

    public Gid gid(long guid) {
        return new Gid(options.prefix(), guid);
    }

    /** Returns the port with a GID, which may be that of a further GUID. */
    @Nullable
    public SmPort endOf(Gid gid) {
        SmPort first = gid.prefix() == options.prefix() ? byGuid.get(gid.interfaceId()) : null;
        return first != null
                ? first
                : ends().stream().filter(end -> has(end, gid)).findFirst().orElse(null);
    }

    /** True if a GID is one of a port's: that of its GUID, or of a further one. */
    public boolean has(SmPort end, Gid gid) {
        return gid.prefix() == options.prefix() && end.hasGuid(gid.interfaceId());
    }

    @Nullable
    public SmPort endOf(int lid) {
        return byLid.get(lid);
    }

    /** LID of a node at one of its ports: that of port 0 of a switch. */
    public static int lidAt(SmPort port) {
        SmPort zero = port.node.isSwitch ? port.node.port(0) : port;
        return zero == null ? 0 : zero.lid;
    }

    /**
     * Follows the forwarding tables; returns the ports that send, or null if they do not lead to the LID.
     *
     * @param from where the packet begins
     */
    @Nullable
    public List<SmPort> walk(SmPort from, int lid) {
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

    /** The rate of a port, as records have it; that of port 0 of a switch, which has no link, is that of 4X SDR. */
    public static int rate(SmPort port) {
        if (port.get(PortInfoAttribute.LINK_WIDTH_ACTIVE) == 0) {
            return RATE_10;
        }
        int width = index(port.get(PortInfoAttribute.LINK_WIDTH_ACTIVE), RATES.length);
        int extended = port.get(PortInfoAttribute.LINK_SPEED_EXT_ACTIVE);
        int speed = extended == 0
                ? index(port.get(PortInfoAttribute.LINK_SPEED_ACTIVE), FIRST_EXTENDED)
                : FIRST_EXTENDED + index(extended, RATES[0].length - FIRST_EXTENDED);
        return RATES[width][speed];
    }

    /** The number of the bit that is set; that of an unknown value is the next one that is known. */
    private static int index(int bits, int known) {
        return Math.min(Integer.numberOfTrailingZeros(Math.max(1, bits)), known - 1);
    }
}
