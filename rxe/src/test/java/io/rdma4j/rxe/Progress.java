package io.rdma4j.rxe;

import io.rdma4j.verbs.CompletionCursor;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.WcStatus;

/** Polls until a request has succeeded, by the door that allocates nothing: polling is what drives both sides. */
final class Progress {
    private Progress() {}

    /** A send of one side and the receive it fills on the other, in whatever order they come. */
    static void awaitMessage(CompletionQueue sends, CompletionQueue receives) {
        await(sends, receives, true);
    }

    /** A request of one side; the other side, which is polled too, sees it only if {@code receives}. */
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
