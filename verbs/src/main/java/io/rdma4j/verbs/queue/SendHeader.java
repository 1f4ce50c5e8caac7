package io.rdma4j.verbs.queue;

import io.rdma4j.verbs.SendFlag;
import java.lang.foreign.MemorySegment;

/**
 * The device's copy of the fields that every element of a {@link SendQueue} begins with: read at once, and before they are
 * checked, since the client can still write into its ring. Reused for one element after another, by one thread at a time.
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

    /** To be filled by {@link #read}. */
    public SendHeader() {}

    /**
     * {@return what an element begins with, in an object of its own}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param element where it lies in {@code memory}, as {@link Ring#offset} says
     */
    public static SendHeader of(MemorySegment memory, long element) {
        SendHeader header = new SendHeader();
        header.read(memory, element);
        return header;
    }

    /**
     * Reads the fields of an element. Allocates nothing.
     *
     * @param memory {@link Ring#memory} of the queue
     * @param element where it lies in {@code memory}, as {@link Ring#offset} says
     */
    public void read(MemorySegment memory, long element) {
        wqe = element;
        wrId = memory.get(Words.LONG, element + SendQueue.WR_ID);
        long operation = memory.get(Words.LONG, element + SendQueue.OPCODE);
        opcode = Words.first(operation);
        flags = Words.second(operation);
        long pieces = memory.get(Words.LONG, element + SendQueue.IMMEDIATE);
        immediate = Words.first(pieces);
        numSge = Words.second(pieces);
        long lengths = memory.get(Words.LONG, element + SendQueue.LENGTH);
        length = Integer.toUnsignedLong(Words.first(lengths));
        tsoHeaderBytes = Words.second(lengths);
    }

    /** {@return where the element lies, for {@link SendOperands}} */
    public long wqe() {
        return wqe;
    }

    /** {@return the application's number} */
    public long wrId() {
        return wrId;
    }

    /** {@return code of the {@link io.rdma4j.verbs.WrOpcode}, if it is one} */
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

    /** {@return immediate data, or with SEND_WITH_INV, RDMA_READ_WITH_INV and LOCAL_INV the key to invalidate} */
    public int immediate() {
        return immediate;
    }

    /** {@return how many scatter/gather elements follow, if it is true} */
    public int numSge() {
        return numSge;
    }

    /** {@return bytes of the message without a TSO header, or bytes to read or flush: 0 to 2^32 - 1} */
    public long length() {
        return length;
    }

    /** {@return for TSO: bytes of the header that each segment begins with; it lies at {@link #data}} */
    public int tsoHeaderBytes() {
        return tsoHeaderBytes;
    }

    /** {@return where the scatter/gather elements, or the inline data, begin} */
    public long data() {
        return SendQueue.data(wqe, 0);
    }
}
