package io.rdma4j.verbs.queue;

import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;

/**
 * The device's scratch for the completion it is about to post; reused, fields are set in place.
 *
 * <p>The fields are those of {@link io.rdma4j.verbs.CompletionCursor}; the queue itself knows the time.
 */
public final class CompletionEntry {
    public long wrId;
    public WcStatus status = WcStatus.SUCCESS;
    public WcOpcode opcode = WcOpcode.SEND;
    public int vendorError;
    public int byteLength;
    public int qpNumber;
    public int immediate;
    public int sourceQp;
    public int flags;
    public int pkeyIndex;
    public int sourceLid;
    public int serviceLevel;
    public int destinationPathBits;
    public int port;

    /** Sets what every completion has and clears the rest. */
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
