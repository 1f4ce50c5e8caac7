// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base.local;

/**
 * Memory layout of a link ring: one direction of the messages between two queue pairs of different processes. Each word
 * has one writer.
 *
 * <pre>
 *    0  position up to which the consumer has executed messages (64), written by the consumer
 *    8  epoch that the consumer has closed (64), written by the consumer
 *   16  epoch (32), domain whose keys the producer may use to store (32), written by the consumer
 *   24  bytes of the path MTU of the consumer's queue pair (64), written by the consumer
 *   64  1 while the producer stores into memory of the consumer (64), written by the producer
 *   72  messages that the producer has stored (64), written by the producer
 *   80  packets that these messages replace (64), written by the producer
 *   88  bytes of their payload (64), written by the producer
 *  128  slots: position modulo {@link #SLOTS}
 *  ...  data: payload that does not fit into its slot
 *
 *  a slot, written by the producer
 *    0  stamp of epoch and position (64); written last
 *    8  PSN (bits 0 to 23), opcode of one packet (24 to 31), shape: bytes of payload (32 to 46), packets (47 to 62),
 *       solicited (63)
 *   16  immediate data (bits 0 to 31), R_Key of the memory to write to (32 to 63)
 *   24  address to write to (64)
 *   32  payload of up to {@link #INLINE_BYTES}; or its offset in the data (64)
 * </pre>
 *
 * <p>Positions count up for as long as the memory exists. A producer that begins to use the ring begins an epoch, with
 * a higher number than all before. The first word of a slot is always a stamp, never payload, and a consumer reads only
 * slots with the stamp of its own epoch and position. So no slot has to be cleared. Numbers are in native byte order.
 */
public final class LinkRing {
    /** Number of link rings in each direction of a channel. */
    public static final int COUNT = 64;

    /** Messages in a ring; a power of two. */
    public static final int SLOTS = 64;

    /** Bytes of {@link #DATA}. */
    public static final int DATA_BYTES = 32 << 10;

    /** Longest payload in a slot. */
    public static final int INLINE_BYTES = 96;

    /** Offset of the consumer's position. */
    public static final long RELEASED = 0;

    /** Offset of the closed epoch. */
    public static final long CLOSED = 8;

    /** Offset of epoch and domain for stores, see {@link KeyPage}. */
    public static final long STORABLE = 16;

    /** Offset of the path MTU of the consumer's queue pair. */
    public static final long MTU = 24;

    /** Offset of the word that is 1 while the producer stores. */
    public static final long STORING = 64;

    /** Offset of the number of stored messages. */
    public static final long STORED_MESSAGES = 72;

    /** Offset of the number of packets that stored messages replace. */
    public static final long STORED_PACKETS = 80;

    /** Offset of the number of stored bytes. */
    public static final long STORED_BYTES = 88;

    /** Offset of the first slot. */
    public static final long FIRST_SLOT = 128;

    /** Bytes of a slot. */
    public static final int SLOT_BYTES = 128;

    /** Offset of the data. */
    public static final long DATA = FIRST_SLOT + (long) SLOTS * SLOT_BYTES;

    /** Bytes of a ring. */
    public static final long BYTES = DATA + DATA_BYTES;

    /** Offset of PSN, opcode and shape in a slot. */
    public static final long PSN_AND_SHAPE = 8;

    /** Offset of immediate data and R_Key in a slot. */
    public static final long IMMEDIATE_AND_RKEY = 16;

    /** Offset of the address in a slot. */
    public static final long ADDRESS = 24;

    /** Offset of the payload in a slot. */
    public static final long PAYLOAD = 32;

    private static final int EPOCH_SHIFT = 40;
    private static final long POSITION_MASK = (1L << EPOCH_SHIFT) - 1;

    private static final int LENGTH_BITS = 15;
    private static final int LENGTH_MASK = (1 << LENGTH_BITS) - 1;
    private static final int PACKETS_MASK = 0xFFFF;
    private static final int SOLICITED = 1 << 31;

    private LinkRing() {}

    /**
     * {@return a word of two fields}
     *
     * @param first the lower 32 bits
     * @param second the upper 32 bits
     */
    public static long pair(int first, int second) {
        return Integer.toUnsignedLong(first) | (long) second << Integer.SIZE;
    }

    /**
     * {@return the upper 32 bits of a word of two fields}
     *
     * @param word as of {@link #pair}
     */
    public static int second(long word) {
        return (int) (word >>> Integer.SIZE);
    }

    /**
     * {@return length, number of packets and solicited flag as one field}
     *
     * @param length bytes of payload, less than 32 KiB
     * @param packets number of PSNs, less than 64 Ki
     * @param solicited true if the message is solicited
     */
    public static int shape(int length, int packets, boolean solicited) {
        return length | packets << LENGTH_BITS | (solicited ? SOLICITED : 0);
    }

    /**
     * {@return bytes of payload}
     *
     * @param shape as of {@link #shape}
     */
    public static int length(int shape) {
        return shape & LENGTH_MASK;
    }

    /**
     * {@return number of PSNs}
     *
     * @param shape as of {@link #shape}
     */
    public static int packets(int shape) {
        return shape >>> LENGTH_BITS & PACKETS_MASK;
    }

    /**
     * {@return true if the message is solicited}
     *
     * @param shape as of {@link #shape}
     */
    public static boolean isSolicited(int shape) {
        return shape < 0;
    }

    /**
     * {@return the stamp of a slot}
     *
     * @param epoch at least 1
     * @param position of the message
     */
    public static long stamp(long epoch, long position) {
        return epoch << EPOCH_SHIFT | position & POSITION_MASK;
    }

    /**
     * {@return the word at {@link #STORABLE}}
     *
     * @param epoch at least 1
     * @param domain number of a protection domain; 0 if the producer must not store
     */
    public static long storable(long epoch, int domain) {
        return epoch << Integer.SIZE | Integer.toUnsignedLong(domain);
    }

    /**
     * {@return offset of the slot of a position}
     *
     * @param position of the message
     */
    public static long slot(long position) {
        return FIRST_SLOT + (position & SLOTS - 1) * SLOT_BYTES;
    }
}
