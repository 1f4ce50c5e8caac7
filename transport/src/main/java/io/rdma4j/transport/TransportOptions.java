package io.rdma4j.transport;

import org.jspecify.annotations.Nullable;

/**
 * Choices of a device that its queue pairs follow. {@link #DEFAULT} is what the specification has; the {@code with…} methods
 * depart from it.
 *
 * @param maxMessageBytes longest message, at most 2^31
 * @param retrySevenIsForever read a retry count of 7 as Linux rxe does, as "never give up"; the specification means seven
 *     retries (IBA 9.9.2.4.1), and so do we unless this is set
 * @param announcesCredits tell peers in acknowledgements how many receive requests there are (IBA 9.7.7.2), so that they do not
 *     send into the void; only for peers that understand it. What peers tell is always honoured.
 * @param placesOutOfOrder keep request packets that come before their turn until those before them have come
 *     ({@link HeldPackets}), and send again only what a peer says is missing, because it may do the same; peers that do not are
 *     served as well
 * @param congestionControl numbers of the congestion control of connected queue pairs; null for none: then packets that met
 *     congestion, and peers that tell of it, are counted only. It needs an interface that shows the IP header as it was on the
 *     wire, which UDP sockets do not.
 */
public record TransportOptions(
        long maxMessageBytes,
        boolean retrySevenIsForever,
        boolean announcesCredits,
        boolean placesOutOfOrder,
        @Nullable CongestionControl congestionControl) {
    /** The most bytes that a large send of datagrams may have behind its headers ({@code max_tso}). */
    public static final int MAX_LARGE_SEND_BYTES = 1 << 18;

    /** Messages to 2^31 bytes, retry counts by the specification, no credits, everything in order, at any speed. */
    public static final TransportOptions DEFAULT = new TransportOptions(1L << 31, false, false, false, null);

    /**
     * {@return the same with another longest message}
     *
     * @param bytes at most 2^31
     */
    public TransportOptions withMaxMessageBytes(long bytes) {
        return new TransportOptions(bytes, retrySevenIsForever, announcesCredits, placesOutOfOrder, congestionControl);
    }

    /** {@return the same with a retry count of 7 that means "never give up"} */
    public TransportOptions withRetrySevenForever() {
        return new TransportOptions(maxMessageBytes, true, announcesCredits, placesOutOfOrder, congestionControl);
    }

    /** {@return the same with credits told to peers} */
    public TransportOptions withCredits() {
        return new TransportOptions(maxMessageBytes, retrySevenIsForever, true, placesOutOfOrder, congestionControl);
    }

    /** {@return the same with packets kept that come before their turn} */
    public TransportOptions withOutOfOrderPlacement() {
        return new TransportOptions(maxMessageBytes, retrySevenIsForever, announcesCredits, true, congestionControl);
    }

    /**
     * {@return the same with queue pairs that slow down where packets meet congestion}
     *
     * @param numbers how much and how soon
     */
    public TransportOptions withCongestionControl(CongestionControl numbers) {
        return new TransportOptions(maxMessageBytes, retrySevenIsForever, announcesCredits, placesOutOfOrder, numbers);
    }
}
