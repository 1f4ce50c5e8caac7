// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import org.jspecify.annotations.Nullable;

/**
 * A timer: an object with a deadline, see {@link NetLoop#schedule} ({@code struct timer_list}). Belongs to the owner of
 * the loop.
 */
public abstract class Timed {
    /** Index in the heap, or {@link DeadlineQueue#NOT_QUEUED}. */
    int heapIndex = DeadlineQueue.NOT_QUEUED;

    /** Time at which the loop removes it from the queue: at its deadline, or before. */
    long queuedDeadlineNs;

    /** Creates a timer that is not queued. */
    protected Timed() {}

    /**
     * {@return the deadline, nanoseconds of the loop's clock, or {@link io.rdma4j.base.Deadline#NEVER}; may change at
     * any time}
     */
    protected abstract long nextDeadlineNs();

    /**
     * Handles that the queued deadline has passed. The timer is no longer queued. Its present deadline may be later.
     *
     * @param nowNs nanoseconds of the loop's clock
     */
    protected abstract void onDeadline(long nowNs);

    /** {@return the client that goes out of service if {@link #onDeadline} throws; null for all clients of the loop} */
    protected @Nullable LoopClient client() {
        return null;
    }
}
