// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.base.Deadline;
import io.rdma4j.packet.SkBuff;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Packets in flight, ordered by time of arrival, then by order of insertion: a binary heap in arrays that grow as
 * needed.
 */
final class TimedPackets {
    private static final int INITIAL = 16;

    private @Nullable SkBuff[] packets = new SkBuff[INITIAL];
    private long[] times = new long[INITIAL];
    private long[] numbers = new long[INITIAL];
    private int count;
    private long added;

    int count() {
        return count;
    }

    /** Returns the arrival time of the first packet, ns, or {@link Deadline#NEVER}. */
    long firstNs() {
        return count == 0 ? Deadline.NEVER : times[0];
    }

    /** Returns the first packet without removing it; null if there is none, or it is not due yet. */
    @Nullable
    SkBuff due(long nowNs) {
        return count > 0 && times[0] - nowNs <= 0 ? packets[0] : null;
    }

    void add(long timeNs, SkBuff packet) {
        if (count == times.length) {
            packets = Arrays.copyOf(packets, 2 * count);
            times = Arrays.copyOf(times, 2 * count);
            numbers = Arrays.copyOf(numbers, 2 * count);
        }
        int at = count++;
        long number = added++;
        while (at > 0 && isBefore(timeNs, number, (at - 1) / 2)) {
            move((at - 1) / 2, at);
            at = (at - 1) / 2;
        }
        put(at, timeNs, number, packet);
    }

    /** Removes the first packet. The caller ensures that there is one. */
    SkBuff removeFirst() {
        SkBuff first = Objects.requireNonNull(packets[0]);
        int last = --count;
        SkBuff sinking = Objects.requireNonNull(packets[last]);
        long timeNs = times[last];
        long number = numbers[last];
        packets[last] = null;
        int at = 0;
        for (int child = firstChild(at); child < last && !isBefore(timeNs, number, child); child = firstChild(at)) {
            move(child, at);
            at = child;
        }
        if (last > 0) {
            put(at, timeNs, number, sinking);
        }
        return first;
    }

    /** Returns the index of the earlier one of two children. */
    private int firstChild(int at) {
        int left = 2 * at + 1;
        int right = left + 1;
        return right < count && isBefore(times[right], numbers[right], left) ? right : left;
    }

    /** Compares by distance, so that the clock may wrap. */
    private boolean isBefore(long timeNs, long number, int place) {
        long distance = timeNs - times[place];
        return distance < 0 || (distance == 0 && number - numbers[place] < 0);
    }

    private void move(int from, int to) {
        put(to, times[from], numbers[from], packets[from]);
    }

    private void put(int at, long timeNs, long number, @Nullable SkBuff packet) {
        times[at] = timeNs;
        numbers[at] = number;
        packets[at] = packet;
    }

    /** Frees all packets. */
    void purge() {
        while (count > 0) {
            removeFirst().free();
        }
    }
}
