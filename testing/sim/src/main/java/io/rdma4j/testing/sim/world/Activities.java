// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import io.rdma4j.base.Deadline;
import java.util.List;

/** Several activities in parallel; done when all are done. */
public record Activities(List<? extends Activity> parts) implements Activity {
    @Override
    public boolean act(long nowNs) {
        boolean acted = false;
        for (Activity part : parts) {
            acted |= part.act(nowNs);
        }
        return acted;
    }

    @Override
    public long nextActionNs() {
        long nextNs = Deadline.NEVER;
        for (Activity part : parts) {
            nextNs = Deadline.earlier(nextNs, part.nextActionNs());
        }
        return nextNs;
    }

    @Override
    public boolean isDone() {
        return parts.stream().allMatch(Activity::isDone);
    }

    @Override
    public int steps() {
        return parts.stream().mapToInt(Activity::steps).sum();
    }

    @Override
    public int achieved() {
        return parts.stream().mapToInt(Activity::achieved).sum();
    }

    @Override
    public void checkEnd() {
        parts.forEach(Activity::checkEnd);
    }

    @Override
    public String toString() {
        return String.join("; ", parts.stream().map(Activity::toString).toList());
    }
}
