// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

/**
 * Decides whether a thread polls for packets before it sleeps. Corresponds to {@code net.core.busy_poll} of Linux, but
 * stops when polling does not pay, as {@code halt_poll_ns} of KVM does.
 *
 * <p>Waking a thread takes 10 µs, and four times as long on a virtual machine with an idle CPU. If the last sleep was
 * at most {@link #LONGEST_NS}, the next packet is probably as near, and polling saves the wake-up. If the last sleep
 * was longer, the thread sleeps at once. So a thread with rare packets never spins, and a thread whose peer has left
 * spins once.
 *
 * <p>For one thread. Times are nanoseconds of the loop's clock.
 */
final class BusyPoll {
    /** Maximum time of polling. A sleep that is compared with it includes the time of the wake-up. */
    static final long LONGEST_NS = 100_000;

    private boolean pays;
    private long workedNs;

    /** Records that the thread has done work, or has begun to wait. */
    void worked(long nowNs) {
        workedNs = nowNs;
    }

    /** True if the thread, which has found no work, should poll again instead of sleeping. */
    boolean goesOn(long nowNs) {
        return pays && nowNs - workedNs < LONGEST_NS;
    }

    /**
     * Records a sleep that has ended. A sleep that ended at its timeout does not predict packets.
     *
     * @param fromNs start of the sleep
     * @param wokenNs now
     * @param endNs time at which the sleep would have ended at the latest
     */
    void slept(long fromNs, long wokenNs, long endNs) {
        pays = wokenNs - fromNs <= LONGEST_NS && wokenNs - endNs < 0;
        workedNs = wokenNs;
    }
}
