package io.rdma4j.packet;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Arrays;
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

    final SkBuff home;
    final MemorySegment memory;
    final ByteBuffer bytes;

    /** Places of {@link #fragMemory} from {@link #fragCount} on hold no reference, so that freed memory can go. */
    final @Nullable MemorySegment[] fragMemory = new MemorySegment[SkBuff.MAX_FRAGS];

    final long[] fragOffset = new long[SkBuff.MAX_FRAGS];
    final int[] fragLength = new int[SkBuff.MAX_FRAGS];
    int fragCount;
    int gsoSize;
    int gsoSegs;

    @Nullable
    PacketOffload offload;

    @SuppressWarnings("unused") // through DATAREF
    private volatile int dataref;

    SharedInfo(SkBuff home, MemorySegment memory) {
        this.home = home;
        this.memory = memory;
        this.bytes = memory.asByteBuffer();
    }

    /** One reference, nothing attached: a block fresh from the pool. */
    void initialize() {
        DATAREF.set(this, 1);
    }

    int dataref() {
        return (int) DATAREF.getAcquire(this);
    }

    void addReference() {
        DATAREF.getAndAdd(this, 1);
    }

    /** Drops one reference; true if it was the last one and the block is the caller's to give back. */
    boolean dropReference() {
        // A sole owner needs no atomic step: nobody else could add a reference.
        return dataref() == 1 || (int) DATAREF.getAndAdd(this, -1) == 1;
    }

    void addFrag(MemorySegment segment, long offset, int length) {
        fragMemory[fragCount] = segment;
        fragOffset[fragCount] = offset;
        fragLength[fragCount] = length;
        fragCount++;
    }

    /** Forgets the fragments, so that no pooled buffer keeps somebody's memory reachable. */
    void clearFrags() {
        Arrays.fill(fragMemory, 0, fragCount, null);
        fragCount = 0;
    }

    void clear() {
        clearFrags();
        gsoSize = 0;
        gsoSegs = 0;
        offload = null;
    }
}
