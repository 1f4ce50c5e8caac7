package io.rdma4j.packet;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A data block and what all clones of a buffer share of it ({@code struct skb_shared_info}): fragments, segmentation,
 * and the count of descriptors that refer to it ({@code dataref}).
 *
 * <p>Every block belongs to one descriptor for life, its {@link #home}; the pair returns to the pool when the last
 * descriptor has let go of the block.
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

    /** Bytes of the block. */
    final int size;

    /** Places of {@link #fragMemory} from {@link #fragCount} on hold no reference, so that freed memory can go. */
    final @Nullable MemorySegment[] fragMemory = new MemorySegment[SkBuff.MAX_FRAGS];

    final long[] fragOffset = new long[SkBuff.MAX_FRAGS];
    final int[] fragLength = new int[SkBuff.MAX_FRAGS];
    int fragCount;

    /** Where all fragments lie, their offsets being addresses there; null if they lie in {@link #fragMemory}. */
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

    /** Chain of whole buffers behind the fragments, null if there is none. */
    @Nullable
    SkBuff fragList;

    /** The last of that chain. */
    @Nullable
    SkBuff fragTail;

    /** What that chain is charged with, bytes. */
    int fragListTruesize;

    @Nullable
    PacketOffload offload;

    /** Descriptors that refer to the block in the lower half, those of them that gave up the headers in the upper. */
    @SuppressWarnings("unused") // through DATAREF
    private volatile int dataref;

    SharedInfo(SkBuff home, MemorySegment memory) {
        this.home = home;
        this.memory = memory;
        this.bytes = memory.asByteBuffer();
        this.size = bytes.capacity();
    }

    /** One reference, nothing attached: a block fresh from the pool. */
    void initialize() {
        DATAREF.set(this, 1);
    }

    /** How many descriptors refer to the block. */
    int dataref() {
        return (int) DATAREF.getAcquire(this) & COUNT_MASK;
    }

    /** How many of them may touch the headers. */
    int headerReferences() {
        int count = (int) DATAREF.getAcquire(this);
        return (count & COUNT_MASK) - (count >>> PAYLOAD_SHIFT);
    }

    void addReference() {
        DATAREF.getAndAdd(this, 1);
    }

    /** One of the descriptors gives up the headers, until it drops its reference. */
    void releaseHeaders() {
        DATAREF.getAndAdd(this, PAYLOAD_REFERENCE);
    }

    /**
     * Drops one reference; true if it was the last one and the block is the caller's to give back.
     *
     * @param payloadOnly true if its holder had given up the headers
     */
    boolean dropReference(boolean payloadOnly) {
        int parts = payloadOnly ? PAYLOAD_REFERENCE + 1 : 1;
        // A sole owner needs no atomic step: nobody else could add a reference.
        return dataref() == 1 || ((int) DATAREF.getAndAdd(this, -parts) & COUNT_MASK) == 1;
    }

    void addFrag(MemorySegment segment, long offset, int length) {
        fragMemory[fragCount] = segment;
        fragOffset[fragCount] = offset;
        fragLength[fragCount] = length;
        fragCount++;
    }

    /** Copies bytes of a fragment. */
    void copyFrag(int index, int skip, MemorySegment target, long at, int length) {
        ForeignMemory elsewhere = foreign;
        long from = fragOffset[index] + skip;
        if (elsewhere == null) {
            MemorySegment.copy(Objects.requireNonNull(fragMemory[index]), from, target, at, length);
        } else {
            elsewhere.copy(from, target, at, length);
        }
    }

    /** Forgets the fragments, so that no pooled buffer keeps somebody's memory reachable. */
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

    /** Frees the buffers of the list behind the fragments. */
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
