// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.device;

/**
 * Counters of sent packets and bytes, striped by thread ({@code pcpu_lstats}, {@code pcpu_vstats},
 * {@code pcpu_tstats}). Each thread counts in its own lane, as each processor does in Linux, so that no two threads
 * write to one cache line. Readers sum all lanes.
 *
 * <p>There are about as many lanes as processors. Threads that share a lane must not count at the same time; only the
 * owner of the device's loop counts. Any thread may read slightly old values.
 */
public final class StripedStats {
    private static final int MAX_LANES = 64;

    /** Counters of a lane, so many that the next lane begins on another pair of cache lines. */
    private static final int STRIDE = 16;

    private static final int PACKETS = 0;
    private static final int BYTES = 1;

    private final int mask;
    private final long[] counters;

    /** Creates lanes for the present number of processors. */
    StripedStats() {
        this(Runtime.getRuntime().availableProcessors());
    }

    /** Creates at least {@code lanes} lanes, rounded up to a power of two, at most 64. */
    StripedStats(int lanes) {
        int count = Math.min(MAX_LANES, Integer.highestOneBit(Math.max(1, 2 * lanes - 1)));
        this.mask = count - 1;
        this.counters = new long[(count + 1) * STRIDE];
    }

    /** {@return number of lanes} */
    public int lanes() {
        return mask + 1;
    }

    /** {@return the lane of the calling thread} */
    public int own() {
        return (int) Thread.currentThread().threadId() & mask;
    }

    void add(long packets, long bytes) {
        int at = place(own());
        counters[at + PACKETS] += packets;
        counters[at + BYTES] += bytes;
    }

    /** The first lane begins one stride after the array's header. */
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

    /** {@return packets of all lanes} */
    public long packets() {
        return sum(PACKETS);
    }

    /** {@return bytes of all lanes} */
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
