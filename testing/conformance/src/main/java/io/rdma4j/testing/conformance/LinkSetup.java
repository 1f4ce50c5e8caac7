package io.rdma4j.testing.conformance;

import io.rdma4j.base.Mtu;

/**
 * How two queue pairs are connected; the same for both directions.
 *
 * @param mtu of the path
 * @param firstPsn 24 bits
 * @param timeout code of the ACK timeout: 4.096 µs · 2^timeout
 * @param retryCount 0..7
 * @param rnrRetry 0..7, 7 for ever
 * @param minRnrTimer code of the delay asked for in RNR NAKs
 * @param rdAtomic READs and atomics under way at once
 */
public record LinkSetup(
        Mtu mtu, int firstPsn, int timeout, int retryCount, int rnrRetry, int minRnrTimer, int rdAtomic) {
    /** What the examples of libibverbs use. */
    public static final LinkSetup DEFAULT = new LinkSetup(Mtu.MTU_1024, 0x123456, 14, 7, 7, 12, 1);

    /**
     * Gives up soon: three retries after 34 ms and more, three after an RNR NAK's 10 µs. Less, and a busy machine that keeps a
     * thread from its CPU for a while would look like a dead peer.
     */
    public static final LinkSetup IMPATIENT = new LinkSetup(Mtu.MTU_1024, 0x123456, 13, 3, 3, 1, 1);

    public LinkSetup mtu(Mtu other) {
        return new LinkSetup(other, firstPsn, timeout, retryCount, rnrRetry, minRnrTimer, rdAtomic);
    }

    public LinkSetup firstPsn(int other) {
        return new LinkSetup(mtu, other, timeout, retryCount, rnrRetry, minRnrTimer, rdAtomic);
    }

    public LinkSetup rnrRetry(int other) {
        return new LinkSetup(mtu, firstPsn, timeout, retryCount, other, minRnrTimer, rdAtomic);
    }

    public LinkSetup rdAtomic(int other) {
        return new LinkSetup(mtu, firstPsn, timeout, retryCount, rnrRetry, minRnrTimer, other);
    }
}
