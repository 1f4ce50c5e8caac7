// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import io.rdma4j.base.local.LinkRing;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Memory layout of a ring: control words, then entries. Each entry begins on a cache line of its own.
 *
 * <pre>
 *    0  position up to which the consumer has released entries (64), written by the consumer
 *  128  1 while the consumer sleeps (32), set by the consumer, cleared by either
 *  192  challenge: a word that the producer stores in its memory (64), written by the consumer; 0: never read
 *  200  address of that word in the producer's process (64), 0 until it is known; written by the producer
 *  208  number of the producer's process (32), written by the producer
 *  212  1 if the consumer reads the producer's memory (32), written by the consumer
 *  216  1 if the consumer accepts local messages (32), written by the consumer
 *  220  1 if the producer has sent packets by the socket since the ring exists (32), written by the producer
 *  256  entries: position modulo {@link #DATA_BYTES}
 *
 *  an entry
 *    0  bytes of the entry (32); 0: not written yet
 *    4  kind (16), references (8), bytes of headers (8)
 *    8  of a train: bytes of a packet (32), packets (32), control buffer (48 bytes)
 *       references: segment (32), bytes (32), offset (64); or -1, bytes, address in the producer's process
 *       headers, payload
 *  or
 *    8  a local message, opaque to the ring
 * </pre>
 *
 * <p>Positions count up without wrapping. The producer first writes the 0 of the next entry, unless it has done so
 * before, then the entry. It writes the entry's first eight bytes last, in one store with release order; the consumer
 * reads them with acquire order. So one cache line transfers a small packet, and no index is shared. Numbers are in
 * native byte order, because both ends are on one machine.
 */
final class RingLayout {
    static final long RELEASED = 0;
    static final long ASLEEP = 128;
    static final long CHALLENGE = 192;
    static final long WORD_ADDRESS = 200;
    static final long PROCESS = 208;
    static final long READS = 212;
    static final long ACCEPTS_MESSAGES = 216;
    static final long SOCKET = 220;
    static final long DATA = 256;

    static final int DATA_BYTES = 1 << 19;

    static final int MASK = DATA_BYTES - 1;
    static final long RING_BYTES = DATA + DATA_BYTES;

    /** Bytes of the link rings of one direction, see {@link LinkRing}. */
    static final long LINK_RINGS_BYTES = LinkRing.COUNT * LinkRing.BYTES;

    /**
     * Two rings: first the one that the creator of the file writes, then that of its peer. Link rings in the same order
     * follow.
     */
    static final long FILE_BYTES = 2 * (RING_BYTES + LINK_RINGS_BYTES);

    static final int LINE = 64;

    /** Maximum size of an entry, bytes: longer ones would leave too little room for others. */
    static final int MAX_ENTRY_BYTES = DATA_BYTES / 4;

    /** Maximum payload of a packet or train that is sent as references, bytes. */
    static final int MAX_REFERRED_BYTES = 1 << 20;

    /** Segment number of a reference into the memory of the producer's process. */
    static final int OF_PROCESS = -1;

    /** Offset of kind, reference count and header length in an entry, bytes. */
    static final int SHAPE = 4;

    static final int HEADER_BYTES = 8;
    static final int TRAIN_BYTES = 56;
    static final int REFERENCE_BYTES = 16;

    /** A packet. */
    static final int PACKET = 1;
    /** Added to {@link #PACKET}: a train. */
    static final int TRAIN = 1 << 1;
    /** Padding up to the end of the ring. */
    static final int PADDING = 1 << 2;
    /** A packet that its sender withdrew before the consumer received it. */
    static final int VOID = 1 << 3;
    /** The producer has freed the segment with the number that follows. */
    static final int FORGET = 1 << 4;
    /** A local message: see {@link io.rdma4j.base.local.LocalChannel}. */
    static final int MESSAGE = 1 << 5;

    private static final boolean IS_LITTLE_ENDIAN = ByteOrder.nativeOrder().equals(ByteOrder.LITTLE_ENDIAN);

    static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
    static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private RingLayout() {}

    static int shape(int kind, int references, int headerBytes) {
        return kind | references << Short.SIZE | headerBytes << Short.SIZE + Byte.SIZE;
    }

    /** Combines the size and the shape of an entry, in this order in memory: its first eight bytes. */
    static long start(int bytes, int shape) {
        int first = IS_LITTLE_ENDIAN ? bytes : shape;
        int last = IS_LITTLE_ENDIAN ? shape : bytes;
        return (long) last << Integer.SIZE | Integer.toUnsignedLong(first);
    }

    static int bytes(long start) {
        return (int) (IS_LITTLE_ENDIAN ? start : start >>> Integer.SIZE);
    }

    static int shape(long start) {
        return (int) (IS_LITTLE_ENDIAN ? start >>> Integer.SIZE : start);
    }

    static int kind(int shape) {
        return shape & 0xFFFF;
    }

    static int references(int shape) {
        return shape >>> Short.SIZE & 0xFF;
    }

    static int headerBytes(int shape) {
        return shape >>> Short.SIZE + Byte.SIZE;
    }

    /** Returns the offset of an entry in the ring's memory. */
    static long at(long position) {
        return DATA + (position & MASK);
    }

    /** Returns the bytes that an entry occupies in the ring: whole cache lines. */
    static int span(int bytes) {
        return (bytes + LINE - 1) & -LINE;
    }
}
