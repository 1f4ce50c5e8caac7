// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.verbs.QueuePair;

/**
 * A queue pair, its shared memory and its doorbell.
 *
 * @param memory unused for an XRC target queue pair, which has no queues
 * @param doorbell index in {@code doorbells}
 */
record ServedQp(QueuePair qp, QueueMemory memory, SessionDoorbells doorbells, int doorbell) implements AutoCloseable {
    @Override
    public void close() {
        doorbells.remove(doorbell, qp);
        qp.close();
        memory.delete();
    }
}
