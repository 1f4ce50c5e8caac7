// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import io.rdma4j.base.Deadline;
import java.util.Arrays;

/** Timers ordered by their deadlines: a binary heap from which a timer can be removed. */
final class TimerHeap {
    private static final int NONE = -1;
    private static final int INITIAL_SIZE = 16;

    /** A timer; runs at most once for each start. */
    abstract static class Timer {
        private long deadlineNs;
        private int index = NONE;

        /** Called when the time is over; the timer may be started again. */
        abstract void expire();

        boolean isRunning() {
            return index != NONE;
        }

        long deadlineNs() {
            return isRunning() ? deadlineNs : Deadline.NEVER;
        }
    }

    /** Stands in free slots, so that they keep no timer alive. */
    private static final Timer NO_TIMER = new Timer() {
        @Override
        void expire() {}
    };

    Timer[] heap = new Timer[INITIAL_SIZE];
    private int size;

    /** Starts a timer, or moves the deadline of a running one. */
    void start(Timer timer, long deadlineNs) {
        stop(timer);
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, 2 * size);
        }
        timer.deadlineNs = deadlineNs;
        size++;
        moveUp(timer, size - 1);
    }

    /** Stops a timer; it may be stopped already. */
    void stop(Timer timer) {
        if (!timer.isRunning()) {
            return;
        }
        int hole = timer.index;
        timer.index = NONE;
        size--;
        Timer last = heap[size];
        heap[size] = NO_TIMER;
        if (hole != size) {
            moveUp(last, hole);
            moveDown(last);
        }
    }

    /** Runs the timers that are due, the earliest first. */
    void advance(long nowNs) {
        while (size > 0 && Deadline.isDue(heap[0].deadlineNs, nowNs)) {
            Timer due = heap[0];
            stop(due);
            due.expire();
        }
    }

    /** The earliest deadline, or {@link Deadline#NEVER}. */
    long nextNs() {
        return size == 0 ? Deadline.NEVER : heap[0].deadlineNs;
    }

    int size() {
        return size;
    }

    private static boolean isBefore(Timer a, Timer b) {
        return a.deadlineNs - b.deadlineNs < 0;
    }

    private void put(Timer timer, int index) {
        heap[index] = timer;
        timer.index = index;
    }

    private void moveUp(Timer timer, int from) {
        int index = from;
        while (index > 0 && isBefore(timer, heap[(index - 1) / 2])) {
            put(heap[(index - 1) / 2], index);
            index = (index - 1) / 2;
        }
        put(timer, index);
    }

    private void moveDown(Timer timer) {
        int index = timer.index;
        while (2 * index + 1 < size) {
            int child = 2 * index + 1;
            if (child + 1 < size && isBefore(heap[child + 1], heap[child])) {
                child++;
            }
            if (!isBefore(heap[child], timer)) {
                break;
            }
            put(heap[child], index);
            index = child;
        }
        put(timer, index);
    }
}
