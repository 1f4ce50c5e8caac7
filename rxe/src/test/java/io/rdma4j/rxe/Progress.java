// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.wr.CompletionCursor;
import io.rdma4j.verbs.wr.WcStatus;

/** Polls through the allocation-free API until a request has succeeded; polling drives both sides. */
final class Progress {
    private Progress() {}

    /** Awaits a send of one side and the matching receive of the other, in any order. */
    static void awaitMessage(CompletionQueue sends, CompletionQueue receives) {
        await(sends, receives, true);
    }

    /**
     * Awaits a request of one side. The other side is polled too; it completes a receive only if {@code receives} is
     * true.
     */
    static void await(CompletionQueue sends, CompletionQueue receivesOfPeer, boolean receives) {
        boolean received = !receives;
        boolean sent = false;
        while (!received || !sent) {
            received |= succeeded(receivesOfPeer);
            sent |= succeeded(sends);
        }
    }

    private static boolean succeeded(CompletionQueue cq) {
        try (CompletionCursor wc = cq.startPoll()) {
            if (!wc.next()) {
                return false;
            }
            if (wc.status() != WcStatus.SUCCESS) {
                throw new AssertionError(wc.status());
            }
            return true;
        }
    }
}
