// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.port;

import io.rdma4j.verbs.spi.ring.CompletionRing;

/** The source of a responder's receive requests: its own queue, or a shared one. */
public interface ReceiveSource {
    /**
     * Points {@code request} at the oldest request.
     *
     * @return false if none is posted
     */
    boolean take(ReceiveWqe request);

    /** Releases the request that was taken last: it has been completed, or will be at once. */
    void release();

    /** Discards what is posted to the queue pair's own queue. */
    void reset();

    /** Requests in the queue pair's own queue that it has not completed. */
    int ownWaiting();

    /** True if the requests come from a shared queue. */
    boolean isShared();

    /** The protection domain that the memory of the requests must belong to. */
    Object protectionDomain();

    /** True if requests can no longer be read, because the memory of the queue is not accessible. */
    boolean isBroken();

    /** The completion queue of the requests. */
    CompletionRing completions();
}
