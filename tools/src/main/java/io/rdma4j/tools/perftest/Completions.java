// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.wr.CompletionCursor;
import io.rdma4j.verbs.wr.WcStatus;
import java.util.Locale;

/** Polls a completion queue and rejects failed completions. One thread; does not allocate. */
final class Completions {
    private final CompletionQueue cq;
    private final String side;
    private final int[] queuePairs;

    /**
     * Creates a poller.
     *
     * @param side name of this end in error messages
     * @param batch maximum completions per poll
     */
    Completions(CompletionQueue cq, String side, int batch) {
        this.cq = cq;
        this.side = side;
        this.queuePairs = new int[batch];
    }

    /** Polls up to a batch; returns their number. An empty poll drives the device. */
    int poll() throws ToolFailure {
        int count = 0;
        try (CompletionCursor completion = cq.startPoll()) {
            while (count < queuePairs.length && completion.next()) {
                if (completion.status() != WcStatus.SUCCESS) {
                    throw failed(completion);
                }
                queuePairs[count++] = (int) completion.wrId();
            }
        }
        return count;
    }

    /** Index of the queue pair of completion {@code i} of the last poll. */
    int queuePair(int i) {
        return queuePairs[i];
    }

    private ToolFailure failed(CompletionCursor completion) {
        return new ToolFailure(String.format(
                Locale.ROOT,
                " Completion with error at %s%n Failed status %d: wr_id %d syndrom 0x%x%n (%s; %s)",
                side,
                completion.status().code(),
                completion.wrId(),
                completion.vendorError(),
                completion.status().text(),
                advice(completion.status())));
    }

    private static String advice(WcStatus status) {
        return status == WcStatus.RETRY_EXC_ERR
                ? "the peer does not answer: see whether it still runs, and whether UDP port 4791 is open on the way"
                : "do both ends run the same test with the same -s, -n, -q?";
    }
}
