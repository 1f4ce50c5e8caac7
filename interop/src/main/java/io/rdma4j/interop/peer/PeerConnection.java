// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.peer;

/**
 * Attributes of a connection; all but the MTU apply to RC only.
 *
 * @param mtu path MTU, bytes
 * @param timeout code of the ACK timeout: 4.096 µs · 2^timeout
 * @param retries after a timeout
 * @param rnrRetries after an RNR NAK, 7: unlimited
 * @param rnrTimer code of the delay in RNR NAKs
 */
public record PeerConnection(int mtu, int timeout, int retries, int rnrRetries, int rnrTimer) {
    /** Seven retries with a timeout of 67 ms; unlimited RNR retries with 0.64 ms. */
    public static PeerConnection usual(int mtu) {
        return new PeerConnection(mtu, 14, 7, 7, 12);
    }

    /** Fails soon: after three timeouts of 67 ms, or two RNR NAKs. */
    public static PeerConnection withShortTimeouts(int mtu) {
        return new PeerConnection(mtu, 14, 3, 2, 12);
    }

    String words() {
        return "mtu=" + mtu + " timeout=" + timeout + " retries=" + retries + " rnr_retries=" + rnrRetries
                + " rnr_timer=" + rnrTimer;
    }
}
