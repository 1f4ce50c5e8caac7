// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import static io.rdma4j.shm.RingLayout.INT;
import static io.rdma4j.shm.RingLayout.LONG;

import io.rdma4j.base.local.LocalChannel;
import io.rdma4j.packet.SkBuff;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The sending end of a ring, see {@link RingLayout}. For one thread at a time; allocates nothing after the constructor.
 *
 * <p>Payload may be sent as a reference, into a segment that both ends have mapped or into the memory of this process.
 * Such a packet is kept until the peer has read it, because its memory may be reused when it is freed. The producer
 * reads the peer's position ({@link #reap}) only if it needs room or is otherwise idle, because each read transfers a
 * cache line.
 */
final class RingProducer {
    /** The result of sending a packet. */
    enum Result {
        /** The packet was copied into the ring. The caller owns the buffer and may free it. */
        COPIED,
        /**
         * The packet is in the ring and refers to a segment. The buffer is freed when the peer has read the payload.
         */
        REFERRED,
        /** The same as {@link #REFERRED}, but the peer reads the payload from the memory of this process. */
        REFERENCED,
        /** The ring has no room. The packet was not touched. */
        FULL,
        /** The memory of the payload is closed. The packet was not sent. */
        LOST
    }

    /** Minimum payload of a reference, bytes. Copying a shorter payload takes less time than describing it. */
    static final int LEAST_REFERRED_BYTES = 1024;

    static final int MAX_COPIED_BYTES = RingLayout.MAX_ENTRY_BYTES / 2;

    /** Bytes that {@link #makeReady()} prepares: about what a burst writes before it is flushed. */
    private static final int READY_BYTES = 16 * RingLayout.LINE;

    private static final int MAX_REFERRED = ZeroCopyQuota.MOST / 2;

    private final MemorySegment ring;
    private final OwnSegments segments;
    private final OwnProcess process;
    private final ZeroCopyQuota share;
    private final @Nullable SkBuff[] referred = new SkBuff[MAX_REFERRED];

    /** Start and end position of each referred packet's entry. */
    private final long[] starts = new long[MAX_REFERRED];

    private final long[] ends = new long[MAX_REFERRED];
    private int oldest;
    private int referredCount;

    /** Position of the next entry. {@link #released} is the peer's position when it was read last. */
    private long head;

    private long released;

    /** Each line from {@link #head} to this position begins with 0, except in an entry that was begun. */
    private long ready;

    /** End of the last entry that was begun. It may never be sent. */
    private long begun;

    private boolean broken;

    /**
     * @param ring filled with zeros
     * @param share limits the packets that wait for peers
     */
    RingProducer(MemorySegment ring, OwnSegments segments, ZeroCopyQuota share) {
        this.ring = ring;
        this.share = share;
        this.segments = segments;
        this.process = new OwnProcess(ring);
    }

    /** Returns true if the peer has violated the format. */
    boolean isBroken() {
        return broken;
    }

    /** Returns true if a ring can carry the packet, possibly only with {@link #readsInPlace}. */
    static boolean mayHold(SkBuff skb) {
        return skb.headLen() <= RingConsumer.MAX_HEADER_BYTES
                && !skb.shinfo().hasFragList()
                && (skb.len() <= MAX_COPIED_BYTES || skb.dataLen() <= RingLayout.MAX_REFERRED_BYTES);
    }

    /**
     * Returns true for a packet that a ring {@link #mayHold} if it is short enough to copy, or the peer can read it in
     * place.
     */
    boolean holds(SkBuff skb) {
        return skb.len() <= MAX_COPIED_BYTES || readsInPlace(skb);
    }

    /** Returns true if the peer can read the payload of a packet in place. */
    boolean readsInPlace(SkBuff skb) {
        return segments.hold(skb) || process.refersTo(skb);
    }

    /** Writes a packet that the ring {@link #holds}. */
    Result offer(SkBuff skb) {
        Result way = way(skb);
        int references = way == Result.COPIED ? 0 : skb.shinfo().fragCount();
        int train = skb.shinfo().isGso() ? RingLayout.TRAIN_BYTES : 0;
        int front = RingLayout.HEADER_BYTES + train + references * RingLayout.REFERENCE_BYTES;
        int bytes = front + (references > 0 ? skb.headLen() : skb.len());
        if (references > 0 && !mayRefer() || !makeRoom(bytes)) {
            return Result.FULL;
        }
        long at = RingLayout.at(head);
        try {
            skb.copyBits(0, ring, at + front, bytes - front);
        } catch (IllegalStateException closed) {
            return Result.LOST;
        }
        if (train > 0) {
            writeTrain(skb, at + RingLayout.HEADER_BYTES);
        }
        for (int i = 0; i < references; i++) {
            long reference = at + RingLayout.HEADER_BYTES + train + (long) i * RingLayout.REFERENCE_BYTES;
            writeReference(skb, i, way == Result.REFERENCED, reference);
        }
        int kind = train > 0 ? RingLayout.PACKET | RingLayout.TRAIN : RingLayout.PACKET;
        long start = head;
        publish(bytes, RingLayout.shape(kind, references, skb.headLen()));
        if (references > 0) {
            keep(skb, start, head);
        }
        return way;
    }

