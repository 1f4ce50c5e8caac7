// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

/**
 * Operands of send work requests: bytes 32..95 of an element of a {@link SendQueue}. Operations that never occur
 * together share the bytes. Operands that an operation does not have are undefined.
 *
 * <pre>
 *                        32                 40         44              48           56             60   64     72
 * SEND (XRC)             |                  |          |XRC SRQ number |
 * datagram               |AH hndl|remoteQPN |Q_Key     |P_Key index    |LSO: MSS (32)
 * WRITE READ FLUSH AtWr  |remote address    |rkey      |XRC SRQ number |type (32)|level (32)
 * atomics                |remote address    |rkey      |XRC SRQ number |compare/add |swap              |cmpmask|swpmask
 * BIND_MW                |address           |new rkey  |window's handle|length      |region's lkey |access
 * REG_MR                 |iova              |new key   |region's handle|length      |              |access
 * </pre>
 *
 * <p>The key of LOCAL_INV, SEND_WITH_INV and RDMA_READ_WITH_INV is {@link SendHeader#immediate}. The number of bytes to
 * READ or FLUSH is {@link SendHeader#length}. The 8 bytes of an ATOMIC WRITE are inline data.
 *
 * <p>The readers are for the device, which must not trust the values.
 */
public final class SendOperands {
    // Offsets of the words in which the fields are read and written
    private static final long REMOTE_ADDRESS = 32;
    private static final long REMOTE_KEY_AND_XRC_SRQ = 40;
    private static final long COMPARE_ADD = 48;
    private static final long SWAP = 56;
    private static final long COMPARE_ADD_MASK = 64;
    private static final long SWAP_MASK = 72;

    private static final long FLUSH_TYPE_AND_LEVEL = 48;

    private static final long ADDRESS_HANDLE_AND_QPN = 32;
    private static final long QKEY_AND_PKEY_INDEX = 40;
    private static final long SEGMENT_BYTES = 48;

    private static final long ADDRESS = 32;
    private static final long NEW_KEY_AND_HANDLE = 40;
    private static final long RANGE_LENGTH = 48;
    private static final long REGION_KEY_AND_ACCESS = 56;

    private SendOperands() {}

    // Writers, for the posting end

    static void writeRemote(RingMemory memory, long wqe, long address, int rkey) {
        memory.set(wqe, REMOTE_ADDRESS, address);
        memory.set(wqe, REMOTE_KEY_AND_XRC_SRQ, RingMemory.pair(rkey, 0));
    }

    static void writeAtomic(
            RingMemory memory, long wqe, long compareAdd, long swap, long compareAddMask, long swapMask) {
        memory.set(wqe, COMPARE_ADD, compareAdd);
        memory.set(wqe, SWAP, swap);
        memory.set(wqe, COMPARE_ADD_MASK, compareAddMask);
        memory.set(wqe, SWAP_MASK, swapMask);
    }

    static void writeFlush(RingMemory memory, long wqe, int types, int level) {
        memory.set(wqe, FLUSH_TYPE_AND_LEVEL, RingMemory.pair(types, level));
    }

    /** Keeps the P_Key index, which may be set before or after the destination. */
    static void writeDestination(RingMemory memory, long wqe, int addressHandle, int qpn, int qkey) {
        memory.set(wqe, ADDRESS_HANDLE_AND_QPN, RingMemory.pair(addressHandle, qpn));
        long word = memory.get(wqe, QKEY_AND_PKEY_INDEX);
        memory.set(wqe, QKEY_AND_PKEY_INDEX, RingMemory.pair(qkey, RingMemory.second(word)));
    }

    static void writePkeyIndex(RingMemory memory, long wqe, int index) {
        long word = memory.get(wqe, QKEY_AND_PKEY_INDEX);
        memory.set(wqe, QKEY_AND_PKEY_INDEX, RingMemory.pair(RingMemory.first(word), index));
    }

    static void writeSegmentBytes(RingMemory memory, long wqe, int bytes) {
        memory.set(wqe, SEGMENT_BYTES, RingMemory.pair(bytes, 0));
    }

    static void writeXrcSrq(RingMemory memory, long wqe, int number) {
        long word = memory.get(wqe, REMOTE_KEY_AND_XRC_SRQ);
        memory.set(wqe, REMOTE_KEY_AND_XRC_SRQ, RingMemory.pair(RingMemory.first(word), number));
    }

    static void writeRange(
            RingMemory memory, long wqe, int handle, int newKey, int regionKey, long address, long length, int access) {
        memory.set(wqe, ADDRESS, address);
        memory.set(wqe, NEW_KEY_AND_HANDLE, RingMemory.pair(newKey, handle));
        memory.set(wqe, RANGE_LENGTH, length);
        memory.set(wqe, REGION_KEY_AND_ACCESS, RingMemory.pair(regionKey, access));
    }

    // Readers, for the device's end

