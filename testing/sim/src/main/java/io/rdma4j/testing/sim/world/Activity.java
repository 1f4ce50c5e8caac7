// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import java.util.List;

/** An application of the simulation that has an end, or several of them. */
public interface Activity extends Actor {
    /** The applications that act, in the order of their turns. */
    default List<? extends Actor> actors() {
        return List.of(this);
    }

    /** True when all work is done and all requests have completed. */
    boolean isDone();

    /** Number of completed requests; grows as long as there is progress. */
    int steps();

    /** Number of results: messages, or operations. */
    int achieved();

    /** Checks the results at the end; no request or packet is outstanding. */
    void checkEnd();
}
