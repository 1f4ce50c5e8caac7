// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.connection;

import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.util.concurrent.locks.ReentrantLock;

/** A completion queue, and the lock of the thread that waits for its completions. */
record WaitingQueue(CompletionQueue cq, ReentrantLock lock) {
    WaitingQueue(CompletionQueue cq) {
        this(cq, new ReentrantLock(true));
    }

    /** The next completion, with the lock held. */
    WorkCompletion take() throws InterruptedException {
        return CompletionWait.next(cq);
    }
}
