package io.rdma4j.verbs.spi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.CompletionCursor;

/** A completion queue. Any thread may call. */
public interface CqOps extends AutoCloseable {
    /** Completions it holds, at least what was asked for. */
    int capacity();

    /** {@code ibv_start_poll}: the queue's one cursor, locked for the calling thread until it is closed. No allocation. */
    CompletionCursor startPoll();

    /**
     * {@code ibv_req_notify_cq}: the next completion is told to {@link CqEvents#completion} once. Entries that are there
     * already do not count.
     *
     * @param solicitedOnly wait for one that the sender marked as solicited, or that failed
     * @return true if completions wait in the queue already
     */
    boolean requestNotification(boolean solicitedOnly);

    /**
     * {@code ibv_resize_cq}, while the queue is in use.
     *
     * @param entries completions it must hold at least, within the device's limit
     * @throws RdmaException EINVAL if more than {@code entries} completions wait; EOPNOTSUPP if the provider cannot
     */
    default void resize(int entries) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device does not resize completion queues");
    }

    /** {@code ibv_destroy_cq}; the queue pairs that used it have been closed. */
    @Override
    void close();
}
