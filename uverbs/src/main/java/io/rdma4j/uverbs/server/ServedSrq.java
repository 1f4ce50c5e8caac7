package io.rdma4j.uverbs.server;

import io.rdma4j.verbs.SharedReceiveQueue;

/** A shared receive queue and the file that it lies in. */
record ServedSrq(SharedReceiveQueue srq, MovableQueue memory) implements AutoCloseable {
    @Override
    public void close() {
        srq.close();
        memory.delete();
    }
}
