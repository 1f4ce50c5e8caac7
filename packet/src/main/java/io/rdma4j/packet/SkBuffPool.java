package io.rdma4j.packet;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A fixed number of buffers of one size, all memory taken once ({@code alloc_skb} over a slab).
 *
 * <p>One thread at a time owns the pool (the one that owns the device's loop): it alone allocates and clones. Buffers
 * may be freed by any thread. Nothing is allocated on the Java heap or off it after the constructor.
 *
 * <p>There are as many descriptors for clones as there are buffers, so that each buffer may be cloned once on average.
 */
public final class SkBuffPool implements AutoCloseable {
    /** Blocks start on cache lines, so that two buffers never share one. */
    private static final int ALIGNMENT = 64;

    private final Arena arena = Arena.ofShared();
    private final FreeList buffers = new FreeList();
    private final FreeList clones = new FreeList();
    private final FreeList reserve = new FreeList();
    private final int count;
    private final int bufferBytes;
    private long allocationFailures;
    private int leaked;
    private boolean closed;

    /**
     * Takes the memory of all buffers.
     *
     * @param count how many buffers, at least 1
     * @param bufferBytes size of each data block in bytes, headroom and tailroom included; rounded up to 64
     */
    public SkBuffPool(int count, int bufferBytes) {
        this(count, bufferBytes, 0);
    }

    /**
     * Takes the memory of all buffers.
     *
     * @param count how many buffers, at least 1
     * @param bufferBytes size of each data block in bytes, headroom and tailroom included; rounded up to 64
     * @param reserved how many of them are handed out only when the others are gone, and say so ({@link SkBuff#isFromReserve}):
     *     for whoever frees memory by sending
     */
    public SkBuffPool(int count, int bufferBytes, int reserved) {
        if (count < 1 || bufferBytes < 1 || bufferBytes > Integer.MAX_VALUE - ALIGNMENT) {
            throw new IllegalArgumentException(count + " buffers of " + bufferBytes + " bytes: both must be positive");
        }
        if (reserved < 0 || reserved >= count) {
            throw new IllegalArgumentException("a reserve of " + reserved + " is not in 0.." + (count - 1));
        }
        this.count = count;
        this.bufferBytes = (bufferBytes + ALIGNMENT - 1) & -ALIGNMENT;
        MemorySegment slab = arena.allocate((long) count * this.bufferBytes, ALIGNMENT);
        MemorySegment controlBlocks = arena.allocate(2L * count * ALIGNMENT, ALIGNMENT);
        // In reverse, because the list is a stack: allocation then starts at the front of the slab.
        for (int i = count - 1; i >= 0; i--) {
            MemorySegment block = slab.asSlice((long) i * this.bufferBytes, this.bufferBytes);
            FreeList home = i < count - reserved ? buffers : reserve;
            home.give(new SkBuff(this, home, controlBlock(controlBlocks, i), block));
            clones.give(new SkBuff(this, clones, controlBlock(controlBlocks, count + i), null));
        }
    }

    private static MemorySegment controlBlock(MemorySegment controlBlocks, int index) {
        return controlBlocks.asSlice((long) index * ALIGNMENT, SkBuff.CB_BYTES);
    }

    /**
     * Takes an empty buffer with one reference, all of its block tailroom ({@code alloc_skb}); by the owner of the pool.
     *
     * @return null if all buffers are in use: the caller holds its input back and tries again later; counted
     * @throws IllegalStateException if the pool is closed
     */
    public @Nullable SkBuff allocate() {
        checkOpen();
        SkBuff skb = buffers.take();
        boolean fromReserve = skb == null;
        if (fromReserve) {
            skb = reserve.take();
        }
        if (skb == null) {
            allocationFailures++;
            return null;
        }
        skb.initialize(fromReserve);
        return skb;
    }

    /** A descriptor without a block of its own, for a clone; null if none is left, counted. */
    @Nullable
    SkBuff takeClone() {
        checkOpen();
        SkBuff skb = clones.take();
        if (skb == null) {
            allocationFailures++;
        }
        return skb;
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the pool is closed");
        }
    }

    /** How many buffers there are in all. */
    public int count() {
        return count;
    }

    /** Bytes of each data block. */
    public int bufferBytes() {
        return bufferBytes;
    }

    /** How many buffers are free, the reserve included; walks the lists, exact for the owner of the pool while nobody frees. */
    public int available() {
        return buffers.count(count) + reserve.count(count);
    }

    /** How often {@link #allocate} or a clone found the pool empty. */
    public long allocationFailures() {
        return allocationFailures;
    }

    /** How many buffers were not back when the pool was closed; 0 before. */
    public int leaked() {
        return leaked;
    }

    /** Gives the memory back, after {@link #leaked} was taken; whoever still holds a buffer must not touch its data. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            leaked = count - available();
            arena.close();
        }
    }
}
