// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import static io.rdma4j.shm.RingLayout.INT;
import static io.rdma4j.shm.RingLayout.LONG;

import io.rdma4j.packet.ChecksumState;
import io.rdma4j.packet.ForeignMemory;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The receiving end of a ring, see {@link RingLayout}. For one thread at a time, unless a method states otherwise.
 * Allocates nothing after the constructor.
 *
 * <p>Headers and small packets are copied into the buffer. For larger packets the buffer refers to the payload in the
 * ring or in the producer's memory. The entry, with all entries before it, is released when the buffer is freed, in any
 * order and by any thread.
 *
 * <p>The producer is not trusted: each number is read once and checked before use.
 */
final class RingConsumer {
    /** Bytes that fit into a buffer: headers, and a small payload after them. */
    static final int BLOCK_BYTES = 512;

    static final int MAX_HEADER_BYTES = 192;

    /** Maximum number of entries that buffers refer to. A power of two. */
    private static final int MAX_HELD = 256;

    /** Maximum number of local messages that one call handles before other rings are polled. */
    private static final int MAX_MESSAGES = 64;

    private static final VarHandle POSITION;

    static {
        try {
            POSITION = MethodHandles.lookup().findVarHandle(RingConsumer.class, "position", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * An entry that a buffer refers to. It is the buffer's destructor, and reads its payload if that is in the memory
     * of the producer's process.
     */
    private final class Held implements SkBuff.Destructor, ForeignMemory {
        long start;
        volatile boolean done;
        private boolean lost;

        void begin(long at) {
            start = at;
            done = false;
            lost = false;
        }

        @Override
        public void destroy(SkBuff skb) {
            done = true;
        }

        @Override
        public void copy(long address, MemorySegment target, long at, int length) {
            boolean read = !lost && !isTakenBack() && process.read(address, target, at, length);
            // The producer marks the entry as void before it reuses the memory.
            VarHandle.fullFence();
            boolean takenBack = isTakenBack();
            if (!read && !lost && !takenBack) {
                process.giveUp();
            }
            if (!read || takenBack) {
                lost = true;
                throw new IllegalStateException("the memory of the peer's process is gone");
            }
            counters.processReads++;
        }

        private boolean isTakenBack() {
            int shape = (int) INT.getOpaque(ring, RingLayout.at(start) + RingLayout.SHAPE);
            return RingLayout.kind(shape) == RingLayout.VOID;
        }

        @Override
        public boolean isAlive() {
            return !lost;
        }
    }

    private final MemorySegment ring;
    private final PeerSegments segments;
    private final PeerProcess process;
    private final ShmCounters counters;
    private final Held[] held = new Held[MAX_HELD];
    private long firstHeld;
    private long nextHeld;

    /** Position of the next entry. The thread that is about to sleep reads it too. */
    @SuppressWarnings("unused") // through POSITION
    private long position;

    private long released;
    private boolean broken;

    /** Number of local messages received. */
    private long messages;

    private MessageSink sink = (_, _, _) -> false;

    /** Receives local messages. */
    interface MessageSink {
        /** Handles a local message. Returns false if the message is invalid. */
        boolean take(MemorySegment memory, long at, int bytes);
    }

    /**
     * @param segments memory of the producer that entries refer to
     * @param system reads other memory of the producer; null: it is not read
     */
    RingConsumer(MemorySegment ring, PeerSegments segments, @Nullable ProcessMemory system, ShmCounters counters) {
        this.ring = ring;
        this.segments = segments;
        this.process = new PeerProcess(ring, system, counters);
        this.counters = counters;
        for (int i = 0; i < MAX_HELD; i++) {
            held[i] = new Held();
        }
    }

    /** Returns true if the producer has violated the format: nothing more is received. */
    boolean isBroken() {
        return broken;
    }

    /** Sets the receiver of local messages. */
    void channelTo(MessageSink taker) {
        sink = taker;
    }

    /** Permits or forbids the producer to send local messages. */
    void acceptsMessages(boolean value) {
        INT.setOpaque(ring, RingLayout.ACCEPTS_MESSAGES, value ? 1 : 0);
    }

    /** Returns true if the producer also sends packets by the socket. */
    boolean isSocketUsed() {
        return (int) INT.getAcquire(ring, RingLayout.SOCKET) != 0;
    }

    /** Returns the number of local messages received. */
    long messages() {
        return messages;
    }

    /** Returns the number of entries that buffers refer to. */
    int heldCount() {
        release();
        return (int) (nextHeld - firstHeld);
    }

    /**
     * Dequeues the next packet. It begins with its IP header, and its offload is {@link IncompletePacket}.
     *
     * @param pool with buffers of {@link #BLOCK_BYTES}
     * @return null if there is no packet, or no buffer for it
     */
    @Nullable
    SkBuff receive(SkBuffPool pool) {
        release();
        SkBuff skb = null;
        boolean more = !broken;
        int messagesLeft = MAX_MESSAGES;
        while (more && skb == null && messagesLeft > 0) {
            long start = (long) POSITION.get(this);
            long at = RingLayout.at(start);
            long entry = (long) LONG.getAcquire(ring, at);
            int bytes = RingLayout.bytes(entry);
            if (bytes == 0 || nextHeld - firstHeld == MAX_HELD) {
                return null;
            }
            int shape = RingLayout.shape(entry);
            int kind = RingLayout.kind(shape);
            if (bytes < RingLayout.HEADER_BYTES || bytes > RingLayout.DATA + RingLayout.DATA_BYTES - at) {
                broken = true;
            } else if ((kind & RingLayout.PACKET) != 0 && bytes <= RingLayout.MAX_ENTRY_BYTES) {
                skb = pool.allocate();
                if (skb == null) {
                    return null;
                }
                broken = !read(skb, start, at, bytes, shape);
            } else if (kind == RingLayout.MESSAGE && bytes <= RingLayout.MAX_ENTRY_BYTES) {
                messagesLeft--;
                messages++;
                broken = !sink.take(ring, at + RingLayout.HEADER_BYTES, bytes - RingLayout.HEADER_BYTES);
            } else if (kind == RingLayout.FORGET && bytes == RingLayout.HEADER_BYTES + Integer.BYTES) {
                segments.forget(ring.get(ValueLayout.JAVA_INT, at + RingLayout.HEADER_BYTES));
            } else {
                broken = kind != RingLayout.PADDING && kind != RingLayout.VOID;
            }
            more = !broken;
            if (more) {
                POSITION.setRelease(this, start + RingLayout.span(bytes));
            }
        }
        if (broken && skb != null) {
            skb.free();
            return null;
        }
        return skb;
    }

    /** Reads a packet entry; returns false if its format is invalid. */
    private boolean read(SkBuff skb, long start, long at, int bytes, int shape) {
        int headers = RingLayout.headerBytes(shape);
        int references = RingLayout.references(shape);
        boolean isTrain = (RingLayout.kind(shape) & RingLayout.TRAIN) != 0;
        int referencesAt = RingLayout.HEADER_BYTES + (isTrain ? RingLayout.TRAIN_BYTES : 0);
        int front = referencesAt + references * RingLayout.REFERENCE_BYTES;
        int payload = bytes - front - headers;
        if (headers > MAX_HEADER_BYTES || payload < 0 || references > 0 && payload > 0) {
            return false;
        }
        int linear = headers + payload <= BLOCK_BYTES ? headers + payload : headers;
        MemorySegment.copy(ring, at + front, skb.memory(), skb.put(linear), linear);
        if (payload > 0 && linear == headers) {
            skb.addFrag(ring, at + front + headers, payload);
            process.probe();
        }
        if (isTrain && !readTrain(skb, at + RingLayout.HEADER_BYTES)
                || references > 0 && !readReferences(skb, at + referencesAt, references)) {
            return false;
        }
        if (skb.shinfo().fragCount() > 0) {
            hold(skb, start);
        }
        skb.shinfo().offload(IncompletePacket.INSTANCE);
        skb.meta().ipSummed(ChecksumState.UNNECESSARY);
        return true;
    }

    private boolean readTrain(SkBuff skb, long at) {
        int size = ring.get(ValueLayout.JAVA_INT, at);
        int packets = ring.get(ValueLayout.JAVA_INT, at + Integer.BYTES);
        if (size < 1
                || size > RingLayout.MAX_REFERRED_BYTES
                || packets < 1
                || packets > RingLayout.MAX_REFERRED_BYTES) {
            return false;
        }
        skb.shinfo().gso(size, packets);
        MemorySegment.copy(ring, at + Long.BYTES, skb.cb(), 0, SkBuff.CB_BYTES);
        return true;
    }

    private boolean readReferences(SkBuff skb, long at, int count) {
        if (count > SkBuff.MAX_FRAGS) {
            return false;
        }
        long left = RingLayout.MAX_REFERRED_BYTES;
        for (int i = 0; i < count; i++) {
            long reference = at + (long) i * RingLayout.REFERENCE_BYTES;
            int number = ring.get(ValueLayout.JAVA_INT, reference);
            int length = ring.get(ValueLayout.JAVA_INT, reference + Integer.BYTES);
            long offset = ring.get(ValueLayout.JAVA_LONG, reference + Long.BYTES);
            if (length < 0 || length > left || !readReference(skb, number, offset, length)) {
                return false;
            }
            left -= length;
        }
        return true;
    }

    private boolean readReference(SkBuff skb, int number, long offset, int length) {
        boolean isFirst = skb.shinfo().fragCount() == 0;
        if (number == RingLayout.OF_PROCESS) {
            if (isFirst || skb.shinfo().isForeign()) {
                // The same slot that {@link #hold} uses for this entry.
                skb.addForeignFrag(held[(int) nextHeld & MAX_HELD - 1], offset, length);
                return true;
            }
            return false;
        }
        MemorySegment segment = segments.get(number);
        if (segment == null
                || offset < 0
                || offset > segment.byteSize() - length
                || !isFirst && skb.shinfo().isForeign()) {
            return false;
        }
        skb.addFrag(segment, offset, length);
        return true;
    }

    private void hold(SkBuff skb, long start) {
        Held entry = held[(int) nextHeld++ & MAX_HELD - 1];
        entry.begin(start);
        skb.destructor(entry);
    }

    /**
     * Releases the entries before the first one that a buffer refers to. The store has release order, so that all reads
     * of those entries come before it.
     */
    private void release() {
        while (firstHeld < nextHeld && held[(int) firstHeld & MAX_HELD - 1].done) {
            firstHeld++;
        }
        long upTo = firstHeld < nextHeld ? held[(int) firstHeld & MAX_HELD - 1].start : (long) POSITION.get(this);
        if (upTo != released) {
            released = upTo;
            LONG.setRelease(ring, RingLayout.RELEASED, upTo);
        }
    }

    /** Returns true if no entry waits. Any thread, while the ring's memory is mapped. */
    boolean isEmpty() {
        return (int) INT.getAcquire(ring, RingLayout.at((long) POSITION.getAcquire(this))) == 0;
    }

    /**
     * Sets the flag that the receiving thread sleeps or is about to, or clears it. Any thread, while the ring's memory
     * is mapped.
     */
    void asleep(boolean value) {
        INT.setOpaque(ring, RingLayout.ASLEEP, value ? 1 : 0);
    }
}
