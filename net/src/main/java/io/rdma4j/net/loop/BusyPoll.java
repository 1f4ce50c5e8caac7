package io.rdma4j.net.loop;

/**
 * Whether a thread goes on looking for packets before it sleeps: {@code net.core.busy_poll} of Linux, but given up when it does not pay, as KVM does with
 * its {@code halt_poll_ns}.
 *
 * <p>Waking a thread takes ten microseconds, and four times that on a virtual machine whose CPU has gone idle. If the last sleep was shorter than {@link
 * #LONGEST_NS}, the next packet is probably as near, and looking for it saves the wake-up. If it was longer, the thread sleeps at once. So a thread whose packets
 * are far apart never spins, and one that its peer has left spins once.
 *
 * <p>For one thread. Times are nanoseconds of the loop's clock.
 */
final class BusyPoll {
    /** How long to look. A sleep that it is compared with includes the time that waking took. */
    static final long LONGEST_NS = 100_000;

    private boolean pays;
    private long workedNs;

    /** There was something to do, or the thread has just come. */
    void worked(long nowNs) {
        workedNs = nowNs;
    }

    /** True if the thread, which has found nothing, should look again rather than sleep. */
    boolean goesOn(long nowNs) {
        return pays && nowNs - workedNs < LONGEST_NS;
    }

    /**
     * A sleep is over, and the thread looks for what there is to do now. One that was to end at that time says nothing about packets.
     *
     * @param fromNs when it began
     * @param wokenNs now
     * @param endNs when it would have ended at the latest
     */
    void slept(long fromNs, long wokenNs, long endNs) {
        pays = wokenNs - fromNs <= LONGEST_NS && wokenNs - endNs < 0;
        workedNs = wokenNs;
    }
}
