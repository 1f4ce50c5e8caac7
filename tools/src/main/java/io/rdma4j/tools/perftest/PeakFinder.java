// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

/**
 * Finds the highest bandwidth in a test, as perftest defines it. It is the sequence of messages with the least time per
 * message, from its first post to its last completion. One thread; does not allocate after construction.
 */
final class PeakFinder {
    private final long[] postedNs;
    private final long[] completedNs;
    private final int[] completedMessages;
    private int posts;
    private int completions;

    /** @param messages number of messages whose times are kept; 0 for none */
    PeakFinder(int messages) {
        postedNs = new long[messages];
        completedNs = new long[messages];
        completedMessages = new int[messages];
    }

    /** Starts a new test. */
    void reset() {
        posts = 0;
        completions = 0;
    }

    /** Records the time of a post; {@code before} messages were posted before it. */
    void posted(long before, int count) {
        if (postedNs.length > 0) {
            long now = System.nanoTime();
            for (int i = 0; i < count; i++) {
                postedNs[(int) before + i] = now;
            }
            posts = (int) before + count;
        }
    }

    /** Records the time at which {@code messages} have completed. */
    void completed(long messages) {
        if (completedNs.length > 0) {
            completedNs[completions] = System.nanoTime();
            completedMessages[completions] = (int) messages;
            completions++;
        }
    }

    /** Time per message at the highest bandwidth; 0 if no times were kept. */
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
