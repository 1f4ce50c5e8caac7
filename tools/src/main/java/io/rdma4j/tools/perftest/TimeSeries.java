package io.rdma4j.tools.perftest;

import java.util.Arrays;

/** Times in the order in which they were measured. Belongs to one thread; adding allocates nothing. */
final class TimeSeries {
    private final long[] times;
    private int count;

    /** @param capacity times that are kept; later ones are dropped */
    TimeSeries(int capacity) {
        times = new long[capacity];
    }

    void add(long ns) {
        if (count < times.length) {
            times[count++] = ns;
        }
    }

    /** A new measurement begins. */
    void reset() {
        count = 0;
    }

    /** A copy: the times in nanoseconds, as they were measured. */
    long[] values() {
        return Arrays.copyOf(times, count);
    }

    /** A copy, the shortest first. */
    long[] sorted() {
        long[] values = values();
        Arrays.sort(values);
        return values;
    }

    /** A copy that is not changed by the next measurement. */
    TimeSeries copy() {
        TimeSeries copy = new TimeSeries(count);
        for (int i = 0; i < count; i++) {
            copy.add(times[i]);
        }
        return copy;
    }
}
