// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.wr.CompletionCursor;

/** The provider's part of a completion queue. Any thread. */
public interface CqOps extends AutoCloseable {
    /** {@return capacity in completions, at least the requested one} */
    int capacity();

    /**
     * {@return the queue's only cursor, locked for the calling thread until it is closed} Corresponds to
     * {@code ibv_start_poll}. Allocates nothing.
     */
    CompletionCursor startPoll();

    /**
     * Requests one call of {@link CqEvents#completion} at the next completion. Completions that already wait do not
     * count. Corresponds to {@code ibv_req_notify_cq}.
     *
     * @param solicitedOnly true to ignore completions that the sender did not mark as solicited, except failed ones
     * @return true if completions already wait in the queue
     */
    boolean requestNotification(boolean solicitedOnly);

    /**
     * Requests one call of {@link CqEvents#completion} once at least {@code completions} wait, including those that
     * already wait. Replaces an earlier request of this kind. Corresponds to {@code ib_req_ncomp_notif}.
     *
     * @param completions 1..{@link #capacity}
     * @throws RdmaException EOPNOTSUPP if the provider does not support it
     */
    default void requestNotificationAt(int completions) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device gives no notification after a number of completions");
    }

    /**
     * {@return the number of waiting completions} Corresponds to {@code ib_peek_cq}.
     *
     * @throws RdmaException EOPNOTSUPP if the provider does not support it
     */
    default int waiting() {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device does not count the completions that wait");
    }

    /**
     * Moderates notifications. Corresponds to {@code ibv_modify_cq}.
     *
     * @param count completions per notification: 16 bits, 0 for no such rule
     * @param periodUs maximum time between two notifications in µs: 16 bits, 0 for no such rule
     * @throws RdmaException EOPNOTSUPP if the provider does not support it
     */
    default void moderate(int count, int periodUs) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device does not moderate completion events");
    }

    /**
     * Resizes the queue while it is in use. Corresponds to {@code ibv_resize_cq}.
     *
     * @param entries minimum capacity in completions, within the device's limit
     * @throws RdmaException EINVAL if more than {@code entries} completions wait; EOPNOTSUPP if the provider does not
     *     support it
     */
    default void resize(int entries) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device does not resize completion queues");
    }

    /**
     * Removes the waiting completions of a queue pair that has gone to RESET.
     *
     * @param qpNumber 24 bits; the queue pair posts no completions meanwhile
     */
    void discard(int qpNumber);

    /** Destroys the queue. Corresponds to {@code ibv_destroy_cq}; the core has closed the queue pairs that used it. */
    @Override
    void close();
}
