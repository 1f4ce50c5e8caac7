// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.core;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/** Counts the events of one object that were delivered to the application and not yet acknowledged. Any thread. */
public final class EventCounter {
    private static final AtomicIntegerFieldUpdater<EventCounter> UNACKNOWLEDGED =
            AtomicIntegerFieldUpdater.newUpdater(EventCounter.class, "unacknowledged");

    private volatile int unacknowledged;
    private final String what;

    /** @param what plural noun for messages */
    public EventCounter(String what) {
        this.what = what;
    }

    public void delivered() {
        UNACKNOWLEDGED.incrementAndGet(this);
    }

    /**
     * @throws RdmaException EINVAL if fewer than {@code count} events are unacknowledged, or {@code count} is negative
     */
    public void acknowledge(int count) {
        Arguments.notNegative("number of events", count);
        int before = UNACKNOWLEDGED.getAndUpdate(this, waiting -> waiting >= count ? waiting - count : waiting);
        if (before < count) {
            throw new RdmaException(
                    Errno.EINVAL, count + " " + what + " acknowledged, but only " + before + " were delivered");
        }
    }

    /**
     * Throws instead of waiting as libibverbs does: there, an event that the application never acknowledges blocks the
     * destruction forever.
     *
     * @throws RdmaException EBUSY if events are unacknowledged
     */
    public void checkAcknowledged(String owner) {
        int waiting = unacknowledged;
        if (waiting > 0) {
            throw new RdmaException(
                    Errno.EBUSY, owner + " has " + waiting + " unacknowledged " + what + ": acknowledge them first");
        }
    }
}
