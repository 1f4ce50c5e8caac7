package io.rdma4j.verbs.spi;

import io.rdma4j.verbs.ReceiveBatch;
import io.rdma4j.verbs.WqState;

/** A receive queue for indirection tables. Any thread may call. */
public interface WqOps extends AutoCloseable {
    /**
     * {@code ibv_modify_wq}: one of the arrows of {@link io.rdma4j.verbs.WorkQueue#modify}; one call at a time.
     *
     * @param next another state
     */
    void modify(WqState next);

    /** {@return the queue's one batch, locked for the calling thread until complete or abort} No allocation. */
    ReceiveBatch startReceive();

    /** {@code ibv_destroy_wq}; the tables that named it have been closed. */
    @Override
    void close();
}
