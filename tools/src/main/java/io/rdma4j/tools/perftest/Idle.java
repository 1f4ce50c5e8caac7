package io.rdma4j.tools.perftest;

import io.rdma4j.tools.peer.StallWatch;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a test does while nothing completes: it polls on, or sleeps if the user wants events; and it notices that this has been
 * so for too long. Belongs to one thread.
 */
final class Idle {
    private final @Nullable CompletionChannel channel;
    private final CompletionQueue sends;
    private final CompletionQueue receives;
    private final StallWatch watch;
    private boolean armed;

    /** @param stallNs without a completion for so long is too long */
    Idle(PerfContext context, long stallNs) {
        this.channel = context.channel();
        this.sends = context.sendCq();
        this.receives = context.receiveCq();
        this.watch = new StallWatch(stallNs);
    }

    /** True if it sleeps. */
    boolean sleeps() {
        return channel != null;
    }

    /** Something has completed. */
    void progress() {
        watch.progress();
    }

    /** Nothing has completed; returns when it is time to look again. True if that has been so for too long. */
    boolean isTooLong() throws InterruptedException {
        if (channel == null) {
            return watch.stalled();
        }
        if (!armed) {
            sends.requestNotification(false);
            receives.requestNotification(false);
            // What completed before that raises no event: the caller looks once more.
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
