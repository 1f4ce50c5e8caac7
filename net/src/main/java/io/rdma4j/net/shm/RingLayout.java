package io.rdma4j.net.shm;

import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * What lies where in a ring: control words on cache lines of their own, then entries, each on a cache line of its own.
 *
 * <pre>
 *    0  position up to which the consumer needs nothing any more (64), written by the consumer
 *  128  1 while the consumer sleeps (32), set by the consumer, taken back by either
 *  192  a word that the producer is to have in its memory (64), 0 if its memory is not read; written by the consumer
 *  200  where it has it (64): an address in its process, 0 before it knows; written by the producer
 *  208  number of its process (32), written by the producer
 *  212  1 if the consumer reads its memory (32), written by the consumer
 *  216  1 if the consumer takes notes (32), written by the consumer
 *  220  1 if the producer has sent packets by the socket as well since the ring is there (32), written by the producer
 *  256  entries: position modulo {@link #DATA_BYTES}
 *
 *  an entry
 *    0  bytes of the entry (32); 0: there is none yet
 *    4  kind (16), references (8), bytes of headers (8)
 *    8  of a train: bytes a packet (32), packets (32), control buffer (48 bytes)
 *       references: segment (32), bytes (32), offset (64); or -1 for all, bytes, address in the producer's process
 *       headers, payload
 *  or
 *    8  a note, of which the ring knows nothing more
 * </pre>
 *
 * <p>Positions count up for ever. The producer writes the 0 of the entry to come, if it has not before, then the entry, then its first eight bytes at once with release order;
 * the consumer reads them with acquire order. So one cache line carries a small packet across, and nobody waits for an index.
 * Numbers are in the machine's byte order: both ends are on one machine.
 */
final class RingLayout {
    static final long RELEASED = 0;
    static final long ASLEEP = 128;
    static final long CHALLENGE = 192;
    static final long WORD_ADDRESS = 200;
    static final long PROCESS = 208;
    static final long READS = 212;
    static final long NOTES = 216;
    static final long SOCKET = 220;
    static final long DATA = 256;

    /** A power of two. */
    static final int DATA_BYTES = 1 << 19;

    static final int MASK = DATA_BYTES - 1;
    static final long RING_BYTES = DATA + DATA_BYTES;

    /** Two rings: that of who made the file, and that of its peer. */
    static final long FILE_BYTES = 2 * RING_BYTES;

    static final int LINE = 64;

    /** Longer ones would leave too little room for others. */
    static final int MAX_ENTRY_BYTES = DATA_BYTES / 4;

    /** Payload of a packet, or train, that goes as references. */
    static final int MAX_REFERRED_BYTES = 1 << 20;

    /** In place of the number of a segment. */
    static final int OF_PROCESS = -1;

    /** Offsets in an entry. */
    static final int SHAPE = 4;

    static final int HEADER_BYTES = 8;
    static final int TRAIN_BYTES = 56;
    static final int REFERENCE_BYTES = 16;

    /** A packet. */
    static final int PACKET = 1;
    /** Added to {@link #PACKET}: a train. */
    static final int TRAIN = 1 << 1;
    /** Nothing up to the end of the ring. */
    static final int PADDING = 1 << 2;
    /** A packet that its sender took back before it was received. */
    static final int VOID = 1 << 3;
    /** The segment with the number that follows is gone. */
    static final int FORGET = 1 << 4;
    /** A note: see {@link io.rdma4j.net.NoteWay}. */
    static final int NOTE = 1 << 5;

    private static final boolean IS_LITTLE_ENDIAN = ByteOrder.nativeOrder().equals(ByteOrder.LITTLE_ENDIAN);

    static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
    static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private RingLayout() {}

    static int shape(int kind, int references, int headerBytes) {
        return kind | references << Short.SIZE | headerBytes << Short.SIZE + Byte.SIZE;
    }

    /** The first eight bytes of an entry: what it takes, and its shape, in this order in memory. */
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

    /** Where an entry begins in the ring's memory. */
    static long at(long position) {
        return DATA + (position & MASK);
    }

    /** What an entry takes of the ring. */
    static int span(int bytes) {
        return (bytes + LINE - 1) & -LINE;
    }
}
