// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import io.rdma4j.base.Deadline;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Times of the next events of numbered parts of a simulation, and the set of parts that are due at the current time. A
 * binary heap of part numbers, ordered by time. Parts with equal times are due together. One thread.
 */
final class Agenda {
    private static final int INITIAL_PARTS = 16;
    private static final int ABSENT = -1;

    /** Parts that take part in the rounds of the current time. */
    private final BitSet due = new BitSet();

    /** Due parts that need a turn: they were woken after their last turn began. */
    private final BitSet again = new BitSet();

    /** Time of each part; {@link Deadline#NEVER} for parts that are not in the heap. */
    private long[] timesNs = new long[INITIAL_PARTS];

    /** Index of each part in the heap, or {@link #ABSENT}. */
    private int[] places = new int[INITIAL_PARTS];

    private int[] heap = new int[INITIAL_PARTS];
    private int parts;
    private int size;

    /** Adds a part without an event; returns its number. The first is 0. */
    int add() {
        if (parts == timesNs.length) {
            timesNs = Arrays.copyOf(timesNs, 2 * parts);
            places = Arrays.copyOf(places, 2 * parts);
            heap = Arrays.copyOf(heap, 2 * parts);
        }
        timesNs[parts] = Deadline.NEVER;
        places[parts] = ABSENT;
        return parts++;
    }

    /** Number of parts. */
    int parts() {
        return parts;
    }

    /** Sets the time of a part's next event; {@link Deadline#NEVER} for none. */
    void schedule(int part, long timeNs) {
        if (timesNs[part] == timeNs) {
            return;
        }
        timesNs[part] = timeNs;
        if (timeNs == Deadline.NEVER) {
            remove(part);
        } else if (places[part] == ABSENT) {
            put(part, size++);
            siftUp(part);
        } else {
            siftUp(part);
            siftDown(part);
        }
    }

    /** Time of the next event of any part, or {@link Deadline#NEVER}. */
    long nextNs() {
        return size == 0 ? Deadline.NEVER : timesNs[heap[0]];
    }

    /** Makes a part due now, in addition to its time. */
    void wake(int part) {
        due.set(part);
        again.set(part);
    }

    /** Makes the parts due whose time has come. */
    void wakeUntil(long nowNs) {
        while (Deadline.isDue(nextNs(), nowNs)) {
            int part = heap[0];
            wake(part);
            schedule(part, Deadline.NEVER);
        }
    }

    /** Returns the first due part from {@code part} on, or -1. */
    int nextDue(int part) {
        return due.nextSetBit(part);
    }

    /** Returns the first due part from {@code part} on that was woken after its last turn began, or -1. */
    int nextWoken(int part) {
        return again.nextSetBit(part);
    }

    /** True if a part was woken after its last turn began. */
    boolean isWoken(int part) {
        return again.get(part);
    }

    /** Begins the turn of a due part. It remains due until {@link #endTurn}. */
    void beginTurn(int part) {
        again.clear(part);
    }

    /** Ends the turns of a part at the current time. The part remains due if it was woken after its last turn began. */
    void endTurn(int part, long nextNs) {
        schedule(part, nextNs);
        due.set(part, again.get(part));
    }

    private void remove(int part) {
        int place = places[part];
        if (place == ABSENT) {
            return;
        }
        places[part] = ABSENT;
        int last = heap[--size];
        if (last != part) {
            put(last, place);
            siftUp(last);
            siftDown(last);
        }
    }

    private void siftUp(int part) {
        int place = places[part];
        while (place > 0) {
            int parent = heap[(place - 1) / 2];
            if (!isBefore(part, parent)) {
                break;
            }
            put(parent, place);
            place = (place - 1) / 2;
        }
        put(part, place);
    }

    private void siftDown(int part) {
        int place = places[part];
        while (2 * place + 1 < size) {
            int below = 2 * place + 1;
            if (below + 1 < size && isBefore(heap[below + 1], heap[below])) {
                below++;
            }
            if (!isBefore(heap[below], part)) {
                break;
            }
            put(heap[below], place);
            place = below;
        }
        put(part, place);
    }

    private void put(int part, int place) {
        heap[place] = part;
        places[part] = place;
    }

    /** Compares the difference, so that the clock may wrap. */
    private boolean isBefore(int a, int b) {
        return timesNs[a] - timesNs[b] < 0;
    }
}
