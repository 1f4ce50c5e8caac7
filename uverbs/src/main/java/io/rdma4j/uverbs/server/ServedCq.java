package io.rdma4j.uverbs.server;

import io.rdma4j.verbs.CompletionQueue;

/** A completion queue and the file that it lies in. */
record ServedCq(CompletionQueue cq, MovableQueue memory, SessionEvents events) implements AutoCloseable {
    @Override
    public void close() {
        events.betweenEvents(cq::close);
        memory.delete();
    }
}
