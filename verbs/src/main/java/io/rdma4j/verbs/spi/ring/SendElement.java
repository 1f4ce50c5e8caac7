// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import io.rdma4j.base.Errno;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.SendFlag;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The send queue element that a batch is writing: its data and its destination, and the checks of both. One object per
 * queue, reused for each element. Corresponds to {@code validate_send_wr} of rxe.
 */
final class SendElement {
    /** Bytes of an atomic operation. */
    static final int ATOMIC_BYTES = 8;

    private static final long MAX_MESSAGE_BYTES = 1L << 31;
    private static final int MAX_24_BITS = (1 << 24) - 1;
    private static final long NONE = -1;
    private static final ValueLayout.OfLong ATOMIC_VALUE =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final SendQueue queue;
    private RingMemory memory;
    private final QpType type;
    private final boolean datagrams;
    private final boolean needsDestination;
    private final PostError error;

    private long wqe = NONE;
    private SendRule rule = SendRule.SEND;
    private long wrId;
    private int flags;
    private int immediate;
    private int tsoHeaderBytes;

    private int numSge;

    /** Offset of the next scatter/gather element, and how many more the request may have. */
    private long nextSge;

    private int sgesLeft;
    private long length;

    /** True if the request has a destination, or needs none. */
    private boolean addressed;

    /**
     * @param type of the queue pair
     * @param error stores errors
     */
    SendElement(SendQueue queue, QpType type, PostError error) {
        this.queue = queue;
        this.memory = queue.postingRing().memory();
        this.type = type;
        this.datagrams = type == QpType.UD || type == QpType.SMI || type == QpType.GSI;
        this.needsDestination = datagrams || type == QpType.XRC_INI;
        this.error = error;
    }

    /** Continues in other memory after a move of the queue; the element size is unchanged. */
    void memory(RingMemory moved) {
        memory = moved;
    }

    void clear() {
        wqe = NONE;
        sgesLeft = 0;
    }

    /** True while an element is being written. */
    boolean isBegun() {
        return wqe != NONE;
    }

    /** Offset of the element. */
    long offset() {
        return wqe;
    }

    void begin(long offset, long id, SendRule operation, int requestFlags, int immediateOrKey) {
        wqe = offset;
        wrId = id;
        rule = operation;
        flags = requestFlags;
        immediate = immediateOrKey;
        tsoHeaderBytes = 0;
        numSge = 0;
        nextSge = SendQueue.data(offset, 0);
        sgesLeft = operation.data() == SendRule.Data.NONE ? 0 : queue.maxSge();
        length = 0;
        addressed = !needsDestination;
        if (type == QpType.GSI) {
            SendOperands.writePkeyIndex(memory, wqe, 0);
        }
    }

    /** Checks and completes the element. */
    void finish() {
        checkData();
        if (!addressed) {
            checkDestination();
        }
        int opcode = rule.opcode().code();
        SendQueue.writeHeader(memory, wqe, wrId, opcode, flags, immediate, numSge, (int) length, tsoHeaderBytes);
        clear();
    }

    private void checkData() {
        if (rule.data() == SendRule.Data.EIGHT_BYTES && length != ATOMIC_BYTES) {
            error.set(Errno.EINVAL, rule.opcode() + " needs pieces of 8 bytes for the old value, not of " + length);
        }
    }

    private void checkDestination() {
        if (datagrams) {
            error.set(Errno.EINVAL, rule.opcode() + " on " + type + " needs a destination()");
        } else if (rule.kind() != SendRule.Kind.LOCAL) {
            error.set(Errno.EINVAL, rule.opcode() + " on XRC_INI needs an xrcSrq()");
        }
    }

    void sge(int lkey, long address, int lengthBytes) {
        if (sgesLeft == 0) {
            refuseSge();
            return;
        }
        SgeLayout.write(memory, nextSge, address, lengthBytes, lkey);
        nextSge += SgeLayout.BYTES;
        sgesLeft--;
        numSge++;
        addLength(Integer.toUnsignedLong(lengthBytes));
    }

