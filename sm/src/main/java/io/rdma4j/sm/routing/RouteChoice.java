// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.routing;

import io.rdma4j.sm.topology.SmNode;
import io.rdma4j.sm.topology.SmPort;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a routing engine decides. */
interface RouteChoice {
    /** Returns the ports by which packets may leave a switch for another one, by number; none if there is no way. */
    List<SmPort> candidates(SmNode from, SmNode to);

    /**
     * Chooses one of the candidates for a LID.
     *
     * @param index number of the LID among those of its port
     * @param load what earlier LIDs have taken
     */
    @Nullable
    SmPort choose(List<SmPort> candidates, SmPort end, int index, PortLoad load);
}
