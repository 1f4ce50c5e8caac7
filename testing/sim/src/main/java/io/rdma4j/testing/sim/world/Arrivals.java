// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import io.rdma4j.base.Deadline;

/** Packets on their way to the loops of a {@code Cell}. */
interface Arrivals {
    /** Delivers what is due; true if there was something. */
    boolean deliver();

    /** Time of the next arrival, or {@link Deadline#NEVER}. */
    long nextArrivalNs();
}
