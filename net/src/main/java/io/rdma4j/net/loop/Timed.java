package io.rdma4j.net.loop;

import org.jspecify.annotations.Nullable;

/**
 * Something that waits for a point in time, see {@link NetLoop#schedule} ({@code struct timer_list}). Belongs to the owner of
 * the loop.
 */
public abstract class Timed {
    /** Its place in the heap; none while it is not queued. */
    int heapIndex = DeadlineQueue.NOT_QUEUED;

    /** When it comes up: at its deadline, or before. */
    long queuedDeadlineNs;

    /** For subclasses: not queued. */
    protected Timed() {}

    /**
     * {@return what it waits for, nanoseconds of the loop's clock, or {@link io.rdma4j.base.Deadline#NEVER}; may change
     * at any time}
     */
    protected abstract long nextDeadlineNs();

    /**
     * It has come up; its deadline may be later by now. It is no longer queued.
     *
     * @param nowNs of the loop's clock
     */
    protected abstract void onDeadline(long nowNs);

    /** {@return the client that goes out of service if {@link #onDeadline} throws; null for all clients of the loop} */
    protected @Nullable LoopClient client() {
        return null;
    }
}
