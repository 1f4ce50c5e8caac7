package io.rdma4j.net.shm;

import static io.rdma4j.net.shm.RingLayout.INT;
import static io.rdma4j.net.shm.RingLayout.LONG;

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
 * The receiving end of a ring: see {@link RingLayout}. For one thread at a time, but for what says otherwise; allocates nothing after the
 * constructor.
 *
 * <p>Headers, and small packets whole, are copied into the buffer; of larger ones it points to the payload where it lies. The entry is
 * given back when the buffer is freed, in whatever order and by whatever thread, and all before it are.
 *
 * <p>The producer may be anybody: each number is read once and checked before it is used.
 */
final class RingConsumer {
    /** What fits behind each other in a buffer: headers, and small payloads. */
    static final int BLOCK_BYTES = 512;

    static final int MAX_HEADER_BYTES = 192;

    /** A power of two. */
    private static final int MAX_HELD = 256;

    /** Notes that are received at once, before others have their turn. */
    private static final int MOST_NOTES = 64;

    private static final VarHandle POSITION;

    static {
        try {
            POSITION = MethodHandles.lookup().findVarHandle(RingConsumer.class, "position", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** An entry that a buffer points into: the buffer's destructor, and its payload, if that lies in the memory of the producer's process. */
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
            // Who takes an entry back says so before the memory becomes something else.
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

    /** Where the next entry comes; the thread that is about to sleep reads it, too. */
    @SuppressWarnings("unused") // through POSITION
    private long position;

    private long released;
    private boolean broken;

    /** How many notes were received, and by whom. */
    private long notes;

    private NoteSink sink = (_, _, _) -> false;

    /** Who takes notes. */
    interface NoteSink {
        /** False if it makes no sense. */
        boolean take(MemorySegment memory, long at, int bytes);
    }

    /**
     * @param segments memory of the producer that entries refer to
     * @param system reads other memory of the producer; null for nobody
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

    /** True if the producer broke the rules: nothing more is received. */
    boolean isBroken() {
        return broken;
    }

    /** Notes are given to {@code taker} from now on. */
    void notesTo(NoteSink taker) {
        sink = taker;
    }

    /** The producer may send notes, or may not any more. */
    void takesNotes(boolean value) {
        INT.setOpaque(ring, RingLayout.NOTES, value ? 1 : 0);
    }

    /** True if the producer sends packets by the socket as well. */
    boolean isSocketUsed() {
        return (int) INT.getAcquire(ring, RingLayout.SOCKET) != 0;
    }

    /** How many have come. */
    long notes() {
        return notes;
    }

    /** Entries that buffers point into. */
    int heldCount() {
        release();
        return (int) (nextHeld - firstHeld);
    }

    /**
     * The next packet, which begins with its IP header and is marked as one that is yet to be finished ({@link UnfinishedPacket}).
     *
     * @param pool whose buffers have {@link #BLOCK_BYTES}
     * @return null if there is none, or no buffer for it
     */
    @Nullable
    SkBuff receive(SkBuffPool pool) {
        release();
        SkBuff skb = null;
        boolean more = !broken;
        int notesLeft = MOST_NOTES;
        while (more && skb == null && notesLeft > 0) {
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
            } else if (kind == RingLayout.NOTE && bytes <= RingLayout.MAX_ENTRY_BYTES) {
                notesLeft--;
                notes++;
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

    /** False if the entry is not one that a producer of ours makes. */
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
        if (skb.fragCount() > 0) {
            hold(skb, start);
        }
        skb.offload(UnfinishedPacket.INSTANCE);
        skb.ipSummed(ChecksumState.UNNECESSARY);
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
        skb.gso(size, packets);
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
        boolean isFirst = skb.fragCount() == 0;
        if (number == RingLayout.OF_PROCESS) {
            if (isFirst || skb.isForeign()) {
                // The one that holds the entry, below.
                skb.addForeignFrag(held[(int) nextHeld & MAX_HELD - 1], offset, length);
                return true;
            }
            return false;
        }
        MemorySegment segment = segments.get(number);
        if (segment == null || offset < 0 || offset > segment.byteSize() - length || !isFirst && skb.isForeign()) {
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

    /** Gives back what no buffer points into; release: what is given back has been read. */
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

    /** True if nothing waits to be received; from any thread, as long as the ring's memory is there. */
    boolean isEmpty() {
        return (int) INT.getAcquire(ring, RingLayout.at((long) POSITION.getAcquire(this))) == 0;
    }

    /** The one who receives is about to sleep, or does so no more; from any thread, as long as the ring's memory is there. */
    void asleep(boolean value) {
        INT.setOpaque(ring, RingLayout.ASLEEP, value ? 1 : 0);
    }
}
