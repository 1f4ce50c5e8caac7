// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.verbs.SharedReceiveQueue;

/** A shared receive queue and its shared memory. */
record ServedSrq(SharedReceiveQueue srq, QueueMemory memory) implements AutoCloseable {
    @Override
    public void close() {
        srq.close();
        memory.delete();
    }
}
