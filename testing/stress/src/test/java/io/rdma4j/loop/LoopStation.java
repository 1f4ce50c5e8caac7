// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import io.rdma4j.base.NanoClock;
import java.util.concurrent.atomic.AtomicInteger;

/** A loop without devices, and a client that counts the work that it does. */
final class LoopStation implements LoopClient {
    final NetLoop loop = new NetLoop(NanoClock.SYSTEM, ProgressMode.AUTOMATIC, 0);
    private final AtomicInteger posted = new AtomicInteger();

    /** Guarded by the loop's lock. */
    private int brought;

    /** Guarded by the loop's lock. */
    private int done;

    LoopStation() {
        loop.add(this);
    }

    /** Posts work and sets the doorbell. */
    void post(int work) {
        posted.getAndAdd(work);
        loop.ring();
    }

    /** Does the work in the loop if the loop is free; posts it otherwise. */
    void bring(int work) {
        if (loop.enter()) {
            brought += work;
            loop.workAndLeave();
        } else {
            post(work);
        }
    }

    /** Returns the work done so far, without a run of the loop. */
    int done() {
        return done;
    }

    @Override
    public boolean work(long nowNs) {
        int found = posted.getAndSet(0) + brought;
        brought = 0;
        done += found;
        return found != 0;
    }

    @Override
    public boolean hasMore() {
        return false;
    }

    @Override
    public boolean isHeldBack() {
        return false;
    }

    /** A value that no test expects. */
    @Override
    public void breakDown(Throwable error) {
        done = Integer.MIN_VALUE;
    }
}
