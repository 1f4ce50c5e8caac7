package io.rdma4j.net;

/**
 * What was sent, kept apart by who did it ({@code pcpu_lstats}, {@code pcpu_vstats}, {@code pcpu_tstats}): each thread counts in
 * a lane of its own, as each processor does in Linux, so that no two write to one cache line; who asks gets the sum.
 *
 * <p>There are about as many lanes as processors, and threads share them by their number. Two that share one must not count at
 * the same time: the owner of the device's loop counts. Any thread may read and sees a value that is a little old.
 */
public final class LaneStats {
    private static final int MAX_LANES = 64;

    /** Counters of a lane, so many that the next one begins on another pair of cache lines. */
    private static final int STRIDE = 16;

    private static final int PACKETS = 0;
    private static final int BYTES = 1;

    private final int mask;
    private final long[] counters;

    /** Lanes for the processors that there are. */
    LaneStats() {
        this(Runtime.getRuntime().availableProcessors());
    }

    /** @param lanes how many there are to be at least; a power of two, at most 64, are made */
    LaneStats(int lanes) {
        int count = Math.min(MAX_LANES, Integer.highestOneBit(Math.max(1, 2 * lanes - 1)));
        this.mask = count - 1;
        this.counters = new long[(count + 1) * STRIDE];
    }

    /** {@return how many lanes there are} */
    public int lanes() {
        return mask + 1;
    }

    /** {@return the lane of the calling thread} */
    public int own() {
        return (int) Thread.currentThread().threadId() & mask;
    }

    void add(int packets, int bytes) {
        int at = place(own());
        counters[at + PACKETS] += packets;
        counters[at + BYTES] += bytes;
    }

    /** The object's head lies before the first lane. */
    private static int place(int lane) {
        return (lane + 1) * STRIDE;
    }

    /**
     * {@return packets counted in one lane}
     *
     * @param lane from 0
     */
    public long packets(int lane) {
        return counters[place(lane) + PACKETS];
    }

    /**
     * {@return bytes counted in one lane}
     *
     * @param lane from 0
     */
    public long bytes(int lane) {
        return counters[place(lane) + BYTES];
    }

    /** {@return packets in all} */
    public long packets() {
        return sum(PACKETS);
    }

    /** {@return bytes in all} */
    public long bytes() {
        return sum(BYTES);
    }

    private long sum(int counter) {
        long sum = 0;
        for (int lane = 0; lane <= mask; lane++) {
            sum += counters[place(lane) + counter];
        }
        return sum;
    }
}
