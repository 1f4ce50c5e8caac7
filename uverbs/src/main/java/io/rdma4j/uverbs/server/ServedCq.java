// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.verbs.CompletionQueue;

/** A completion queue and its shared memory. */
record ServedCq(CompletionQueue cq, QueueMemory memory, SessionEvents events) implements AutoCloseable {
    @Override
    public void close() {
        events.betweenEvents(cq::close);
        memory.delete();
    }
}
