// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import io.rdma4j.tools.peer.StallWatch;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Polls or sleeps while no request completes, as the user chose, and detects stalls. One thread. */
final class Idle {
    private final @Nullable CompletionChannel channel;
    private final CompletionQueue sends;
    private final CompletionQueue receives;
    private final StallWatch watch;
    private boolean armed;

    /** @param stallNs time without a completion that counts as a stall */
    Idle(PerfContext context, long stallNs) {
        this.channel = context.channel();
        this.sends = context.sendCq();
        this.receives = context.receiveCq();
        this.watch = new StallWatch(stallNs);
    }

    /** True if the test waits for events instead of polling. */
    boolean sleeps() {
        return channel != null;
    }

    /** Handles a completion. */
    void progress() {
        watch.progress();
    }

    /** Handles an empty poll; returns when the caller must poll again. True if the stall limit is reached. */
    boolean isTooLong() throws InterruptedException {
        if (channel == null) {
            return watch.stalled();
        }
        if (!armed) {
            sends.requestNotification(false);
            receives.requestNotification(false);
            // Completions before the request raise no event, so the caller polls once more.
            armed = true;
            return false;
        }
        CompletionQueue queue = channel.getEvent(Duration.ofNanos(watch.limitNs()));
        if (queue == null) {
            return true;
        }
        queue.acknowledgeEvents(1);
        armed = false;
        return false;
    }

    double limitSeconds() {
        return watch.limitNs() / 1e9;
    }
}
