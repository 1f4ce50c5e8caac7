// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.message;

/**
 * Counts the requests that an application has posted to a queue and their completions; limits posts to what the verbs
 * guarantee.
 *
 * <p>The last requests, as many as the queue holds, are posted together after all earlier ones are complete. This fails
 * if the queue has lost a slot.
 */
public final class QueueAccount implements Poster.Account {
    private final int depth;
    private final int total;
    private final int pauseAt;
    private int posted;
    private int returned;

    /** Creates an account whose last requests are posted together. */
    public QueueAccount(int depth, int total) {
        this(depth, total, false);
    }

    /**
     * @param depth requests that the queue holds
     * @param total number of all requests
     * @param prompt whether the last requests are posted like all others
     */
    public QueueAccount(int depth, int total, boolean prompt) {
        this.depth = depth;
        this.total = total;
        this.pauseAt = prompt ? total : Math.max(0, total - depth);
    }

    @Override
    public int room() {
        if (posted < pauseAt) {
            return Math.min(depth - (posted - returned), pauseAt - posted);
        }
        return posted == returned || posted > pauseAt ? total - posted : 0;
    }

    @Override
    public boolean isFinalBurst() {
        return posted == pauseAt;
    }

    /** True for the request whose completion the final burst, or the end of the run, waits for. */
    public boolean isLastBeforePause(int index) {
        return index == pauseAt - 1 || index == total - 1;
    }

    @Override
    public void post(int count) {
        posted += count;
    }

    /** Counts all requests up to {@code index} as completed. */
    public void returnUpTo(int index) {
        returned = index + 1;
    }

    @Override
    public int posted() {
        return posted;
    }

    int returned() {
        return returned;
    }

    boolean isDone() {
        return returned == total;
    }
}
