// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import io.rdma4j.base.Deadline;
import io.rdma4j.fabric.EventSchedule;
import io.rdma4j.loop.LoopClient;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.loop.Timed;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs the events of a fabric at their time, in the loop that its devices share. For the owner of the loop. */
final class FabricClock extends Timed implements LoopClient {
    private final NetLoop loop;
    private final EventSchedule schedule;
    private final Consumer<Throwable> onFailure;

    /** Time 0 of the schedule, by the clock of the loop. */
    private final long beginNs;

    private boolean isBroken;

    /** @param onFailure takes all devices out of service */
    FabricClock(NetLoop loop, EventSchedule schedule, Consumer<Throwable> onFailure) {
        this.loop = loop;
        this.schedule = schedule;
        this.onFailure = onFailure;
        this.beginNs = loop.clock().nanoTime();
    }

    /** Events were scheduled outside of a run: those that are due run in the same turn of the loop. */
    void changed() {
        if (hasMore()) {
            loop.ring();
        }
        loop.schedule(this);
    }

    /** Performs the events that are due, so that what is scheduled next begins now. For the owner of the loop. */
    void catchUp() {
        run(loop.clock().nanoTime());
    }

    @Override
    public boolean work(long nowNs) {
        boolean due = hasMore();
        run(nowNs);
        loop.schedule(this);
        return due;
    }

    private void run(long nowNs) {
        if (!isBroken) {
            schedule.runUntil(nowNs - beginNs);
        }
    }

    @Override
    public boolean hasMore() {
        return !isBroken && schedule.nextNs() <= schedule.nowNs();
    }

    @Override
    public boolean isHeldBack() {
        return false;
    }

    @Override
    public boolean uses(Object device) {
        return false;
    }

    @Override
    public void breakDown(Throwable error) {
        isBroken = true;
        onFailure.accept(error);
    }

    @Override
    protected long nextDeadlineNs() {
        long nextNs = schedule.nextNs();
        return isBroken || nextNs == Deadline.NEVER ? Deadline.NEVER : beginNs + nextNs;
    }

    @Override
    protected void onDeadline(long nowNs) {
        run(nowNs);
    }

    @Override
    protected @Nullable LoopClient client() {
        return this;
    }
}
