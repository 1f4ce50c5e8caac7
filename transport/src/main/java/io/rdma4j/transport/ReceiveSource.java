package io.rdma4j.transport;

import io.rdma4j.verbs.queue.CompletionRing;

/** Where a responder takes receive requests from: a queue of its own, or one that many share. */
sealed interface ReceiveSource permits OwnReceives, SharedSource {
    /**
     * Points {@code slot} at the oldest request.
     *
     * @return false if none is posted
     */
    boolean take(ReceiveSlot slot);

    /** The request that was taken last has been completed, or will be at once. */
    void release();

    /** Forgets what is posted and is this queue pair's alone. */
    void reset();

    /** Requests that are posted for this queue pair alone, and that it has not completed. */
    int ownWaiting();

    /** True if the requests are not this queue pair's alone. */
    boolean isShared();

    /** The protection domain that the memory of the requests must belong to. */
    Object protectionDomain();

    /** True once requests can no longer be read: the memory of the queue is gone. */
    boolean isBroken();

    /** Where the requests complete. */
    CompletionRing completions();
}
