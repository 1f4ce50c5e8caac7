// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.connection;

import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** A completion queue for which threads wait, also virtual ones; one after the other. */
final class WaitingQueue implements AutoCloseable {
    private final CompletionChannel channel;
    private final CompletionQueue cq;
    private final ReentrantLock lock = new ReentrantLock(true);

    WaitingQueue(Context context, int entries) {
        channel = context.createCompletionChannel();
        cq = context.createCq(entries, channel);
    }

    CompletionQueue cq() {
        return cq;
    }

    ReentrantLock lock() {
        return lock;
    }

    /** The next completion, with the lock held. */
    WorkCompletion take() throws InterruptedException {
        List<WorkCompletion> completions = cq.poll(1);
        while (completions.isEmpty()) {
            // The event covers completions after this call; earlier ones must be polled.
            if (!cq.requestNotification(false)) {
                channel.getEvent().acknowledgeEvents(1);
            }
            completions = cq.poll(1);
        }
        return completions.getFirst();
    }

    @Override
    public void close() {
        cq.close();
        channel.close();
    }
}
