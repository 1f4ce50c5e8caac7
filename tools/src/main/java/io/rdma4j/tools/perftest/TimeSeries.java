// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import java.util.Arrays;

/** Times in the order of measurement. One thread; adding does not allocate. */
final class TimeSeries {
    private final long[] times;
    private int count;

    /** @param capacity number of times that are kept; later ones are dropped */
    TimeSeries(int capacity) {
        times = new long[capacity];
    }

    void add(long ns) {
        if (count < times.length) {
            times[count++] = ns;
        }
    }

    /** Starts a new measurement. */
    void reset() {
        count = 0;
    }

    /** Copies the times in nanoseconds, in the order of measurement. */
    long[] values() {
        return Arrays.copyOf(times, count);
    }

    /** Copies the times in ascending order. */
    long[] sorted() {
        long[] values = values();
        Arrays.sort(values);
        return values;
    }

    /** Returns a copy that the next measurement does not change. */
    TimeSeries copy() {
        TimeSeries copy = new TimeSeries(count);
        for (int i = 0; i < count; i++) {
            copy.add(times[i]);
        }
        return copy;
    }
}
