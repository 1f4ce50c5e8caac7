package io.rdma4j.net.shm;

import static io.rdma4j.net.shm.RingLayout.INT;
import static io.rdma4j.net.shm.RingLayout.LONG;

import io.rdma4j.net.NoteWay;
import io.rdma4j.packet.SkBuff;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The sending end of a ring: see {@link RingLayout}. For one thread at a time; allocates nothing after the constructor.
 *
 * <p>A packet whose payload goes as a reference, into a segment that both have mapped or into the memory of this process, stays here until the
 * peer has read it, because its memory may be used again when it is freed. Only who wants room, or has nothing better to do, looks how far the peer is ({@link #reap}): that costs a cache line's way.
 */
final class RingProducer {
    /** What became of a packet. */
    enum Result {
        /** It is in the ring; the buffer stays the caller's, who has no more use for it. */
        COPIED,
        /** It is in the ring; the buffer is freed when the peer has read its payload. */
        REFERRED,
        /** The same, but that the peer reads it out of the memory of this process. */
        LENT,
        /** There is no room: it was not touched. */
        FULL,
        /** The memory behind it is gone: it was not sent. */
        LOST
    }

    /** Less than that is copied faster than its place is described. */
    static final int LEAST_REFERRED_BYTES = 1024;

    static final int MAX_COPIED_BYTES = RingLayout.MAX_ENTRY_BYTES / 2;

    /** How far {@link #makeReady} goes: what a burst writes, more or less, before it is flushed. */
    private static final int READY_BYTES = 16 * RingLayout.LINE;

    private static final int MAX_REFERRED = ReferredShare.MOST / 2;
    private static final int OFFSET_BITS = Long.bitCount(NoteWay.OFFSET_MASK);

    private final MemorySegment ring;
    private final OwnSegments segments;
    private final OwnProcess process;
    private final ReferredShare share;
    private final @Nullable SkBuff[] referred = new SkBuff[MAX_REFERRED];

    /** Where the entry of each begins, and where it ends. */
    private final long[] starts = new long[MAX_REFERRED];

    private final long[] ends = new long[MAX_REFERRED];
    private int oldest;
    private int referredCount;

    /** Where the next entry goes, and what is known of how far the peer is. */
    private long head;

    private long released;

    /** From {@link #head} up to here each line begins with 0, but where an entry was begun. */
    private long ready;

    /** Up to where an entry was begun, which may never be sent. */
    private long begun;

    private boolean broken;

    /**
     * @param ring filled with zeros, or left by nobody
     * @param share of the packets that wait for peers
     */
    RingProducer(MemorySegment ring, OwnSegments segments, ReferredShare share) {
        this.ring = ring;
        this.share = share;
        this.segments = segments;
        this.process = new OwnProcess(ring);
    }

    /** True if the peer broke the rules. */
    boolean isBroken() {
        return broken;
    }

    /** True if a packet is one for a ring, if need be by {@link #readsInPlace}. */
    static boolean mayHold(SkBuff skb) {
        return skb.headLen() <= RingConsumer.MAX_HEADER_BYTES
                && !skb.hasFragList()
                && (skb.len() <= MAX_COPIED_BYTES || skb.dataLen() <= RingLayout.MAX_REFERRED_BYTES);
    }

    /** True if a packet that a ring {@link #mayHold} is small enough for this one, or lies where the peer can read it. */
    boolean holds(SkBuff skb) {
        return skb.len() <= MAX_COPIED_BYTES || readsInPlace(skb);
    }

    /** True if the peer reads the payload of a packet where it lies. */
    boolean readsInPlace(SkBuff skb) {
        return segments.hold(skb) || process.lends(skb);
    }

    /** Puts a packet into the ring that it {@link #holds}. */
    Result offer(SkBuff skb) {
        Result way = way(skb);
        int references = way == Result.COPIED ? 0 : skb.fragCount();
        int train = skb.isGso() ? RingLayout.TRAIN_BYTES : 0;
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
            writeReference(skb, i, way == Result.LENT, reference);
        }
        int kind = train > 0 ? RingLayout.PACKET | RingLayout.TRAIN : RingLayout.PACKET;
        long start = head;
        publish(bytes, RingLayout.shape(kind, references, skb.headLen()));
        if (references > 0) {
            keep(skb, start, head);
        }
        return way;
    }

    /** True if one more packet may wait for the peer to read it. */
    private boolean mayRefer() {
        return isWithinShare() || reap() < MAX_REFERRED && isWithinShare() || isWithinShareOfAll();
    }

    private boolean isWithinShare() {
        return referredCount < MAX_REFERRED && share.admits(referredCount);
    }

    /** Others may have read meanwhile what they kept waiting. */
    private boolean isWithinShareOfAll() {
        if (referredCount == MAX_REFERRED) {
            return false;
        }
        share.reap();
        return isWithinShare();
    }

    /** Which way its payload goes. */
    private Result way(SkBuff skb) {
        if (skb.dataLen() < LEAST_REFERRED_BYTES) {
            return Result.COPIED;
        }
        if (segments.hold(skb)) {
            return Result.REFERRED;
        }
        return process.lends(skb) ? Result.LENT : Result.COPIED;
    }

    private void writeTrain(SkBuff skb, long at) {
        ring.set(ValueLayout.JAVA_INT, at, skb.gsoSize());
        ring.set(ValueLayout.JAVA_INT, at + Integer.BYTES, skb.gsoSegs());
        MemorySegment.copy(skb.cb(), 0, ring, at + Long.BYTES, SkBuff.CB_BYTES);
    }

    private void writeReference(SkBuff skb, int index, boolean lent, long at) {
        MemorySegment memory = skb.fragMemory(index);
        long offset = skb.fragOffset(index);
        int length = skb.fragLength(index);
        OwnSegments.Segment segment = lent ? null : segments.find(memory, offset, length);
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

    /** The ring's memory. */
    MemorySegment memory() {
        return ring;
    }

    /** True if the peer takes notes. */
    boolean takesNotes() {
        return (int) INT.getOpaque(ring, RingLayout.NOTES) != 0;
    }

    /** Tells the peer, before a packet is sent to it by the socket, that this happens. */
    void usesSocket() {
        INT.setRelease(ring, RingLayout.SOCKET, 1);
    }

    /** See {@link NoteWay#lend}. */
    long lend(MemorySegment memory, long offset, int bytes) {
        OwnSegments.Segment segment =
                bytes < LEAST_REFERRED_BYTES || segments.isEmpty() ? null : segments.find(memory, offset, bytes);
        return segment == null
                ? NoteWay.NOT_LENT
                : (long) segment.number() << OFFSET_BITS | segment.offsetOf(memory, offset);
    }

    /** Makes room for a note; returns where in {@link #memory}, or {@link NoteWay#NO_ROOM}. */
    long beginNote(int bytes) {
        int entry = RingLayout.HEADER_BYTES + bytes;
        boolean fits = entry <= RingLayout.MAX_ENTRY_BYTES && makeRoom(entry);
        return fits ? RingLayout.at(head) + RingLayout.HEADER_BYTES : NoteWay.NO_ROOM;
    }

    /** Sends the note that was written where {@link #beginNote} said. */
    void endNote(int bytes) {
        publish(RingLayout.HEADER_BYTES + bytes, RingLayout.NOTE);
    }

    /** Tells the peer that a segment is gone; false if there is no room for that. */
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

    /** Sees to it that an entry may be written at {@link #head}, in one piece, and one line more that will say that nothing follows. */
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

    /** Acquire: what the peer has read before it said so is read, and may be overwritten. */
    private void look() {
        long seen = (long) LONG.getAcquire(ring, RingLayout.RELEASED);
        if (seen - released < 0 || seen - head > 0) {
            broken = true;
        } else {
            released = seen;
        }
    }

    /** What an entry begins with goes last, with release order: who sees it sees the entry, and that none follows yet. */
    private void publish(int bytes, int shape) {
        long at = RingLayout.at(head);
        head += RingLayout.span(bytes);
        if (begun > head) {
            // A longer one before it was not sent.
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
     * Begins lines to come with 0 already, as far as they are known to be free: for who has sent something and waits for an answer. The peer has those lines
     * from the last time round, and who writes the first word of one waits until it has come back.
     */
    void makeReady() {
        makeReady(Math.min(head + READY_BYTES, released + RingLayout.DATA_BYTES));
    }

    /**
     * True if the peer sleeps and must be woken; that is said once for each sleep. The fence is between the entry and the look at the flag, as the
     * peer has one between the flag and its last look at the ring: one of the two sees the other.
     */
    boolean mustWake() {
        VarHandle.fullFence();
        if ((int) INT.getOpaque(ring, RingLayout.ASLEEP) == 0) {
            return false;
        }
        INT.setOpaque(ring, RingLayout.ASLEEP, 0);
        return true;
    }

    /** Frees the packets that the peer has read; returns how many it has still to read. */
    int reap() {
        if (referredCount > 0) {
            look();
            while (referredCount > 0 && ends[oldest] - released <= 0) {
                freeOldest();
            }
        }
        return referredCount;
    }

    /** Packets that wait here for the peer to read their payload. */
    int referredCount() {
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
     * Takes back the packets that wait here and {@code condition} holds of. If the peer is just reading one it reads what is there, in memory
     * that it has mapped itself; what it has read in the memory of this process it gives up if it was taken back meanwhile; those that it has not
     * come to it will never see. Returns how many.
     */
    int takeBack(Predicate<? super SkBuff> condition) {
        int taken = 0;
        for (int left = reap(); left > 0; left--) {
            long start = starts[oldest];
            long end = ends[oldest];
            SkBuff skb = takeOldest();
            if (condition.test(skb)) {
                INT.setOpaque(ring, RingLayout.at(start) + RingLayout.SHAPE, RingLayout.VOID);
                // Before anything that is done with the memory from now on.
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
