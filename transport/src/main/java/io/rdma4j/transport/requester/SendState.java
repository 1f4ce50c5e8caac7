// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.requester;

import io.rdma4j.transport.common.QpCore;
import io.rdma4j.transport.common.RateLimiter;
import io.rdma4j.transport.common.RetryTimers;
import io.rdma4j.verbs.values.Rate;
import org.jspecify.annotations.Nullable;

/**
 * The state that the requester and the completer of a queue pair share. Credits, outstanding READs and rates
 * are those of packets: they are null until packets are sent.
 */
abstract class SendState {
    final QpCore qp;
    final SendWindow window;
    final RetryTimers timers = new RetryTimers();
    private @Nullable RateLimiter rateLimiter;
    private @Nullable SendCredits credits;
    private @Nullable OutstandingReads reads;
    private int maxReads;

    SendState(QpCore qp) {
        this.window = new SendWindow(qp.sendQueue());
        this.qp = qp;
    }

    /** Limits the data of READ responses as well. */
    public final RateLimiter rateLimiter() {
        RateLimiter made = rateLimiter;
        if (made == null) {
            made = new RateLimiter(qp.context(), timers);
            rateLimiter = made;
        }
        return made;
    }

    /** Sets the rate of the path. */
    final void pathRate(Rate rate) {
        if (rateLimiter != null || rate != Rate.PORT_CURRENT) {
            rateLimiter().path(rate);
        }
    }

    /** Handles the deadlines of the rate limit that have passed. */
    final void onRateTimeout(long nowNs) {
        if (rateLimiter != null) {
            rateLimiter.onTimeout(nowNs);
        }
    }

    /** Cancels all timers: the queue pair is in ERR. */
    public final void stop() {
        timers.cancelAll();
        if (rateLimiter != null) {
            rateLimiter.reset();
        }
    }

    final SendCredits credits() {
        SendCredits made = credits;
        if (made == null) {
            made = new SendCredits();
            credits = made;
        }
        return made;
    }

    final OutstandingReads reads() {
        OutstandingReads made = reads;
        if (made == null) {
            made = new OutstandingReads(maxReads);
            reads = made;
        }
        return made;
    }

    /** See {@link OutstandingReads#resize}. */
    final void maxReads(int count) {
        maxReads = count;
        if (reads != null) {
            reads.resize(count);
        }
    }

    /** True if nothing is in flight, and no rule of the connection limits the next message. */
    final boolean isQuiet() {
        return window.isQuiet() && isPlain();
    }

    /** True if no rule of the connection limits the next message. */
    final boolean isPlain() {
        return qp.isPlain()
                && (reads == null || reads.isEmpty())
                && (credits == null || credits.areUnlimited())
                && (rateLimiter == null || rateLimiter.isUnlimited());
    }
}