    /** Returns true if one more packet may wait for the peer to read it. */
    private boolean mayRefer() {
        return isWithinShare() || reap() < MAX_REFERRED && isWithinShare() || isWithinShareOfAll();
    }

    private boolean isWithinShare() {
        return referredCount < MAX_REFERRED && share.admits(referredCount);
    }

    /** Frees the packets that other peers have read, and checks again. */
    private boolean isWithinShareOfAll() {
        if (referredCount == MAX_REFERRED) {
            return false;
        }
        share.reap();
        return isWithinShare();
    }

    /** Selects how to transfer the payload. */
    private Result way(SkBuff skb) {
        if (skb.dataLen() < LEAST_REFERRED_BYTES) {
            return Result.COPIED;
        }
        if (segments.hold(skb)) {
            return Result.REFERRED;
        }
        return process.refersTo(skb) ? Result.REFERENCED : Result.COPIED;
    }

    private void writeTrain(SkBuff skb, long at) {
        ring.set(ValueLayout.JAVA_INT, at, skb.shinfo().gsoSize());
        ring.set(ValueLayout.JAVA_INT, at + Integer.BYTES, skb.shinfo().gsoSegs());
        MemorySegment.copy(skb.cb(), 0, ring, at + Long.BYTES, SkBuff.CB_BYTES);
    }

    private void writeReference(SkBuff skb, int index, boolean referenced, long at) {
        MemorySegment memory = skb.shinfo().fragMemory(index);
        long offset = skb.shinfo().fragOffset(index);
        int length = skb.shinfo().fragLength(index);
        OwnSegments.Segment segment = referenced ? null : segments.find(memory, offset, length);
        ring.set(ValueLayout.JAVA_INT, at, segment == null ? RingLayout.OF_PROCESS : segment.number());
        ring.set(ValueLayout.JAVA_INT, at + Integer.BYTES, length);
        ring.set(
                ValueLayout.JAVA_LONG,
                at + Long.BYTES,
                segment == null ? memory.address() + offset : segment.offsetOf(memory, offset));
    }

    private void keep(SkBuff skb, long start, long end) {
        share.take();
        int slot = (oldest + referredCount++) % MAX_REFERRED;
        referred[slot] = skb;
        starts[slot] = start;
        ends[slot] = end;
    }

    MemorySegment memory() {
        return ring;
    }

    /** Returns true if the peer accepts local messages. */
    boolean acceptsMessages() {
        return (int) INT.getOpaque(ring, RingLayout.ACCEPTS_MESSAGES) != 0;
    }

    /**
     * Records for the peer that packets are sent by the socket. The caller calls this before it sends the first one.
     */
    void usesSocket() {
        INT.setRelease(ring, RingLayout.SOCKET, 1);
    }

    /** Reserves room for a local message. Returns its offset in {@link #memory}, or {@link LocalChannel#NO_ROOM}. */
    long beginMessage(int bytes) {
        int entry = RingLayout.HEADER_BYTES + bytes;
        boolean fits = entry <= RingLayout.MAX_ENTRY_BYTES && makeRoom(entry);
        return fits ? RingLayout.at(head) + RingLayout.HEADER_BYTES : LocalChannel.NO_ROOM;
    }

    /** Sends the local message that was written after {@link #beginMessage}. */
    void endMessage(int bytes) {
        publish(RingLayout.HEADER_BYTES + bytes, RingLayout.MESSAGE);
    }

    /** Sends the number of a freed segment to the peer; returns false if there is no room. */
    boolean forget(int segment) {
        int bytes = RingLayout.HEADER_BYTES + Integer.BYTES;
        if (!makeRoom(bytes)) {
            return false;
        }
        long at = RingLayout.at(head);
        ring.set(ValueLayout.JAVA_INT, at + RingLayout.HEADER_BYTES, segment);
        publish(bytes, RingLayout.FORGET);
        return true;
    }

