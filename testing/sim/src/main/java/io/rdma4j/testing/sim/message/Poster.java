// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.message;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.sim.world.RunReport;
import java.util.SplittableRandom;
import java.util.function.IntConsumer;

/**
 * Decides when requests are posted to a queue, and how many at once. The queue must accept as many as the account
 * permits.
 */
public final class Poster {
    /** Counts how many requests may be posted. */
    public interface Account {
        /** Number of requests that may be posted now. */
        int room();

        /** True if all requests that may be posted must be posted together. */
        boolean isFinalBurst();

        /** Number of requests posted. */
        int posted();

        void post(int count);
    }

    private final String name;
    private final Account account;
    private final SplittableRandom random;
    private final long maxPauseNs;
    private final RunReport report;
    private long nextPostNs;

    /**
     * @param name of the requests, for messages
     * @param maxPauseNs maximum time between two posts; 0 to post as many as possible at once
     * @param startNs current time
     */
    public Poster(
            String name, Account account, SplittableRandom random, long maxPauseNs, long startNs, RunReport report) {
        this.name = name;
        this.account = account;
        this.random = random;
        this.maxPauseNs = maxPauseNs;
        this.report = report;
        this.nextPostNs = maxPauseNs == 0 ? startNs : startNs + random.nextLong(maxPauseNs);
    }

    /** Time of the next post, as far as it is known now. */
    public long nextActionNs() {
        return account.room() > 0 ? nextPostNs : Deadline.NEVER;
    }

    /**
     * Posts requests if their time has come and the random generator permits it.
     *
     * @param post posts the given number of requests
     * @return true if requests were posted
     */
    public boolean act(long nowNs, IntConsumer post) {
        int room = account.room();
        if (room == 0 || nextPostNs - nowNs > 0) {
            return false;
        }
        int count = maxPauseNs == 0 || account.isFinalBurst() ? room : random.nextInt(1, room + 1);
        int first = account.posted();
        try {
            post.accept(count);
        } catch (RdmaException e) {
            report.violation("%s %d..%d were refused: %s".formatted(name, first, first + count - 1, e));
        }
        account.post(count);
        nextPostNs = maxPauseNs > 0 && random.nextInt(3) == 0 ? nowNs + random.nextLong(maxPauseNs) : nowNs;
        return true;
    }
}
