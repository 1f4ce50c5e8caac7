package io.rdma4j.packet;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A fixed number of buffers of one size, all memory taken once ({@code alloc_skb} over a slab).
 *
 * <p>One thread at a time owns the pool (the one that owns the device's loop): it alone allocates and clones. Buffers
 * may be freed by any thread. Nothing is allocated on the Java heap or off it after the constructor.
 *
 * <p>There are as many descriptors for clones as there are buffers, so that each buffer may be cloned once on average.
 *
 * <p>For the hunt after leaks a pool can keep in mind where each buffer was allocated and freed, which {@link #outstanding},
 * the log of {@link #close}, and the causes of a double free and a use after free then tell. That costs a stack trace a
 * buffer; without it, nothing. It is chosen pool by pool, or for all by the system property {@value #SITES_PROPERTY}.
 */
public final class SkBuffPool implements AutoCloseable {
    /** Set to {@code true}, makes pools keep in mind who has their buffers; read when a pool is made. */
    public static final String SITES_PROPERTY = "io.rdma4j.packet.sites";

    private static final System.Logger LOGGER = System.getLogger(SkBuffPool.class.getName());

    /** Blocks start on cache lines, so that two buffers never share one. */
    private static final int ALIGNMENT = 64;

    private final Arena arena = Arena.ofShared();
    private final FreeList buffers = new FreeList();
    private final FreeList clones = new FreeList();
    private final FreeList reserve = new FreeList();
    private final int count;
    private final int bufferBytes;

    /** All descriptors of a pool that keeps sites in mind; otherwise none. */
    private final List<SkBuff> watched;

    private final boolean watches;
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
        this(count, bufferBytes, reserved, Boolean.getBoolean(SITES_PROPERTY));
    }

    /**
     * Takes the memory of all buffers.
     *
     * @param count how many buffers, at least 1
     * @param bufferBytes size of each data block in bytes, headroom and tailroom included; rounded up to 64
     * @param reserved how many of them are handed out only when the others are gone
     * @param keepSites whether to keep in mind where buffers are allocated and freed
     */
    public SkBuffPool(int count, int bufferBytes, int reserved, boolean keepSites) {
        if (count < 1 || bufferBytes < 1 || bufferBytes > Integer.MAX_VALUE - ALIGNMENT) {
            throw new IllegalArgumentException(count + " buffers of " + bufferBytes + " bytes: both must be positive");
        }
        if (reserved < 0 || reserved >= count) {
            throw new IllegalArgumentException("a reserve of " + reserved + " is not in 0.." + (count - 1));
        }
        this.count = count;
        this.bufferBytes = (bufferBytes + ALIGNMENT - 1) & -ALIGNMENT;
        this.watches = keepSites;
        this.watched = keepSites ? new ArrayList<>(2 * count) : List.of();
        MemorySegment slab = arena.allocate((long) count * this.bufferBytes, ALIGNMENT);
        MemorySegment controlBlocks = arena.allocate(2L * count * ALIGNMENT, ALIGNMENT);
        // In reverse, because the list is a stack: allocation then starts at the front of the slab.
        for (int i = count - 1; i >= 0; i--) {
            MemorySegment block = slab.asSlice((long) i * this.bufferBytes, this.bufferBytes);
            FreeList home = i < count - reserved ? buffers : reserve;
            home.give(watch(new SkBuff(this, home, controlBlock(controlBlocks, i), block)));
            clones.give(watch(new SkBuff(this, clones, controlBlock(controlBlocks, count + i), null)));
        }
    }

    private SkBuff watch(SkBuff skb) {
        if (watches) {
            watched.add(skb);
        }
        return skb;
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
        if (watches) {
            skb.rememberSite();
        }
        return skb;
    }

    /**
     * As {@link #allocate}, for a stream that fills the buffer bit by bit ({@code sk_stream_alloc_skb}): {@link SkBuff#availroom} says
     * how much of {@code size} is left, and {@link SkBuff#reservedTailroom} how much tailroom is not for payload.
     *
     * @param headroom bytes in front, for headers
     * @param size bytes of payload
     * @return an empty buffer, which is the caller's; null if the pool has none left
     * @throws IllegalArgumentException if the blocks of the pool are smaller than both together
     */
    public @Nullable SkBuff allocateStream(int headroom, int size) {
        if (headroom < 0 || size < 0 || size > bufferBytes - headroom) {
            throw new IllegalArgumentException(
                    headroom + " + " + size + " bytes in buffers of " + bufferBytes + " bytes: they do not fit");
        }
        SkBuff skb = allocate();
        if (skb != null) {
            skb.reserve(headroom);
            skb.reservedTailroom(skb.tailroom() - size);
        }
        return skb;
    }

    /** A descriptor without a block of its own, for a clone; null if none is left, counted. */
    @Nullable
    SkBuff takeClone() {
        checkOpen();
        SkBuff skb = clones.take();
        if (skb == null) {
            allocationFailures++;
        } else if (watches) {
            skb.rememberSite();
        }
        return skb;
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the pool is closed");
        }
    }

    /** {@return how many buffers there are in all} */
    public int count() {
        return count;
    }

    /** {@return bytes of each data block} */
    public int bufferBytes() {
        return bufferBytes;
    }

    /**
     * {@return how many buffers are free, the reserve included; walks the lists, exact for the owner of the pool while
     * nobody frees}
     */
    public int available() {
        return buffers.count(count) + reserve.count(count);
    }

    /**
     * {@return who has the buffers that are not free, a line for each descriptor; for people} Empty unless the pool
     * keeps sites in mind. Allocates; exact while nobody allocates or frees.
     */
    public List<String> outstanding() {
        return watched.stream()
                .filter(SkBuff::isLive)
                .map(SkBuff::describeHolder)
                .toList();
    }

    /** {@return how often {@link #allocate} or a clone found the pool empty} */
    public long allocationFailures() {
        return allocationFailures;
    }

    /** {@return how many buffers were not back when the pool was closed; 0 before} */
    public int leaked() {
        return leaked;
    }

    /** Gives the memory back, after {@link #leaked} was taken; whoever still holds a buffer must not touch its data. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            leaked = count - available();
            if (leaked > 0 && watches) {
                LOGGER.log(
                        System.Logger.Level.WARNING,
                        "a pool was closed before {0} of its buffers were back: {1}",
                        leaked,
                        outstanding());
            }
            arena.close();
        }
    }
}
