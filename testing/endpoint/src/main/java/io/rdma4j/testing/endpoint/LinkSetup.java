// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.endpoint;

import io.rdma4j.base.Mtu;

/**
 * Attributes of a connection, the same for both directions.
 *
 * @param mtu of the path
 * @param firstPsn 24 bits
 * @param timeout code of the ACK timeout: 4.096 µs · 2^timeout
 * @param retryCount 0..7
 * @param rnrRetry 0..7, 7: unlimited
 * @param minRnrTimer code of the delay in RNR NAKs
 * @param rdAtomic maximum number of outstanding READs and atomics
 */
public record LinkSetup(
        Mtu mtu, int firstPsn, int timeout, int retryCount, int rnrRetry, int minRnrTimer, int rdAtomic) {
    /** Values of the libibverbs examples. */
    public static final LinkSetup DEFAULT = new LinkSetup(Mtu.MTU_1024, 0x123456, 14, 7, 7, 12, 1);

    /**
     * Fails soon: three retries after 34 ms and more, three after an RNR NAK's 10 µs. With shorter times a delayed
     * thread on a busy machine would count as a dead peer.
     */
    public static final LinkSetup SHORT_TIMEOUTS = new LinkSetup(Mtu.MTU_1024, 0x123456, 13, 3, 3, 1, 1);

    /**
     * {@return a copy with another path MTU}
     *
     * @param other the new value
     */
    public LinkSetup mtu(Mtu other) {
        return new LinkSetup(other, firstPsn, timeout, retryCount, rnrRetry, minRnrTimer, rdAtomic);
    }

    /**
     * {@return a copy with another first PSN}
     *
     * @param other the new value
     */
    public LinkSetup firstPsn(int other) {
        return new LinkSetup(mtu, other, timeout, retryCount, rnrRetry, minRnrTimer, rdAtomic);
    }

    /**
     * {@return a copy with another number of RNR retries}
     *
     * @param other the new value
     */
    public LinkSetup rnrRetry(int other) {
        return new LinkSetup(mtu, firstPsn, timeout, retryCount, other, minRnrTimer, rdAtomic);
    }

    /**
     * {@return a copy with another number of READs and atomics}
     *
     * @param other the new value
     */
    public LinkSetup rdAtomic(int other) {
        return new LinkSetup(mtu, firstPsn, timeout, retryCount, rnrRetry, minRnrTimer, other);
    }
}
