// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import java.util.List;

/** An application of the simulation. It acts when something may have happened, and at times that it chooses. */
public interface Actor {
    /**
     * Acts at this time.
     *
     * @return true if it did something: the simulation calls it again at the same time
     */
    boolean act(long nowNs);

    /** Time of the next action without an event, or {@link io.rdma4j.base.Deadline#NEVER}. */
    long nextActionNs();

    /**
     * True if a call has no effect unless a host had a turn, or this object acted, since the last call. The simulation
     * leaves such calls out. Random polls have an effect: each call draws random numbers.
     */
    default boolean isEventDriven() {
        return false;
    }

    /** The hosts whose events may concern it; empty for all, also those that are added later. */
    default List<SimHost> hosts() {
        return List.of();
    }
}
