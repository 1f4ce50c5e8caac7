package io.rdma4j.verbs.spi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.CompletionCursor;

/** A completion queue. Any thread may call. */
public interface CqOps extends AutoCloseable {
    /** {@return completions it holds, at least what was asked for} */
    int capacity();

    /**
     * {@return the queue's one cursor, locked for the calling thread until it is closed} Answers to
     * {@code ibv_start_poll}. No allocation.
     */
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
     * {@code ib_req_ncomp_notif}: told to {@link CqEvents#completion} once, as soon as so many completions wait, those that do
     * already included. The last request counts.
     *
     * @param completions 1..{@link #capacity}
     * @throws RdmaException EOPNOTSUPP if the provider cannot
     */
    default void requestNotificationAt(int completions) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device gives no notification after a number of completions");
    }

    /**
     * {@return how many completions wait} Answers to {@code ib_peek_cq}.
     *
     * @throws RdmaException EOPNOTSUPP if the provider cannot say
     */
    default int waiting() {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device does not count the completions that wait");
    }

    /**
     * {@code ibv_modify_cq}: moderates notifications.
     *
     * @param count completions from one to the next: 16 bits, 0 for no such rule
     * @param periodUs time after which the next comes all the same: 16 bits, 0 for no such rule
     * @throws RdmaException EOPNOTSUPP if the provider cannot
     */
    default void moderate(int count, int periodUs) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device does not moderate completion events");
    }

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
