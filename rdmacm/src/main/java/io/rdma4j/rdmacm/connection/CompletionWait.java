// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.connection;

import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.util.List;
import java.util.Objects;

/** Waits for completions of a queue that has a channel. One thread for each queue at a time. */
final class CompletionWait {
    private CompletionWait() {}

    static WorkCompletion next(CompletionQueue cq) throws InterruptedException {
        CompletionChannel channel = Objects.requireNonNull(cq.channel(), "a queue with a channel");
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
}
