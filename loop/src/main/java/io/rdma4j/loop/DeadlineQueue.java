// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import io.rdma4j.base.Deadline;
import java.util.Arrays;

/**
 * Queue of timers: a binary heap with the earliest deadline on top. Belongs to the owner of the loop.
 *
 * <p>A deadline that moves to a later time costs nothing, as that of a retransmission timer does with every
 * acknowledgement. The heap keeps the old, earlier time; when that passes, the timer is queued again with its present
 * deadline.
 */
final class DeadlineQueue {
    private static final int INITIAL_SLOTS = 16;
    static final int NOT_QUEUED = -1;

    private Timed[] heap = new Timed[INITIAL_SLOTS];
    private int size;

    /** Queues {@code timed}, so that it is removed at its next deadline at the latest. */
    void update(Timed timed) {
        long deadlineNs = timed.nextDeadlineNs();
        if (deadlineNs == Deadline.NEVER) {
            return;
        }
        if (timed.heapIndex == NOT_QUEUED) {
            if (size == heap.length) {
                heap = Arrays.copyOf(heap, 2 * size);
            }
            timed.queuedDeadlineNs = deadlineNs;
            place(timed, size++);
            siftUp(timed);
        } else if (deadlineNs - timed.queuedDeadlineNs < 0) {
            timed.queuedDeadlineNs = deadlineNs;
            siftUp(timed);
        }
    }

    /** Earliest queued time, or {@link Deadline#NEVER}. The timer may have nothing to do at that time. */
    long nextNs() {
        return size == 0 ? Deadline.NEVER : heap[0].queuedDeadlineNs;
    }

    /**
     * Calls the timers that are due, and queues them again for their present deadlines. A timer that throws is not
     * queued again, and its client goes out of service.
     *
     * @return true if any timer was due
     */
    boolean fireDue(long nowNs, LoopClients clients) {
        boolean fired = false;
        while (Deadline.isDue(nextNs(), nowNs)) {
            fire(remove(), nowNs, clients);
            fired = true;
        }
        return fired;
    }

    private void fire(Timed due, long nowNs, LoopClients clients) {
        try {
            due.onDeadline(nowNs);
            update(due);
        } catch (Throwable error) {
            LoopClient client = due.client();
            if (client == null) {
                throw error;
            }
            clients.breakDown(client, error);
        }
    }

    /** Removes the earliest timer; the queue must not be empty. */
    Timed remove() {
        Timed top = heap[0];
        remove(top);
        return top;
    }

    void remove(Timed timed) {
        int index = timed.heapIndex;
        if (index == NOT_QUEUED) {
            return;
        }
        timed.heapIndex = NOT_QUEUED;
        Timed last = heap[--size];
        if (last.heapIndex == NOT_QUEUED) {
            return;
        }
        place(last, index);
        siftDown(last);
        siftUp(last);
    }

    private void siftUp(Timed timed) {
        while (timed.heapIndex > 0) {
            Timed parent = heap[(timed.heapIndex - 1) / 2];
            if (!isBefore(timed, parent)) {
                return;
            }
            swap(timed, parent);
        }
    }

    private void siftDown(Timed timed) {
        while (2 * timed.heapIndex + 1 < size) {
            Timed child = heap[2 * timed.heapIndex + 1];
            if (child.heapIndex + 1 < size && isBefore(heap[child.heapIndex + 1], child)) {
                child = heap[child.heapIndex + 1];
            }
            if (!isBefore(child, timed)) {
                return;
            }
            swap(child, timed);
        }
    }

    private void swap(Timed a, Timed b) {
        int index = a.heapIndex;
        place(a, b.heapIndex);
        place(b, index);
    }

    private void place(Timed timed, int index) {
        heap[index] = timed;
        timed.heapIndex = index;
    }

    private static boolean isBefore(Timed a, Timed b) {
        return a.queuedDeadlineNs - b.queuedDeadlineNs < 0;
    }
}
