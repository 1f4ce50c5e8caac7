// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

/** An application of the simulation that has an end. */
public interface Activity extends Actor {
    /** True when all work is done and all requests have completed. */
    boolean isDone();

    /** Number of completed requests; grows as long as there is progress. */
    int steps();

    /** Number of results: messages, or operations. */
    int achieved();

    /** Checks the results at the end; no request or packet is outstanding. */
    void checkEnd();
}
