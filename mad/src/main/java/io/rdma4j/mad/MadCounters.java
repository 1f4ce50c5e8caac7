// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

import java.util.concurrent.atomic.AtomicLongArray;

/** The counters of a {@link MadPort}. Any thread. */
public final class MadCounters {
    private final AtomicLongArray values = new AtomicLongArray(MadCounter.values().length);

    MadCounters() {}

    /**
     * {@return the number of events since the port was created}
     *
     * @param counter kind of event
     */
    public long get(MadCounter counter) {
        return values.get(counter.ordinal());
    }

    /**
     * Counts an event. For drivers.
     *
     * @param counter kind of event
     */
    public void count(MadCounter counter) {
        values.incrementAndGet(counter.ordinal());
    }
}
