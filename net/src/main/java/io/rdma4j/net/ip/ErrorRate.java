package io.rdma4j.net.ip;

/** How many errors a host sends ({@code icmp_global_allow}): so many a second, and so many at once. */
final class ErrorRate {
    private static final long SECOND_NS = 1_000_000_000L;

    private final long intervalNs;
    private final long mostNs;

    /** Time that was saved up. */
    private long savedNs;

    private long lastNs;

    ErrorRate(int perSecond, int burst, long nowNs) {
        this.intervalNs = SECOND_NS / perSecond;
        this.mostNs = intervalNs * burst;
        this.savedNs = mostNs;
        this.lastNs = nowNs;
    }

    /** True if one more may be sent now. */
    boolean take(long nowNs) {
        savedNs = Math.min(mostNs, savedNs + nowNs - lastNs);
        lastNs = nowNs;
        if (savedNs < intervalNs) {
            return false;
        }
        savedNs -= intervalNs;
        return true;
    }
}
