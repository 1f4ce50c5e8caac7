package io.rdma4j.packet;

/**
 * Who has summed, or is to sum, the transport checksum of a packet ({@code skb->ip_summed}).
 *
 * <p>The older {@code CHECKSUM_HW} meant {@link #COMPLETE} for a packet that came in and {@link #PARTIAL} for one that goes out.
 */
public enum ChecksumState {
    /** The device could not tell: software verifies ({@code CHECKSUM_NONE}); on the way out, the checksum is complete. */
    NONE,
    /** Known to be right, or not needed ({@code CHECKSUM_UNNECESSARY}). */
    UNNECESSARY,
    /** The device summed all that it received, from the network header on: {@link SkBuff#csum} ({@code CHECKSUM_COMPLETE}). */
    COMPLETE,
    /** On the way out: the pseudo header is summed, whoever takes the packet finishes it ({@code CHECKSUM_PARTIAL}). */
    PARTIAL
}
