package io.rdma4j.uverbs.server;

import io.rdma4j.verbs.QueuePair;

/** A queue pair and the file that its queues lie in. */
record ServedQp(QueuePair qp, QueueFile file) implements AutoCloseable {
    @Override
    public void close() {
        qp.close();
        file.delete();
    }
}
