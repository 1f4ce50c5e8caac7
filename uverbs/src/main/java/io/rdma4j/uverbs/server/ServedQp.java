package io.rdma4j.uverbs.server;

import io.rdma4j.verbs.QueuePair;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair and the file that its queues lie in.
 *
 * @param file null for an XRC target, which has no queues
 * @param doorbell its place among {@code doorbells}
 */
record ServedQp(QueuePair qp, @Nullable QueueFile file, SessionDoorbells doorbells, int doorbell)
        implements AutoCloseable {
    @Override
    public void close() {
        doorbells.remove(doorbell, qp);
        qp.close();
        if (file != null) {
            file.delete();
        }
    }
}
