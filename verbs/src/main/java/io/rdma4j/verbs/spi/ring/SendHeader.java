// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import io.rdma4j.verbs.wr.SendFlag;

/**
 * The device's copy of the header fields of a {@link SendQueue} element. The device copies the fields before it checks
 * them, because the application can still write into the ring. Reused for one element after another, by one thread at a
 * time.
 */
public final class SendHeader {
    private long wqe;
    private long wrId;
    private int opcode;
    private int flags;
    private int immediate;
    private int numSge;
    private long length;
    private int tsoHeaderBytes;

    /** Creates an empty header; {@link #read} fills it. */
    public SendHeader() {}

    /**
     * {@return the header fields of an element, in a new object}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param element offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static SendHeader of(RingMemory memory, long element) {
        SendHeader header = new SendHeader();
        header.read(memory, element);
        return header;
    }

    /**
     * Reads the header fields of an element. Allocates nothing.
     *
     * @param memory {@link Ring#memory} of the queue
     * @param element offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public void read(RingMemory memory, long element) {
        wqe = element;
        wrId = memory.get(element, SendQueue.WR_ID);
        long operation = memory.get(element, SendQueue.OPCODE);
        opcode = RingMemory.first(operation);
        flags = RingMemory.second(operation);
        long pieces = memory.get(element, SendQueue.IMMEDIATE);
        immediate = RingMemory.first(pieces);
        numSge = RingMemory.second(pieces);
        long lengths = memory.get(element, SendQueue.LENGTH);
        length = Integer.toUnsignedLong(RingMemory.first(lengths));
        tsoHeaderBytes = RingMemory.second(lengths);
    }

    /** {@return the offset of the element, for {@link SendOperands}} */
    public long wqe() {
        return wqe;
    }

    /** {@return the {@code wr_id} of the request} */
    public long wrId() {
        return wrId;
    }

    /** {@return code of the {@link io.rdma4j.verbs.wr.WrOpcode}, unchecked} */
    public int opcode() {
        return opcode;
    }

    /** {@return bits of {@link SendFlag}} */
    public int flags() {
        return flags;
    }

    /**
     * {@return true if the request has a flag}
     *
     * @param flag one of the constants
     */
    public boolean hasFlag(SendFlag flag) {
        return (flags & flag.bit()) != 0;
    }

    /** {@return immediate data, or the key to invalidate for SEND_WITH_INV, RDMA_READ_WITH_INV and LOCAL_INV} */
    public int immediate() {
        return immediate;
    }

    /** {@return number of scatter/gather elements, unchecked} */
    public int numSge() {
        return numSge;
    }

    /** {@return bytes of the message without a TSO header, or bytes to read or flush: 0 to 2^32 - 1} */
    public long length() {
        return length;
    }

    /**
     * {@return for TSO: bytes of the header of each segment; it begins at {@link #data} in {@link RingMemory#bytes}}
     */
    public int tsoHeaderBytes() {
        return tsoHeaderBytes;
    }

    /** {@return the offset of the scatter/gather elements; in {@link RingMemory#bytes} that of the inline data} */
    public long data() {
        return SendQueue.data(wqe, 0);
    }
}
