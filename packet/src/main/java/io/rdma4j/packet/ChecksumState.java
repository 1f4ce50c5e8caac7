// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

/**
 * State of the transport checksum of a packet ({@code skb->ip_summed}).
 *
 * <p>The older {@code CHECKSUM_HW} meant {@link #COMPLETE} for a received packet and {@link #PARTIAL} for a sent one.
 */
public enum ChecksumState {
    /**
     * Received: not verified by the device, software verifies. Sent: the checksum is complete ({@code CHECKSUM_NONE}).
     */
    NONE,
    /** Verified, or not needed ({@code CHECKSUM_UNNECESSARY}). */
    UNNECESSARY,
    /** Received: {@link PacketMeta#csum} is the sum from the network header to the end ({@code CHECKSUM_COMPLETE}). */
    COMPLETE,
    /** Sent: the field has the sum of the pseudo header; the device completes it ({@code CHECKSUM_PARTIAL}). */
    PARTIAL
}
