// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.port;

import io.rdma4j.transport.responder.ReorderBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Options of a device for its queue pairs. {@link #DEFAULT} follows the specification; the {@code with…} methods change
 * single options.
 *
 * @param maxMessageBytes longest message, at most 2^31
 * @param retrySevenIsForever interpret a retry count of 7 as Linux rxe does, as "without limit"; the specification
 *     means seven retries (IBA 9.9.2.4.1), which is the behaviour unless this is set
 * @param announcesCredits announce the number of receive requests in acknowledgements (IBA 9.7.7.2), so that peers do
 *     not send without a receive; only for peers that understand it. Credits that peers announce are always honoured.
 * @param placesOutOfOrder keep request packets that arrive ahead of missing ones ({@link ReorderBuffer}), and
 *     retransmit only what a peer reports as missing, because it may do the same; peers that do not are supported as
 *     well
 * @param congestionControl parameters of the congestion control of connected queue pairs; null for none: then marked
 *     packets and notifications are only counted. It needs an interface that shows the IP header as it was on the wire,
 *     which UDP sockets do not.
 */
public record TransportOptions(
        long maxMessageBytes,
        boolean retrySevenIsForever,
        boolean announcesCredits,
        boolean placesOutOfOrder,
        @Nullable CongestionControl congestionControl) {
    /** Maximum number of bytes of a large send of datagrams behind its headers ({@code max_tso}). */
    public static final int MAX_LARGE_SEND_BYTES = 1 << 18;

    /**
     * Messages up to 2^31 bytes, retry counts by the specification, no credits, no out-of-order placement, no
     * congestion control.
     */
    public static final TransportOptions DEFAULT = new TransportOptions(1L << 31, false, false, false, null);

    /**
     * {@return the same options with another longest message}
     *
     * @param bytes at most 2^31
     */
    public TransportOptions withMaxMessageBytes(long bytes) {
        return new TransportOptions(bytes, retrySevenIsForever, announcesCredits, placesOutOfOrder, congestionControl);
    }

    /** {@return the same options with a retry count of 7 that means "without limit"} */
    public TransportOptions withRetrySevenForever() {
        return new TransportOptions(maxMessageBytes, true, announcesCredits, placesOutOfOrder, congestionControl);
    }

    /** {@return the same options with credits announced to peers} */
    public TransportOptions withCredits() {
        return new TransportOptions(maxMessageBytes, retrySevenIsForever, true, placesOutOfOrder, congestionControl);
    }

    /** {@return the same options with packets kept that arrive ahead of missing ones} */
    public TransportOptions withOutOfOrderPlacement() {
        return new TransportOptions(maxMessageBytes, retrySevenIsForever, announcesCredits, true, congestionControl);
    }

    /**
     * {@return the same options with queue pairs that reduce their rate on congestion}
     *
     * @param numbers parameters of the congestion control
     */
    public TransportOptions withCongestionControl(CongestionControl numbers) {
        return new TransportOptions(maxMessageBytes, retrySevenIsForever, announcesCredits, placesOutOfOrder, numbers);
    }
}
