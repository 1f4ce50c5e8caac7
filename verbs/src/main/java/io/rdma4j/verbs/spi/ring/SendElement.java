// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import io.rdma4j.base.Errno;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.verbs.wr.WrOpcode;
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

    // Bits of what is left to do for a request
    private static final int NEEDS_DESTINATION = 1;
    private static final int NEEDS_EIGHT_BYTES = 2;
    private static final int IS_INLINE = 4;

    private static final ValueLayout.OfLong ATOMIC_VALUE =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final SendQueue queue;
    private RingMemory memory;
    private final QpType type;

    /** {@link #left} at the beginning of a request: {@link #NEEDS_DESTINATION}, or 0. */
    private final int needed;

    /** Bytes of the scatter/gather elements that a request may have. */
    private final int sgeBytes;

    private final PostingEnd end;

    private long wqe = NONE;

    /** Code of the operation. A store of a number costs less than one of a reference, see {@link #rule}. */
    private int opcode;

    private int immediate;
    private int tsoHeaderBytes;

    /** Offset of the next scatter/gather element, and the one behind the last that the request may have. */
    private long nextSge;

    private long endSge;
    private long length;

    /** What {@link #finish} has to check, and whether the data are inline; 0 for most requests. */
    private int left;

    /**
     * @param type of the queue pair
     * @param end stores errors
     */
    SendElement(SendQueue queue, QpType type, PostingEnd end) {
        this.queue = queue;
        this.memory = queue.postingRing().memory();
        this.type = type;
        this.needed = isForDatagrams() || type == QpType.XRC_INI ? NEEDS_DESTINATION : 0;
        this.sgeBytes = queue.maxSge() * SgeLayout.BYTES;
        this.end = end;
    }

    private boolean isForDatagrams() {
        return type == QpType.UD || type == QpType.SMI || type == QpType.GSI;
    }

    /** Continues in other memory after a move of the queue; the element size is unchanged. */
    void memory(RingMemory moved) {
        memory = moved;
    }

    /** Ends the element; what follows without an operation is an error. */
    void clear() {
        wqe = NONE;
        endSge = nextSge;
    }

    /** True while an element is being written. */
    boolean isBegun() {
        return wqe != NONE;
    }

    /** Offset of the element. */
    long offset() {
        return wqe;
    }

    void begin(long offset, long wrId, SendRule operation, int flags, int immediateOrKey) {
        wqe = offset;
        opcode = operation.code();
        immediate = immediateOrKey;
        tsoHeaderBytes = 0;
        length = 0;
        SendRule.Data data = operation.data();
        nextSge = SendQueue.data(offset, 0);
        endSge = data == SendRule.Data.NONE ? nextSge : nextSge + sgeBytes;
        left = data == SendRule.Data.EIGHT_BYTES ? needed | NEEDS_EIGHT_BYTES : needed;
        SendQueue.writeOperation(memory, offset, wrId, opcode, flags);
        if (needed != 0 && type == QpType.GSI) {
            SendOperands.writePkeyIndex(memory, offset, 0);
        }
    }

    /** Checks and completes the element. */
    void finish() {
        if (left != 0) {
            finishUnusual();
        }
        SendQueue.writeSizes(memory, wqe, immediate, numSge(), (int) length, tsoHeaderBytes);
        clear();
    }

    private SendRule rule() {
        return SendRule.of(WrOpcode.ofCode(opcode));
    }

    private int numSge() {
        int elements = SendQueue.elementsBefore(wqe, nextSge);
        return tsoHeaderBytes == 0 ? elements : elements - SendQueue.elementsOf(tsoHeaderBytes);
    }

    private void finishUnusual() {
        if (isInline()) {
            SendQueue.addFlags(memory, wqe, SendFlag.INLINE.bit());
        }
        if ((left & NEEDS_EIGHT_BYTES) != 0 && length != ATOMIC_BYTES) {
            end.fail(Errno.EINVAL, rule().opcode() + " needs pieces of 8 bytes for the old value, not of " + length);
        }
        if ((left & NEEDS_DESTINATION) != 0) {
            refuseDestination();
        }
    }

    private boolean isInline() {
        return (left & IS_INLINE) != 0;
    }

    /** Sets the error for a request without a destination. */
    private void refuseDestination() {
        if (isForDatagrams()) {
            end.fail(Errno.EINVAL, rule().opcode() + " on " + type + " needs a destination()");
        } else if (rule().kind() != SendRule.Kind.LOCAL) {
            end.fail(Errno.EINVAL, rule().opcode() + " on XRC_INI needs an xrcSrq()");
        }
    }

    void sge(int lkey, long address, int lengthBytes) {
        if (nextSge == endSge) {
            refuseSge();
            return;
        }
        SgeLayout.write(memory, nextSge, address, lengthBytes, lkey);
        nextSge += SgeLayout.BYTES;
        addLength(Integer.toUnsignedLong(lengthBytes));
    }

    /** Sets the error for a scatter/gather element that the request may not have. */
    private void refuseSge() {
        if (isMissing()) {
            return;
        }
        if (rule().data() == SendRule.Data.NONE) {
            end.fail(Errno.EINVAL, rule().opcode() + " takes no scatter/gather elements");
        } else if (isInline()) {
            end.fail(Errno.EINVAL, "a request has inline data or scatter/gather elements, not both");
        } else {
            int most = numSge();
            end.fail(Errno.EINVAL, "scatter/gather element " + (most + 1) + ": max_send_sge is " + most);
        }
    }

    void inline(MemorySegment data) {
        if (isMissing()) {
            return;
        }
        if (rule().data() != SendRule.Data.ANY) {
            end.fail(Errno.EINVAL, rule().opcode() + " takes no inline data");
        } else if (numSge() != 0) {
            end.fail(Errno.EINVAL, "a request has inline data or scatter/gather elements, not both");
        } else if (data.byteSize() > queue.maxInlineData() - length) {
            end.fail(
                    Errno.EINVAL,
                    "inline data of " + (length + data.byteSize()) + " bytes: max_inline_data is "
                            + queue.maxInlineData());
        } else {
            MemorySegment.copy(data, 0, memory.bytes(), SendQueue.data(wqe, 0) + length, data.byteSize());
            left |= IS_INLINE;
            endSge = nextSge;
            addLength(data.byteSize());
        }
    }

    private void addLength(long bytes) {
        length += bytes;
        if (length > MAX_MESSAGE_BYTES) {
            end.fail(Errno.EINVAL, "a message of " + length + " bytes: the limit is 2^31");
        }
    }

    /** Writes the 8 bytes of an ATOMIC WRITE into the space of the first scatter/gather element. */
    void atomicValue(long value) {
        memory.bytes().set(ATOMIC_VALUE, SendQueue.data(wqe, 0), value);
        left |= IS_INLINE;
        length = ATOMIC_BYTES;
    }

    /** Sets the number of bytes of a FLUSH; they are not sent. */
    void flushLength(long bytes) {
        length = bytes;
    }

    /** Writes the header of a large send; it uses the space of some scatter/gather elements. */
    void tsoHeader(MemorySegment header) {
        if (header.byteSize() > sgeBytes) {
            end.fail(Errno.EINVAL, "a header of " + header.byteSize() + " bytes: this queue takes " + sgeBytes);
        } else {
            MemorySegment.copy(header, 0, memory.bytes(), SendQueue.data(wqe, 0), header.byteSize());
            tsoHeaderBytes = (int) header.byteSize();
            nextSge = SendQueue.data(wqe, SendQueue.elementsOf(tsoHeaderBytes));
        }
    }

    void destination(SendBatch.Path path, int remoteQpn, int remoteQkey) {
        if (!isForDatagrams()) {
            end.fail(Errno.EINVAL, "destinations are for datagrams, this queue pair is " + type);
        } else if (!isMissing()) {
            check24Bits("remote_qpn", remoteQpn);
            SendOperands.writeDestination(memory, wqe, path.handle(), remoteQpn, remoteQkey);
            left &= ~NEEDS_DESTINATION;
        }
    }

    void pkeyIndex(int index) {
        if (type != QpType.GSI) {
            end.fail(Errno.EINVAL, "P_Key indexes in requests are for GSI queue pairs, this one is " + type);
        } else if (!isMissing()) {
            SendOperands.writePkeyIndex(memory, wqe, index);
        }
    }

    void xrcSrq(int number) {
        if (type != QpType.XRC_INI) {
            end.fail(Errno.EINVAL, "XRC SRQ numbers are for XRC_INI queue pairs, this one is " + type);
        } else if (!isMissing()) {
            check24Bits("remote_srqn", number);
            SendOperands.writeXrcSrq(memory, wqe, number);
            left &= ~NEEDS_DESTINATION;
        }
    }

    private void check24Bits(String name, int value) {
        if (value < 0 || value > MAX_24_BITS) {
            end.fail(Errno.EINVAL, name + " 0x" + Integer.toHexString(value) + " has more than 24 bits");
        }
    }

    private boolean isMissing() {
        if (wqe == NONE) {
            end.fail(Errno.EINVAL, "data and destinations must follow an operation such as send()");
        }
        return wqe == NONE;
    }
}
