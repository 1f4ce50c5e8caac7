// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import java.util.Arrays;

/** Departure times of the packets that are queued or being sent, oldest first. The array grows as needed. */
final class Departures {
    private static final int INITIAL = 64;

    private long[] times = new long[INITIAL];
    private int first;
    private int count;

    int count() {
        return count;
    }

    /** Removes the packets that have left by now. */
    void leave(long nowNs) {
        while (count > 0 && times[first] - nowNs <= 0) {
            first = next(first);
            count--;
        }
    }

    void add(long timeNs) {
        if (count == times.length) {
            grow();
        }
        int last = first + count;
        times[last < times.length ? last : last - times.length] = timeNs;
        count++;
    }

    private void grow() {
        long[] more = Arrays.copyOfRange(times, first, first + 2 * times.length);
        System.arraycopy(times, 0, more, times.length - first, first);
        times = more;
        first = 0;
    }

    private int next(int at) {
        return at + 1 == times.length ? 0 : at + 1;
    }
}
