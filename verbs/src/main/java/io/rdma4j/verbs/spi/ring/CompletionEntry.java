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
    /** Index of the message's P_Key; GSI only. */
    public int pkeyIndex;
    /** The sender's LID, 16 bits; datagrams over InfiniBand only. */
    public int sourceLid;
    /** Service level of the message, 4 bits; datagrams only. */
    public int serviceLevel;
    /** Path bits of the destination LID, 7 bits; datagrams over InfiniBand only. */
    public int destinationPathBits;
    /** The port at which the message arrived, from 1; general services only. */
    public int port;

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
        pkeyIndex = 0;
        sourceLid = 0;
        serviceLevel = 0;
        destinationPathBits = 0;
        port = 0;
        return this;
    }
}
