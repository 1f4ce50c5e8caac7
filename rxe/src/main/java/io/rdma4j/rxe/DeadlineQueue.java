package io.rdma4j.rxe;

import io.rdma4j.base.Deadline;
import java.util.Arrays;

/**
 * The queue pairs that wait for a point in time: a binary heap, the earliest on top. Belongs to the owner of the port loop.
 *
 * <p>A deadline that moves back, as a retransmission timer does with every acknowledgement, costs nothing: the heap keeps
 * the old, earlier one, and the queue pair is put right when that comes up.
 */
final class DeadlineQueue {
    private static final int INITIAL_SLOTS = 16;
    private static final int NOT_QUEUED = -1;

    private LoopQp[] heap = new LoopQp[INITIAL_SLOTS];
    private int size;

    /** Makes sure that {@code qp} comes up at its engine's next deadline at the latest. */
    void update(LoopQp qp) {
        long deadlineNs = qp.engine().nextDeadlineNs();
        if (deadlineNs == Deadline.NEVER) {
            return;
        }
        if (qp.heapIndex == NOT_QUEUED) {
            if (size == heap.length) {
                heap = Arrays.copyOf(heap, 2 * size);
            }
            qp.queuedDeadlineNs = deadlineNs;
            place(qp, size++);
            siftUp(qp);
        } else if (deadlineNs - qp.queuedDeadlineNs < 0) {
            qp.queuedDeadlineNs = deadlineNs;
            siftUp(qp);
        }
    }

    /** When the earliest comes up, or {@link Deadline#NEVER}; its queue pair may turn out to have nothing to do then. */
    long nextNs() {
        return size == 0 ? Deadline.NEVER : heap[0].queuedDeadlineNs;
    }

    /** Takes the earliest off; there is one. */
    LoopQp remove() {
        LoopQp top = heap[0];
        remove(top);
        return top;
    }

    void remove(LoopQp qp) {
        int index = qp.heapIndex;
        if (index == NOT_QUEUED) {
            return;
        }
        qp.heapIndex = NOT_QUEUED;
        LoopQp last = heap[--size];
        if (last.heapIndex == NOT_QUEUED) {
            return;
        }
        place(last, index);
        siftDown(last);
        siftUp(last);
    }

    private void siftUp(LoopQp qp) {
        while (qp.heapIndex > 0) {
            LoopQp parent = heap[(qp.heapIndex - 1) / 2];
            if (!isBefore(qp, parent)) {
                return;
            }
            swap(qp, parent);
        }
    }

    private void siftDown(LoopQp qp) {
        while (2 * qp.heapIndex + 1 < size) {
            LoopQp child = heap[2 * qp.heapIndex + 1];
            if (child.heapIndex + 1 < size && isBefore(heap[child.heapIndex + 1], child)) {
                child = heap[child.heapIndex + 1];
            }
            if (!isBefore(child, qp)) {
                return;
            }
            swap(child, qp);
        }
    }

    private void swap(LoopQp a, LoopQp b) {
        int index = a.heapIndex;
        place(a, b.heapIndex);
        place(b, index);
    }

    private void place(LoopQp qp, int index) {
        heap[index] = qp;
        qp.heapIndex = index;
    }

    private static boolean isBefore(LoopQp a, LoopQp b) {
        return a.queuedDeadlineNs - b.queuedDeadlineNs < 0;
    }
}
