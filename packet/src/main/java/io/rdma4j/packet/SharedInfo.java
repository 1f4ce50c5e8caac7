package io.rdma4j.packet;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Holds a data block and the state that all clones of a buffer share ({@code struct skb_shared_info}): fragments,
 * segmentation, and the number of descriptors that refer to the block ({@code dataref}).
 *
 * <p>Each block belongs to one descriptor, its {@link #home}, as long as the pool exists. Block and home descriptor
 * return to the pool when the last descriptor has released the block.
 */
final class SharedInfo {
    private static final VarHandle DATAREF;

    static {
        try {
            DATAREF = MethodHandles.lookup().findVarHandle(SharedInfo.class, "dataref", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final int PAYLOAD_SHIFT = 16;
    private static final int COUNT_MASK = (1 << PAYLOAD_SHIFT) - 1;
    private static final int PAYLOAD_REFERENCE = 1 << PAYLOAD_SHIFT;

    final SkBuff home;
    final MemorySegment memory;
    final ByteBuffer bytes;

    /** Size of the block in bytes. */
    final int size;

    /** Entries from {@link #fragCount} on are null, so that a pooled buffer does not keep memory reachable. */
    final @Nullable MemorySegment[] fragMemory = new MemorySegment[SkBuff.MAX_FRAGS];

    final long[] fragOffset = new long[SkBuff.MAX_FRAGS];
    final int[] fragLength = new int[SkBuff.MAX_FRAGS];
    int fragCount;

    /** The process that holds all fragments, with addresses as offsets; null if they are in {@link #fragMemory}. */
    @Nullable
    ForeignMemory foreign;

    int gsoSize;
    int gsoSegs;
    GsoType gsoType = GsoType.NONE;
    int txFlags;
    int ip6FragId;
    long hwtstamp;

    @Nullable
    Object destructorArg;

    /** First of the buffers behind the fragments, linked through {@code next}; null if there are none. */
    @Nullable
    SkBuff fragList;

    /** Last of the buffers behind the fragments. */
    @Nullable
    SkBuff fragTail;

    /** The {@code truesize} of the buffers behind the fragments, bytes. */
    int fragListTruesize;

    @Nullable
    PacketOffload offload;

    /** Lower 16 bits: descriptors that refer to the block. Upper 16 bits: those of them that released the headers. */
    @SuppressWarnings("unused") // through DATAREF
    private volatile int dataref;

    SharedInfo(SkBuff home, MemorySegment memory) {
        this.home = home;
        this.memory = memory;
        this.bytes = memory.asByteBuffer();
        this.size = bytes.capacity();
    }

    /** Initializes a block from the pool: one reference, nothing attached. */
    void initialize() {
        DATAREF.set(this, 1);
    }

    /** Returns the number of descriptors that refer to the block. */
    int dataref() {
        return (int) DATAREF.getAcquire(this) & COUNT_MASK;
    }

    /** Returns the number of descriptors that have not released the headers. */
    int headerReferences() {
        int count = (int) DATAREF.getAcquire(this);
        return (count & COUNT_MASK) - (count >>> PAYLOAD_SHIFT);
    }

    void addReference() {
        DATAREF.getAndAdd(this, 1);
    }

    /** Counts a descriptor that releases the headers; it is counted until it drops its reference. */
    void releaseHeaders() {
        DATAREF.getAndAdd(this, PAYLOAD_REFERENCE);
    }

    /**
     * Drops one reference. Returns true if it was the last one: the caller returns the block to the pool.
     *
     * @param payloadOnly true if the descriptor had released the headers
     */
    boolean dropReference(boolean payloadOnly) {
        int parts = payloadOnly ? PAYLOAD_REFERENCE + 1 : 1;
        // The only holder needs no atomic operation: no other thread can add a reference.
        return dataref() == 1 || ((int) DATAREF.getAndAdd(this, -parts) & COUNT_MASK) == 1;
    }

    void addFrag(MemorySegment segment, long offset, int length) {
        fragMemory[fragCount] = segment;
        fragOffset[fragCount] = offset;
        fragLength[fragCount] = length;
        fragCount++;
    }

    void copyFrag(int index, int skip, MemorySegment target, long at, int length) {
        ForeignMemory elsewhere = foreign;
        long from = fragOffset[index] + skip;
        if (elsewhere == null) {
            MemorySegment.copy(Objects.requireNonNull(fragMemory[index]), from, target, at, length);
        } else {
            elsewhere.copy(from, target, at, length);
        }
    }

    /** Removes the fragments, so that a pooled buffer does not keep their memory reachable. */
    void clearFrags() {
        while (fragCount > 0) {
            fragMemory[--fragCount] = null;
        }
        foreign = null;
    }

    void addFragList(SkBuff skb) {
        SkBuff last = fragTail;
        if (last == null) {
            fragList = skb;
        } else {
            last.next = skb;
        }
        fragTail = skb;
        fragListTruesize += skb.truesize();
    }

    void freeFragList() {
        SkBuff skb = fragList;
        fragList = null;
        fragTail = null;
        fragListTruesize = 0;
        while (skb != null) {
            SkBuff following = skb.next;
            skb.leaveQueue();
            skb.free();
            skb = following;
        }
    }

    void clear() {
        clearFrags();
        freeFragList();
        gsoSize = 0;
        gsoSegs = 0;
        gsoType = GsoType.NONE;
        txFlags = 0;
        ip6FragId = 0;
        hwtstamp = 0;
        destructorArg = null;
        offload = null;
    }
}
