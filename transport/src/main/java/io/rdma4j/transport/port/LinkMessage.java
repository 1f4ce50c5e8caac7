// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.port;

import io.rdma4j.base.Psn;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Operation;
import java.lang.foreign.MemorySegment;

/**
 * A SEND or WRITE that a link delivers as a whole instead of as packets: the header fields and the location of the
 * payload. It consumes PSNs like packets, so that packets can replace it at any time. A link refills its one object for
 * each message.
 */
public final class LinkMessage {
    /** Longer messages are sent as trains of packets, which the peer may read in place. */
    public static final int MAX_BYTES = 16 << 10;

    /** Longest message that is stored into memory of a peer process. The posting thread holds the link meanwhile. */
    public static final int MAX_STORED_BYTES = 64 << 10;

    public Opcode opcode = Opcode.RC_SEND_ONLY;
    public int psn;
    public int packets;
    public boolean solicited;
    public int immediate;
    public int rkey;
    public long address;
    public int length;

    /** Location of the payload. */
    public MemorySegment memory = MemorySegment.NULL;

    public long offset;

    public LinkMessage() {}

    /** Becomes a message without payload location. */
    public void begin(Opcode onlyPacket, int firstPsn, int count, int bytes) {
        opcode = onlyPacket;
        psn = firstPsn;
        packets = count;
        length = bytes;
        offset = 0;
        rkey = 0;
        address = 0;
    }

    /** Sets the location of the payload. */
    public void payload(MemorySegment segment, long at) {
        memory = segment;
        offset = at;
    }

    public boolean isWrite() {
        return opcode.operation() == Operation.WRITE;
    }

    /** Access rights that the peer checks, bits of {@link AccessFlag}; 0 for a SEND. */
    public int access() {
        return isWrite() ? AccessFlag.REMOTE_WRITE.bit() : 0;
    }

    public int lastPsn() {
        return Psn.add(psn, packets - 1);
    }

    /** True if a message with this opcode, as one packet, may be delivered on a link. */
    public static boolean mayBe(Opcode only) {
        return only == Opcode.RC_SEND_ONLY
                || only == Opcode.RC_SEND_ONLY_IMMEDIATE
                || only == Opcode.RC_WRITE_ONLY
                || only == Opcode.RC_WRITE_ONLY_IMMEDIATE;
    }
}