    /** Ensures room for a contiguous entry at {@link #head}, and for one more line, which marks the end. */
    private boolean makeRoom(int bytes) {
        int span = RingLayout.span(bytes);
        int toEnd = RingLayout.DATA_BYTES - (int) (head & RingLayout.MASK);
        int padding = span <= toEnd ? 0 : toEnd;
        if (!hasRoom(padding + span + RingLayout.LINE)) {
            return false;
        }
        if (padding > 0) {
            publish(padding, RingLayout.PADDING);
        }
        begun = Math.max(begun, head + span);
        return true;
    }

    private boolean hasRoom(int bytes) {
        if (head + bytes - released <= RingLayout.DATA_BYTES) {
            return true;
        }
        look();
        return head + bytes - released <= RingLayout.DATA_BYTES;
    }

    /** Reads the peer's position, with acquire order: the entries before it may be overwritten. */
    private void look() {
        long seen = (long) LONG.getAcquire(ring, RingLayout.RELEASED);
        if (seen - released < 0 || seen - head > 0) {
            broken = true;
        } else {
            released = seen;
        }
    }

    /**
     * Publishes an entry: writes its first eight bytes last, with release order. A consumer that reads them also sees
     * the entry and the 0 behind it.
     */
    private void publish(int bytes, int shape) {
        long at = RingLayout.at(head);
        head += RingLayout.span(bytes);
        if (begun > head) {
            // A longer entry was begun and not sent: its bytes follow.
            ready = head;
            begun = head;
        }
        makeReady(head + RingLayout.LINE);
        LONG.setRelease(ring, at, RingLayout.start(bytes, shape));
    }

    private void makeReady(long end) {
        for (long line = Math.max(ready, head); line < end; line += RingLayout.LINE) {
            ring.set(ValueLayout.JAVA_INT, RingLayout.at(line), 0);
        }
        ready = Math.max(ready, end);
    }

    /**
     * Writes the 0 of the next lines in advance, as far as they are known to be free. The sender calls this after it
     * has sent and while it waits for an answer. The consumer's cache has held these lines since the last pass over the
     * ring, so the first write to each waits for its transfer.
     */
    void makeReady() {
        makeReady(Math.min(head + READY_BYTES, released + RingLayout.DATA_BYTES));
    }

    /**
     * Returns true if the peer sleeps and must be woken; true only once for each sleep. The fence orders the write of
     * the entry before the read of the flag. The peer has a fence between its write of the flag and its last read of
     * the ring. So at least one of them sees the other's write.
     */
    boolean mustWake() {
        VarHandle.fullFence();
        if ((int) INT.getOpaque(ring, RingLayout.ASLEEP) == 0) {
            return false;
        }
        INT.setOpaque(ring, RingLayout.ASLEEP, 0);
        return true;
    }

    /** Returns true if the peer sleeps. Any thread. */
    boolean isPeerAsleep() {
        return (int) INT.getOpaque(ring, RingLayout.ASLEEP) != 0;
    }

    /** Frees the packets that the peer has read; returns the number of those that it has not read. */
    int reap() {
        if (referredCount > 0) {
            look();
            while (referredCount > 0 && ends[oldest] - released <= 0) {
                freeOldest();
            }
        }
        return referredCount;
    }

    private void freeOldest() {
        takeOldest().free();
    }

    private SkBuff takeOldest() {
        SkBuff skb = Objects.requireNonNull(referred[oldest]);
        referred[oldest] = null;
        oldest = (oldest + 1) % MAX_REFERRED;
        referredCount--;
        share.giveBack();
        return skb;
    }

    /**
     * Withdraws the waiting packets that match {@code condition}. There are three cases. If the peer is reading a
     * packet from a segment that it has mapped, it reads whatever the memory then contains. If it has read the memory
     * of this process, it discards the data when it sees that the entry is void. It skips packets that it has not
     * reached.
     *
     * @return number of withdrawn packets
     */
    int takeBack(Predicate<? super SkBuff> condition) {
        int taken = 0;
        for (int left = reap(); left > 0; left--) {
            long start = starts[oldest];
            long end = ends[oldest];
            SkBuff skb = takeOldest();
            if (condition.test(skb)) {
                INT.setOpaque(ring, RingLayout.at(start) + RingLayout.SHAPE, RingLayout.VOID);
                // The entry is void before the memory is written again.
                VarHandle.fullFence();
                skb.free();
                taken++;
            } else {
                keep(skb, start, end);
            }
        }
        return taken;
    }
}