    /**
     * {@return for RDMA, atomics, FLUSH, ATOMIC WRITE: address in the peer's region}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static long remoteAddress(RingMemory memory, long wqe) {
        return memory.get(wqe, REMOTE_ADDRESS);
    }

    /**
     * {@return for RDMA, atomics, FLUSH, ATOMIC WRITE: key of the peer's region or window}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static int remoteKey(RingMemory memory, long wqe) {
        return RingMemory.first(memory.get(wqe, REMOTE_KEY_AND_XRC_SRQ));
    }

    /**
     * {@return for XRC_INI queue pairs: number of the peer's shared receive queue, 24 bits; 0 if none was set}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static int xrcSrq(RingMemory memory, long wqe) {
        return RingMemory.second(memory.get(wqe, REMOTE_KEY_AND_XRC_SRQ));
    }

    /**
     * {@return for atomics: the value to compare with, or to add}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static long compareAdd(RingMemory memory, long wqe) {
        return memory.get(wqe, COMPARE_ADD);
    }

    /**
     * {@return for compare-and-swap: the value to store}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static long swap(RingMemory memory, long wqe) {
        return memory.get(wqe, SWAP);
    }

    /**
     * {@return for masked atomics: the bits to compare, or the highest bit of each field to add to}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static long compareAddMask(RingMemory memory, long wqe) {
        return memory.get(wqe, COMPARE_ADD_MASK);
    }

    /**
     * {@return for masked compare-and-swap: the bits to store}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static long swapMask(RingMemory memory, long wqe) {
        return memory.get(wqe, SWAP_MASK);
    }

    /**
     * {@return for FLUSH: bits of {@link io.rdma4j.verbs.wr.FlushType}}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static int flushTypes(RingMemory memory, long wqe) {
        return RingMemory.first(memory.get(wqe, FLUSH_TYPE_AND_LEVEL));
    }

    /**
     * {@return for FLUSH: code of the {@link io.rdma4j.verbs.wr.FlushLevel}}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static int flushLevel(RingMemory memory, long wqe) {
        return RingMemory.second(memory.get(wqe, FLUSH_TYPE_AND_LEVEL));
    }

    /**
     * {@return for datagrams: {@link io.rdma4j.verbs.spi.AhOps#handle}}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static int addressHandle(RingMemory memory, long wqe) {
        return RingMemory.first(memory.get(wqe, ADDRESS_HANDLE_AND_QPN));
    }

    /**
     * {@return for datagrams: QPN of the receiver, 24 bits; 0xFFFFFF for a multicast group}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static int remoteQpn(RingMemory memory, long wqe) {
        return RingMemory.second(memory.get(wqe, ADDRESS_HANDLE_AND_QPN));
    }

    /**
     * {@return for datagrams: the receiver's Q_Key; if bit 31 is set, the sender's own Q_Key is used instead}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static int remoteQkey(RingMemory memory, long wqe) {
        return RingMemory.first(memory.get(wqe, QKEY_AND_PKEY_INDEX));
    }

    /**
     * {@return for datagrams of GSI queue pairs: index of the P_Key table}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static int pkeyIndex(RingMemory memory, long wqe) {
        return RingMemory.second(memory.get(wqe, QKEY_AND_PKEY_INDEX));
    }

    /**
     * {@return for TSO: maximum bytes behind the header in one segment}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static int segmentBytes(RingMemory memory, long wqe) {
        return RingMemory.first(memory.get(wqe, SEGMENT_BYTES));
    }

    /**
     * {@return for BIND_MW: start of the window in the region's address space; REG_MR: address of the region's first
     * byte}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static long address(RingMemory memory, long wqe) {
        return memory.get(wqe, ADDRESS);
    }

    /**
     * {@return for BIND_MW, REG_MR: the new key of the window or region}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static int newKey(RingMemory memory, long wqe) {
        return RingMemory.first(memory.get(wqe, NEW_KEY_AND_HANDLE));
    }

    /**
     * {@return for BIND_MW, REG_MR: {@link io.rdma4j.verbs.spi.MwOps#handle} or {@link
     * io.rdma4j.verbs.spi.FastMrOps#handle}}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static int objectHandle(RingMemory memory, long wqe) {
        return RingMemory.second(memory.get(wqe, NEW_KEY_AND_HANDLE));
    }

    /**
     * {@return for BIND_MW, REG_MR: bytes; a window of 0 bytes is unbound}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static long rangeLength(RingMemory memory, long wqe) {
        return memory.get(wqe, RANGE_LENGTH);
    }

    /**
     * {@return for BIND_MW: L_Key of the underlying region; undefined if the length is 0}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static int regionKey(RingMemory memory, long wqe) {
        return RingMemory.first(memory.get(wqe, REGION_KEY_AND_ACCESS));
    }

    /**
     * {@return for BIND_MW, REG_MR: bits of {@link io.rdma4j.verbs.values.AccessFlag}}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static int access(RingMemory memory, long wqe) {
        return RingMemory.second(memory.get(wqe, REGION_KEY_AND_ACCESS));
    }
}
