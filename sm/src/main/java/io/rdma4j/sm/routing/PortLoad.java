// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.routing;

import io.rdma4j.sm.topology.SmNode;
import io.rdma4j.sm.topology.SmPort;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The LIDs on the ports of one switch. */
final class PortLoad {
    private final int[] lids;
    /** Neighbours that lead to other LIDs of the port to which a route is sought. */
    private final Set<SmNode> taken = new HashSet<>();

    PortLoad(int portCount) {
        this.lids = new int[portCount + 1];
    }

    /** Routes to another port begin. */
    void begin() {
        taken.clear();
    }

    void add(SmPort port) {
        lids[port.number]++;
        if (port.peer != null) {
            taken.add(port.peer.node);
        }
    }

    /** Returns the port with the fewest LIDs, first among neighbours that lead to no other LID of the port. */
    @Nullable
    SmPort least(List<SmPort> candidates) {
        SmPort best = null;
        for (SmPort port : candidates) {
            if (best == null || isBetter(port, best)) {
                best = port;
            }
        }
        return best;
    }

    private boolean isBetter(SmPort port, SmPort than) {
        boolean isTaken = taken.contains(port.peerNode());
        return isTaken == taken.contains(than.peerNode()) ? lids[port.number] < lids[than.number] : !isTaken;
    }
}
