// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import io.rdma4j.base.Deadline;
import io.rdma4j.net.receive.Napi;

/** Schedules a polling context at a point in time ({@code napi_watchdog}). Belongs to the owner of the loop. */
final class NapiTimer extends Timed {
    private final Napi napi;
    private long timeNs = Deadline.NEVER;

    NapiTimer(Napi napi) {
        this.napi = napi;
    }

    /** Moves the time forward to {@code otherNs} if that is earlier. */
    void bringForward(long otherNs) {
        timeNs = Deadline.earlier(timeNs, otherNs);
    }

    @Override
    protected long nextDeadlineNs() {
        return timeNs;
    }

    @Override
    protected void onDeadline(long nowNs) {
        timeNs = Deadline.NEVER;
        napi.schedule();
    }
}
