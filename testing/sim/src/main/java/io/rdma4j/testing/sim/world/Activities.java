// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import io.rdma4j.base.Deadline;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Several activities in parallel; done when all are done. Its counters cost the same for any number of activities. Each
 * activity may act on a thread of its own.
 */
public final class Activities implements Activity {
    private final List<Part> parts;
    private final AtomicInteger left;
    private final AtomicInteger steps = new AtomicInteger();

    public Activities(List<? extends Activity> activities) {
        parts = activities.stream().map(Part::new).toList();
        left = new AtomicInteger(parts.size());
    }

    /** One activity, with what it has contributed to the counters. */
    private final class Part implements Actor {
        private final Activity activity;
        private boolean done;
        private int taken;

        Part(Activity activity) {
            this.activity = activity;
        }

        @Override
        public boolean act(long nowNs) {
            if (!activity.act(nowNs)) {
                return false;
            }
            int now = activity.steps();
            steps.addAndGet(now - taken);
            taken = now;
            if (!done && activity.isDone()) {
                done = true;
                left.decrementAndGet();
            }
            return true;
        }

        @Override
        public long nextActionNs() {
            return activity.nextActionNs();
        }

        @Override
        public boolean isEventDriven() {
            return activity.isEventDriven();
        }

        @Override
        public List<SimHost> hosts() {
            return activity.hosts();
        }
    }

    @Override
    public List<? extends Actor> actors() {
        return parts;
    }

    @Override
    public boolean act(long nowNs) {
        boolean acted = false;
        for (Part part : parts) {
            acted |= part.act(nowNs);
        }
        return acted;
    }

    @Override
    public long nextActionNs() {
        long nextNs = Deadline.NEVER;
        for (Part part : parts) {
            nextNs = Deadline.earlier(nextNs, part.nextActionNs());
        }
        return nextNs;
    }

    @Override
    public boolean isDone() {
        return left.get() == 0;
    }

    @Override
    public int steps() {
        return steps.get();
    }

    @Override
    public int achieved() {
        return parts.stream().mapToInt(part -> part.activity.achieved()).sum();
    }

    @Override
    public void checkEnd() {
        parts.forEach(part -> part.activity.checkEnd());
    }

    @Override
    public String toString() {
        return String.join(
                "; ", parts.stream().map(part -> part.activity.toString()).toList());
    }
}
