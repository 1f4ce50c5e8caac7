package io.rdma4j.testing.sim;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.RdmaException;
import java.util.SplittableRandom;
import java.util.function.IntConsumer;

/** Decides when requests are posted to a queue, and how many at once. What the account allows the queue must take. */
final class Poster {
    /** What may be posted. */
    interface Account {
        /** How many requests may be posted now. */
        int room();

        /** True if all that may be posted must be, in one go. */
        boolean isFinalBurst();

        /** How many were posted. */
        int posted();

        void post(int count);
    }

    private final String name;
    private final Account account;
    private final SplittableRandom random;
    private final long maxPauseNs;
    private final Report report;
    private long nextPostNs;

    /**
     * @param name of the requests, for people
     * @param maxPauseNs between one posting and the next
     * @param startNs now
     */
    Poster(String name, Account account, SplittableRandom random, long maxPauseNs, long startNs, Report report) {
        this.name = name;
        this.account = account;
        this.random = random;
        this.maxPauseNs = maxPauseNs;
        this.report = report;
        this.nextPostNs = startNs + random.nextLong(maxPauseNs);
    }

    /** When there is something to post, as far as is known now. */
    long nextActionNs() {
        return account.room() > 0 ? nextPostNs : Deadline.NEVER;
    }

    /**
     * Perhaps posts.
     *
     * @param post posts so many of the next requests
     * @return true if it did
     */
    boolean act(long nowNs, IntConsumer post) {
        int room = account.room();
        if (room == 0 || nextPostNs - nowNs > 0) {
            return false;
        }
        int count = account.isFinalBurst() ? room : random.nextInt(1, room + 1);
        int first = account.posted();
        try {
            post.accept(count);
        } catch (RdmaException e) {
            report.violation("%s %d..%d were refused: %s".formatted(name, first, first + count - 1, e));
        }
        account.post(count);
        nextPostNs = random.nextInt(3) == 0 ? nowNs + random.nextLong(maxPauseNs) : nowNs;
        return true;
    }
}
