// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.program;

import io.rdma4j.testing.sim.world.Actor;
import io.rdma4j.verbs.wr.WorkCompletion;

/** Checks the messages that arrive in one direction of a connection and provides their receives. */
interface Target extends Actor {
    /** Flag in the {@code wr_id} of receives; sends and receives may share a completion queue. */
    long WR_ID_MARK = 1L << 40;

    /** Handles a completed receive of its queue pair; {@code dying}: the connection is being closed. */
    void onCompletion(WorkCompletion wc, boolean dying);

    /** Number of messages received. */
    int received();

    /** True if no more messages are expected. */
    boolean isDone();

    /** True if every receive that was posted for this queue pair only has completed. */
    boolean isIdle();

    /** Continues with the next message that was not received; the connection has been made again. */
    void restart();

    /** Checks at the end that nothing was lost. */
    void checkEnd();
}
