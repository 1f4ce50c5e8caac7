package io.rdma4j.verbs.queue;

import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;

/**
 * The device's scratch for the completion it is about to post; reused, fields are set in place.
 *
 * <p>The fields are those of {@link io.rdma4j.verbs.CompletionCursor}; the queue itself knows the time.
 */
public final class CompletionEntry {
    /** The number given with the work request. */
    public long wrId;
    /** How the request ended. */
    public WcStatus status = WcStatus.SUCCESS;
    /** Which operation ended. */
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
    /** Bits of {@link io.rdma4j.verbs.WcFlag}. */
    public int flags;
    /** Slot of the P_Key that the message had; GSI only. */
    public int pkeyIndex;
    /** The sender's LID, 16 bits; datagrams over InfiniBand only. */
    public int sourceLid;
    /** Service level of the message, 4 bits; datagrams only. */
    public int serviceLevel;
    /** Path bits of the LID that the message came to, 7 bits; datagrams over InfiniBand only. */
    public int destinationPathBits;
    /** The port that the message came in by, from 1; general services only. */
    public int port;

    /** An entry to be filled by {@link #begin}. */
    public CompletionEntry() {}

    /**
     * Sets what every completion has and clears the rest.
     *
     * @param wrId the number given with the work request
     * @param status how it ended
     * @param opcode which operation
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
