// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import io.rdma4j.base.RdmaException;
import io.rdma4j.tools.peer.StallWatch;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.wr.CompletionCursor;
import io.rdma4j.verbs.wr.WcStatus;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Runs the XRC ping-pong: the server sends first, each message is answered by one. One thread. */
final class XsrqLoop {
    private static final long STALL_NS = TimeUnit.SECONDS.toNanos(10);

    private final XsrqContext context;
    private final int tests;
    private final int remoteSrqn;
    private final StallWatch watch = new StallWatch(STALL_NS);
    private int sends;

    /** @param remoteSrqn the peer's shared receive queue */
    XsrqLoop(XsrqContext context, int tests, int remoteSrqn) {
        this.context = context;
        this.tests = tests;
        this.remoteSrqn = remoteSrqn;
    }

    /** Sends the next message, if there is one. */
    void send() throws ToolFailure {
        if (sends < tests) {
            sends++;
            try {
                context.postSend(remoteSrqn, sends == tests);
            } catch (RdmaException e) {
                throw new ToolFailure("Couldn't post send", e);
            }
        }
    }

    /** Runs until all messages have arrived and the last sent one has completed. */
    void run() throws ToolFailure, InterruptedException {
        for (int receives = 0; receives < tests; receives++) {
            await(context.receiveCq(), context.channel() != null);
            context.postReceive();
            send();
        }
        await(context.sendCq(), false);
    }

    private void await(CompletionQueue cq, boolean sleeps) throws ToolFailure, InterruptedException {
        while (!poll(cq)) {
            if (sleeps ? !sleep(cq) : watch.stalled()) {
                throw new ToolFailure("The peer has not answered for " + TimeUnit.NANOSECONDS.toSeconds(STALL_NS)
                        + " seconds: it is gone");
            }
        }
        watch.progress();
    }

    private static boolean poll(CompletionQueue cq) throws ToolFailure {
        try (CompletionCursor completion = cq.startPoll()) {
            if (!completion.next()) {
                return false;
            }
            WcStatus status = completion.status();
            if (status != WcStatus.SUCCESS) {
                throw new ToolFailure(
                        String.format(Locale.ROOT, "Work completion error %d (%s)", status.code(), status.text()));
            }
            return true;
        }
    }

    /** Waits for an event or polls; false if the stall limit is reached. */
    private boolean sleep(CompletionQueue cq) throws InterruptedException {
        CompletionChannel channel = context.channel();
        CompletionQueue queue = channel == null ? null : channel.getEvent(Duration.ofNanos(STALL_NS));
        if (queue == null) {
            return false;
        }
        cq.acknowledgeEvents(1);
        cq.requestNotification(false);
        return true;
    }
}
