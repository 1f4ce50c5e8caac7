// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.requester;

import io.rdma4j.transport.common.QpCore;
import io.rdma4j.transport.common.RateLimiter;
import io.rdma4j.transport.common.RetryTimers;

/** The state that the requester and the completer of a queue pair share. */
final class SendState {
    private final QpCore qp;
    final SendWindow window;
    final SendCredits credits = new SendCredits();
    final OutstandingReads reads = new OutstandingReads();
    final RetryTimers timers = new RetryTimers();
    final RateLimiter rateLimiter;

    SendState(QpCore qp) {
        this.window = new SendWindow(qp.sendQueue());
        this.rateLimiter = new RateLimiter(qp.context(), timers);
        this.qp = qp;
    }

    /** True if nothing is in flight, and no rule of the connection limits the next message. */
    boolean isQuiet() {
        return window.isQuiet() && isPlain();
    }

    /** True if no rule of the connection limits the next message. */
    boolean isPlain() {
        return qp.isPlain() && reads.isEmpty() && credits.areUnlimited() && rateLimiter.isUnlimited();
    }
}
