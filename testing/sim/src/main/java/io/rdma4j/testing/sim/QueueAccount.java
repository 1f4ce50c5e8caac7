package io.rdma4j.testing.sim;

/**
 * What an application may post to a queue if the verbs keep their word: it counts what it posted and what came back.
 *
 * <p>As many requests as the queue holds are kept for the end. They are posted at once after everything before has come
 * back, which works only if no slot of the queue was lost on the way.
 */
final class QueueAccount implements Poster.Account {
    private final int depth;
    private final int total;
    private final int pauseAt;
    private int posted;
    private int returned;

    /**
     * @param depth requests that the queue holds
     * @param total requests in all
     */
    QueueAccount(int depth, int total) {
        this.depth = depth;
        this.total = total;
        this.pauseAt = Math.max(0, total - depth);
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

    /** True for the request whose completion the final burst, or the end, waits for. */
    boolean isLastBeforePause(int index) {
        return index == pauseAt - 1 || index == total - 1;
    }

    @Override
    public void post(int count) {
        posted += count;
    }

    /** All requests up to {@code index} came back. */
    void returnUpTo(int index) {
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
