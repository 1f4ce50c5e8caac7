package io.rdma4j.verbs.queue;

/** What the device's end of a completion queue asks of the device around it; none of it may block or allocate. */
public interface CompletionOwner {
    /** The event that was asked for has come; any thread. */
    void completion();

    /** The queue broke; by the owner of the port loop, once. */
    void error();

    /** {@return now, in nanoseconds of the device's clock; any thread} */
    long nanoTime();

    /** {@link CompletionRing#nextDeadlineNs} has changed; by the owner of the port loop. */
    void deadlineChanged();
}
