// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

import io.rdma4j.verbs.values.WqState;
import io.rdma4j.verbs.wr.ReceiveBatch;

/** The provider's part of a receive work queue. Any thread. */
public interface WqOps extends AutoCloseable {
    /**
     * Changes the state. Corresponds to {@code ibv_modify_wq}; the core has checked the transition as in
     * {@link io.rdma4j.verbs.WorkQueue#modify} and serializes the calls.
     *
     * @param next the new state
     */
    void modify(WqState next);

    /** {@return the queue's only batch, locked for the calling thread until complete or abort} Allocates nothing. */
    ReceiveBatch startReceive();

    /** Destroys the queue. Corresponds to {@code ibv_destroy_wq}; the core has closed the tables that contained it. */
    @Override
    void close();
}