    /** Sets the error for a scatter/gather element that the request may not have. */
    private void refuseSge() {
        if (isMissing()) {
            return;
        }
        if (rule.data() == SendRule.Data.NONE) {
            error.set(Errno.EINVAL, rule.opcode() + " takes no scatter/gather elements");
        } else if ((flags & SendFlag.INLINE.bit()) != 0) {
            error.set(Errno.EINVAL, "a request has inline data or scatter/gather elements, not both");
        } else {
            error.set(Errno.EINVAL, "scatter/gather element " + (numSge + 1) + ": max_send_sge is " + numSge);
        }
    }

    void inline(MemorySegment data) {
        if (isMissing()) {
            return;
        }
        if (rule.data() != SendRule.Data.ANY) {
            error.set(Errno.EINVAL, rule.opcode() + " takes no inline data");
        } else if (numSge != 0) {
            error.set(Errno.EINVAL, "a request has inline data or scatter/gather elements, not both");
        } else if (data.byteSize() > queue.maxInlineData() - length) {
            error.set(
                    Errno.EINVAL,
                    "inline data of " + (length + data.byteSize()) + " bytes: max_inline_data is "
                            + queue.maxInlineData());
        } else {
            MemorySegment.copy(data, 0, memory.bytes(), SendQueue.data(wqe, 0) + length, data.byteSize());
            flags |= SendFlag.INLINE.bit();
            sgesLeft = 0;
            addLength(data.byteSize());
        }
    }

    private void addLength(long bytes) {
        length += bytes;
        if (length > MAX_MESSAGE_BYTES) {
            error.set(Errno.EINVAL, "a message of " + length + " bytes: the limit is 2^31");
        }
    }

    /** Writes the 8 bytes of an ATOMIC WRITE into the space of the first scatter/gather element. */
    void atomicValue(long value) {
        memory.bytes().set(ATOMIC_VALUE, SendQueue.data(wqe, 0), value);
        flags |= SendFlag.INLINE.bit();
        length = ATOMIC_BYTES;
    }

    /** Sets the number of bytes of a FLUSH; they are not sent. */
    void flushLength(long bytes) {
        length = bytes;
    }

    /** Writes the header of a large send; it uses the space of some scatter/gather elements. */
    void tsoHeader(MemorySegment header) {
        long room = (long) queue.maxSge() * SgeLayout.BYTES;
        if (header.byteSize() > room) {
            error.set(Errno.EINVAL, "a header of " + header.byteSize() + " bytes: this queue takes " + room);
        } else {
            MemorySegment.copy(header, 0, memory.bytes(), SendQueue.data(wqe, 0), header.byteSize());
            tsoHeaderBytes = (int) header.byteSize();
            int used = SendQueue.elementsOf(tsoHeaderBytes);
            nextSge = SendQueue.data(wqe, used);
            sgesLeft = queue.maxSge() - used;
        }
    }

    void destination(SendBatch.Path path, int remoteQpn, int remoteQkey) {
        if (!datagrams) {
            error.set(Errno.EINVAL, "destinations are for datagrams, this queue pair is " + type);
        } else if (!isMissing()) {
            check24Bits("remote_qpn", remoteQpn);
            SendOperands.writeDestination(memory, wqe, path.handle(), remoteQpn, remoteQkey);
            addressed = true;
        }
    }

    void pkeyIndex(int index) {
        if (type != QpType.GSI) {
            error.set(Errno.EINVAL, "P_Key indexes in requests are for GSI queue pairs, this one is " + type);
        } else if (!isMissing()) {
            SendOperands.writePkeyIndex(memory, wqe, index);
        }
    }

    void xrcSrq(int number) {
        if (type != QpType.XRC_INI) {
            error.set(Errno.EINVAL, "XRC SRQ numbers are for XRC_INI queue pairs, this one is " + type);
        } else if (!isMissing()) {
            check24Bits("remote_srqn", number);
            SendOperands.writeXrcSrq(memory, wqe, number);
            addressed = true;
        }
    }

    private void check24Bits(String name, int value) {
        if (value < 0 || value > MAX_24_BITS) {
            error.set(Errno.EINVAL, name + " 0x" + Integer.toHexString(value) + " has more than 24 bits");
        }
    }

    private boolean isMissing() {
        if (wqe == NONE) {
            error.set(Errno.EINVAL, "data and destinations must follow an operation such as send()");
        }
        return wqe == NONE;
    }
}
