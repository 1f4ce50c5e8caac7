package io.rdma4j.transport;

/**
 * Choices of a device that its queue pairs follow.
 *
 * @param maxMessageBytes longest message, at most 2^31
 * @param retrySevenIsForever read a retry count of 7 as Linux rxe does, as "never give up"; the specification means seven
 *     retries (IBA 9.9.2.4.1), and so do we unless this is set
 * @param announcesCredits tell peers in acknowledgements how many receive requests there are (IBA 9.7.7.2), so that they do not
 *     send into the void; only for peers that understand it. What peers tell is always honoured.
 */
public record TransportOptions(long maxMessageBytes, boolean retrySevenIsForever, boolean announcesCredits) {
    /** Messages to 2^31 bytes, retry counts by the specification. */
    public static final TransportOptions DEFAULT = new TransportOptions(1L << 31, false);

    /** Without credits. */
    public TransportOptions(long maxMessageBytes, boolean retrySevenIsForever) {
        this(maxMessageBytes, retrySevenIsForever, false);
    }
}
