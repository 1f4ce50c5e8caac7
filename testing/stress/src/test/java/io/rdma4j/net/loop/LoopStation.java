package io.rdma4j.net.loop;

import io.rdma4j.base.NanoClock;
import java.util.concurrent.atomic.AtomicInteger;

/** A loop without devices, and a client that does what it finds to be done. */
final class LoopStation implements LoopClient {
    final NetLoop loop = new NetLoop(NanoClock.SYSTEM, ProgressMode.AUTOMATIC, 0);
    private final AtomicInteger posted = new AtomicInteger();

    /** Guarded by the loop. */
    private int brought;

    /** Guarded by the loop. */
    private int done;

    LoopStation() {
        loop.add(this);
    }

    /** Posts something and rings the doorbell. */
    void post(int work) {
        posted.getAndAdd(work);
        loop.ring();
    }

    /** Enters with something if nobody is in the loop, or else posts it. */
    void bring(int work) {
        if (loop.enter()) {
            brought += work;
            loop.workAndLeave();
        } else {
            post(work);
        }
    }

    /** What was done, without doing anything. */
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

    /** No test expects such a number. */
    @Override
    public void breakDown(Throwable error) {
        done = Integer.MIN_VALUE;
    }
}
