// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import java.lang.foreign.MemorySegment;

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
    private static final long REMOTE_ADDRESS = 32;
    private static final long REMOTE_KEY = 40;
    private static final long XRC_SRQ = 44;
    private static final long COMPARE_ADD = 48;
    private static final long SWAP = 56;
    private static final long COMPARE_ADD_MASK = 64;
    private static final long SWAP_MASK = 72;

    private static final long FLUSH_TYPE = 48;
    private static final long FLUSH_LEVEL = 52;

    private static final long ADDRESS_HANDLE = 32;
    private static final long REMOTE_QPN = 36;
    private static final long REMOTE_QKEY = 40;
    private static final long PKEY_INDEX = 44;
    private static final long SEGMENT_BYTES = 48;

    private static final long ADDRESS = 32;
    private static final long NEW_KEY = 40;
    private static final long OBJECT_HANDLE = 44;
    private static final long RANGE_LENGTH = 48;
    private static final long REGION_KEY = 56;
    private static final long ACCESS = 60;

    private SendOperands() {}

    // Writers, for the posting end

    static void writeRemote(MemorySegment memory, long wqe, long address, int rkey) {
        memory.set(RingAccess.LONG, wqe + REMOTE_ADDRESS, address);
        memory.set(RingAccess.INT, wqe + REMOTE_KEY, rkey);
    }

    static void writeAtomic(
            MemorySegment memory, long wqe, long compareAdd, long swap, long compareAddMask, long swapMask) {
        memory.set(RingAccess.LONG, wqe + COMPARE_ADD, compareAdd);
        memory.set(RingAccess.LONG, wqe + SWAP, swap);
        memory.set(RingAccess.LONG, wqe + COMPARE_ADD_MASK, compareAddMask);
        memory.set(RingAccess.LONG, wqe + SWAP_MASK, swapMask);
    }

    static void writeFlush(MemorySegment memory, long wqe, int types, int level) {
        memory.set(RingAccess.INT, wqe + FLUSH_TYPE, types);
        memory.set(RingAccess.INT, wqe + FLUSH_LEVEL, level);
    }

    static void writeDestination(MemorySegment memory, long wqe, int addressHandle, int qpn, int qkey) {
        memory.set(RingAccess.INT, wqe + ADDRESS_HANDLE, addressHandle);
        memory.set(RingAccess.INT, wqe + REMOTE_QPN, qpn);
        memory.set(RingAccess.INT, wqe + REMOTE_QKEY, qkey);
    }

    static void writePkeyIndex(MemorySegment memory, long wqe, int index) {
        memory.set(RingAccess.INT, wqe + PKEY_INDEX, index);
    }

    static void writeSegmentBytes(MemorySegment memory, long wqe, int bytes) {
        memory.set(RingAccess.INT, wqe + SEGMENT_BYTES, bytes);
    }

    static void writeXrcSrq(MemorySegment memory, long wqe, int number) {
        memory.set(RingAccess.INT, wqe + XRC_SRQ, number);
    }

    static void writeRange(
            MemorySegment memory,
            long wqe,
            int handle,
            int newKey,
            int regionKey,
            long address,
            long length,
            int access) {
        memory.set(RingAccess.LONG, wqe + ADDRESS, address);
        memory.set(RingAccess.INT, wqe + NEW_KEY, newKey);
        memory.set(RingAccess.INT, wqe + OBJECT_HANDLE, handle);
        memory.set(RingAccess.LONG, wqe + RANGE_LENGTH, length);
        memory.set(RingAccess.INT, wqe + REGION_KEY, regionKey);
        memory.set(RingAccess.INT, wqe + ACCESS, access);
    }

    // Readers, for the device's end

    /**
     * {@return for RDMA, atomics, FLUSH, ATOMIC WRITE: address in the peer's region}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static long remoteAddress(MemorySegment memory, long wqe) {
        return memory.get(RingAccess.LONG, wqe + REMOTE_ADDRESS);
    }

    /**
     * {@return for RDMA, atomics, FLUSH, ATOMIC WRITE: key of the peer's region or window}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static int remoteKey(MemorySegment memory, long wqe) {
        return memory.get(RingAccess.INT, wqe + REMOTE_KEY);
    }

    /**
     * {@return for XRC_INI queue pairs: number of the peer's shared receive queue, 24 bits; 0 if none was set}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static int xrcSrq(MemorySegment memory, long wqe) {
        return memory.get(RingAccess.INT, wqe + XRC_SRQ);
    }

    /**
     * {@return for atomics: the value to compare with, or to add}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static long compareAdd(MemorySegment memory, long wqe) {
        return memory.get(RingAccess.LONG, wqe + COMPARE_ADD);
    }

    /**
     * {@return for compare-and-swap: the value to store}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static long swap(MemorySegment memory, long wqe) {
        return memory.get(RingAccess.LONG, wqe + SWAP);
    }

    /**
     * {@return for masked atomics: the bits to compare, or the highest bit of each field to add to}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static long compareAddMask(MemorySegment memory, long wqe) {
        return memory.get(RingAccess.LONG, wqe + COMPARE_ADD_MASK);
    }

    /**
     * {@return for masked compare-and-swap: the bits to store}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static long swapMask(MemorySegment memory, long wqe) {
        return memory.get(RingAccess.LONG, wqe + SWAP_MASK);
    }

    /**
     * {@return for FLUSH: bits of {@link io.rdma4j.verbs.wr.FlushType}}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static int flushTypes(MemorySegment memory, long wqe) {
        return memory.get(RingAccess.INT, wqe + FLUSH_TYPE);
    }

    /**
     * {@return for FLUSH: code of the {@link io.rdma4j.verbs.wr.FlushLevel}}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static int flushLevel(MemorySegment memory, long wqe) {
        return memory.get(RingAccess.INT, wqe + FLUSH_LEVEL);
    }

    /**
     * {@return for datagrams: {@link io.rdma4j.verbs.spi.AhOps#handle}}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static int addressHandle(MemorySegment memory, long wqe) {
        return memory.get(RingAccess.INT, wqe + ADDRESS_HANDLE);
    }

    /**
     * {@return for datagrams: QPN of the receiver, 24 bits; 0xFFFFFF for a multicast group}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static int remoteQpn(MemorySegment memory, long wqe) {
        return memory.get(RingAccess.INT, wqe + REMOTE_QPN);
    }

    /**
     * {@return for datagrams: the receiver's Q_Key; if bit 31 is set, the sender's own Q_Key is used instead}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static int remoteQkey(MemorySegment memory, long wqe) {
        return memory.get(RingAccess.INT, wqe + REMOTE_QKEY);
    }

    /**
     * {@return for datagrams of GSI queue pairs: index of the P_Key table}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static int pkeyIndex(MemorySegment memory, long wqe) {
        return memory.get(RingAccess.INT, wqe + PKEY_INDEX);
    }

    /**
     * {@return for TSO: maximum bytes behind the header in one segment}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static int segmentBytes(MemorySegment memory, long wqe) {
        return memory.get(RingAccess.INT, wqe + SEGMENT_BYTES);
    }

    /**
     * {@return for BIND_MW: start of the window in the region's address space; REG_MR: address of the region's first
     * byte}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static long address(MemorySegment memory, long wqe) {
        return memory.get(RingAccess.LONG, wqe + ADDRESS);
    }

    /**
     * {@return for BIND_MW, REG_MR: the new key of the window or region}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static int newKey(MemorySegment memory, long wqe) {
        return memory.get(RingAccess.INT, wqe + NEW_KEY);
    }

    /**
     * {@return for BIND_MW, REG_MR: {@link io.rdma4j.verbs.spi.MwOps#handle} or {@link
     * io.rdma4j.verbs.spi.FastMrOps#handle}}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static int objectHandle(MemorySegment memory, long wqe) {
        return memory.get(RingAccess.INT, wqe + OBJECT_HANDLE);
    }

    /**
     * {@return for BIND_MW, REG_MR: bytes; a window of 0 bytes is unbound}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static long rangeLength(MemorySegment memory, long wqe) {
        return memory.get(RingAccess.LONG, wqe + RANGE_LENGTH);
    }

    /**
     * {@return for BIND_MW: L_Key of the underlying region; undefined if the length is 0}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static int regionKey(MemorySegment memory, long wqe) {
        return memory.get(RingAccess.INT, wqe + REGION_KEY);
    }

    /**
     * {@return for BIND_MW, REG_MR: bits of {@link io.rdma4j.verbs.values.AccessFlag}}
     *
     * @param memory {@link Ring#memory} of the queue
     * @param wqe offset of the element in {@code memory}, see {@link Ring#offset}
     */
    public static int access(MemorySegment memory, long wqe) {
        return memory.get(RingAccess.INT, wqe + ACCESS);
    }
}
