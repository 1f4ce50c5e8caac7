package io.rdma4j.tools.perftest;

/**
 * Finds the best moment of a bandwidth test: of all runs of messages the one that took the least time for each, from its first
 * post to its last completion, as perftest defines it. Belongs to one thread; allocates nothing after construction.
 */
final class PeakFinder {
    private final long[] postedNs;
    private final long[] completedNs;
    private final int[] completedMessages;
    private int posts;
    private int completions;

    /** @param messages of which times are kept; 0 to keep none */
    PeakFinder(int messages) {
        postedNs = new long[messages];
        completedNs = new long[messages];
        completedMessages = new int[messages];
    }

    /** A new test begins. */
    void reset() {
        posts = 0;
        completions = 0;
    }

    /** Messages are being posted; {@code before} were posted before them. */
    void posted(long before, int count) {
        if (postedNs.length > 0) {
            long now = System.nanoTime();
            for (int i = 0; i < count; i++) {
                postedNs[(int) before + i] = now;
            }
            posts = (int) before + count;
        }
    }

    /** So many messages have completed by now. */
    void completed(long messages) {
        if (completedNs.length > 0) {
            completedNs[completions] = System.nanoTime();
            completedMessages[completions] = (int) messages;
            completions++;
        }
    }

    /** Time of one message at the best moment; 0 if no times were kept. */
    double bestNs() {
        double best = 0;
        int firstCompletion = 0;
        for (int first = 0; first < posts; first++) {
            while (firstCompletion < completions && completedMessages[firstCompletion] <= first) {
                firstCompletion++;
            }
            for (int c = firstCompletion; c < completions; c++) {
                double each = (double) (completedNs[c] - postedNs[first]) / (completedMessages[c] - first);
                if (best == 0 || each < best) {
                    best = each;
                }
            }
        }
        return best;
    }
}
