package io.rdma4j.rxe;

/** Something of the device that waits for a point in time; see {@link DeadlineQueue}. Belongs to the owner of the port loop. */
abstract class Timed {
    /** Its place in the heap; none while it is not queued. */
    int heapIndex = DeadlineQueue.NOT_QUEUED;

    /** When it comes up: at its deadline, or before. */
    long queuedDeadlineNs;

    /** What it waits for, or {@link io.rdma4j.base.Deadline#NEVER}; may change at any time. */
    abstract long nextDeadlineNs();

    /** It has come up; its deadline may be later by now. It is no longer queued. */
    abstract void onDeadline(long nowNs);
}
