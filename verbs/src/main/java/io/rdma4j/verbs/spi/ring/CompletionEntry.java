// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;

/**
 * Scratch object for the completion that the device posts next; reused, the device sets the fields in place.
 *
 * <p>The fields are those of {@link io.rdma4j.verbs.wr.CompletionCursor}, without the timestamp, which the queue adds.
 */
public final class CompletionEntry {
    private static final int SHORT_MASK = 0xFFFF;
    private static final int BYTE_MASK = 0xFF;

    /** The number of the work request. */
    public long wrId;
    /** Result of the request. */
    public WcStatus status = WcStatus.SUCCESS;
    /** Operation of the request. */
    public WcOpcode opcode = WcOpcode.SEND;
    /** The device's own detail of an error; 0 if none. */
    public int vendorError;
    /** Bytes received or moved, unsigned. */
    public int byteLength;
    /** The local queue pair, 24 bits. */
    public int qpNumber;
    /** Immediate data, or the key that was invalidated. */
    public int immediate;
    /** The sender's queue pair, 24 bits; datagrams only. */
    public int sourceQp;
    /** Bits of {@link io.rdma4j.verbs.wr.WcFlag}. */
    public int flags;

    /** The last word of the entry, see {@link CompletionRing}: set by {@link #route} and {@link #arrival}. */
    long route;

    /** Creates an entry; {@link #begin} fills it. */
    public CompletionEntry() {}

    /**
     * Sets the fields of every completion and clears the others.
     *
     * @param wrId the number of the work request
     * @param status result of the request
     * @param opcode operation of the request
     * @param qpNumber the local queue pair, 24 bits
     * @return this entry
     */
    public CompletionEntry begin(long wrId, WcStatus status, WcOpcode opcode, int qpNumber) {
        this.wrId = wrId;
        this.status = status;
        this.opcode = opcode;
        this.qpNumber = qpNumber;
        vendorError = 0;
        byteLength = 0;
        immediate = 0;
        sourceQp = 0;
        flags = 0;
        route = 0;
        return this;
    }

    /**
     * Sets the route of a datagram over InfiniBand; once after {@link #begin}.
     *
     * @param sourceLid the sender's LID, 16 bits
     * @param serviceLevel service level of the message, 4 bits
     * @param destinationPathBits path bits of the destination LID, 7 bits
     */
    public void route(int sourceLid, int serviceLevel, int destinationPathBits) {
        route |= RingMemory.pair(
                sourceLid << Short.SIZE, serviceLevel & BYTE_MASK | (destinationPathBits & BYTE_MASK) << Byte.SIZE);
    }

    /**
     * Sets where a datagram of the general services arrived; once after {@link #begin}.
     *
     * @param pkeyIndex index of the message's P_Key, 16 bits
     * @param port the port, from 1, 8 bits
     */
    public void arrival(int pkeyIndex, int port) {
        route |= RingMemory.pair(pkeyIndex & SHORT_MASK, (port & BYTE_MASK) << Short.SIZE);
    }
}
