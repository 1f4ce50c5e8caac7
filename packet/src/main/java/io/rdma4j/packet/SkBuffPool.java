// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A fixed number of buffers of one size, allocated once, or in slabs as they are needed ({@code alloc_skb} over a
 * slab).
 *
 * <p>One thread at a time owns the pool: the thread that owns the loop of the device. Only this thread allocates and
 * clones; any thread may free buffers. After the constructor the pool allocates no memory, neither on the Java heap nor
 * native, unless it was made by {@link #growing}.
 *
 * <p>There are as many descriptors for clones as there are buffers, so that each buffer can be cloned once on average.
 *
 * <p>To find leaks, a pool can record where each buffer was allocated and freed. {@link #outstanding}, the log of
 * {@link #close}, and the causes of a double free and a use after free then contain these sites. Recording costs a
 * stack trace per buffer. It is enabled per pool, or for all pools with the system property {@value #SITES_PROPERTY}.
 */
public final class SkBuffPool implements AutoCloseable {
    /** System property: if {@code true}, pools record allocation and free sites. It is read when a pool is created. */
    public static final String SITES_PROPERTY = "io.rdma4j.packet.sites";

    private static final System.Logger LOGGER = System.getLogger(SkBuffPool.class.getName());

    /** Buffers of a slab of a growing pool. */
    private static final int SLAB_BUFFERS = 16;

    /** Blocks are aligned to cache lines, so that two buffers never share one. */
    private static final int ALIGNMENT = 64;

    /**
     * A list of free descriptors: any thread returns, one thread at a time takes.
     *
     * <p>A stack, linked through {@link SkBuff#next}. The taking thread swaps out the whole stack and then takes from
     * its private list. A descriptor is never popped by compare-and-set, so the ABA problem cannot arise.
     */
    private static final class FreeList {
        private static final VarHandle RETURNED;

        static {
            try {
                RETURNED = MethodHandles.lookup().findVarHandle(FreeList.class, "returned", SkBuff.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        /** The private list of the taking thread. */
        private @Nullable SkBuff own;

        private volatile @Nullable SkBuff returned;

        /**
         * Takes the descriptor that was returned last, because it is still in the CPU caches; null if there is none.
         * Only the owner of the pool may call it.
         */
        @Nullable
        SkBuff take() {
            if (returned != null) {
                takeReturned();
            }
            SkBuff first = own;
            if (first != null) {
                own = first.next;
                first.next = null;
            }
            return first;
        }

        private void takeReturned() {
            // Acquire pairs with the release of give(): this thread sees all earlier writes to the descriptor.
            SkBuff first = (SkBuff) RETURNED.getAndSetAcquire(this, null);
            SkBuff last = first;
            while (last.next != null) {
                last = last.next;
            }
            last.next = own;
            own = first;
        }

        /** Returns a descriptor; any thread may call it. */
        void give(SkBuff skb) {
            SkBuff head;
            do {
                head = returned;
                skb.next = head;
            } while (!RETURNED.weakCompareAndSetRelease(this, head, skb));
        }

        /**
         * Counts the free descriptors, up to {@code limit}; exact for the owner of the pool while no thread returns
         * one.
         */
        int count(int limit) {
            return count(own, limit) + count(returned, limit);
        }

        private static int count(@Nullable SkBuff first, int limit) {
            int count = 0;
            for (SkBuff skb = first; skb != null && count < limit; skb = skb.next) {
                count++;
            }
            return count;
        }
    }

    private final Arena arena = Arena.ofShared();
    private final FreeList buffers = new FreeList();
    private final FreeList clones = new FreeList();
    private final FreeList reserve = new FreeList();
    private final int count;
    private final int bufferBytes;

    /** Buffers that are allocated at once. */
    private final int slabBuffers;

    /** Buffers allocated so far. */
    private int made;

    /** All descriptors of a pool that records sites; otherwise empty. */
    private final List<SkBuff> watched;

    private final boolean watches;
    private long allocationFailures;
    private int leaked;
    private boolean closed;

    /**
     * Allocates the memory of all buffers.
     *
     * @param count number of buffers, at least 1
     * @param bufferBytes size of each data block in bytes, headroom and tailroom included; rounded up to a multiple of
     *     64
     */
    public SkBuffPool(int count, int bufferBytes) {
        this(count, bufferBytes, 0);
    }

    /**
     * Allocates the memory of all buffers.
     *
     * @param count number of buffers, at least 1
     * @param bufferBytes size of each data block in bytes, headroom and tailroom included; rounded up to a multiple of
     *     64
     * @param reserved how many of them are allocated only after all others, marked by {@link SkBuff#isFromReserve}: for
     *     senders whose packets free memory
     */
    public SkBuffPool(int count, int bufferBytes, int reserved) {
        this(count, bufferBytes, reserved, Boolean.getBoolean(SITES_PROPERTY));
    }

    /**
     * Allocates the memory of all buffers.
     *
     * @param count number of buffers, at least 1
     * @param bufferBytes size of each data block in bytes, headroom and tailroom included; rounded up to a multiple of
     *     64
     * @param reserved how many of them are allocated only after all others
     * @param keepSites whether to record where buffers are allocated and freed
     */
    public SkBuffPool(int count, int bufferBytes, int reserved, boolean keepSites) {
        this(count, bufferBytes, reserved, keepSites, count);
    }

    /**
     * {@return a pool that allocates 16 buffers first, and as many again whenever all are in use, up to {@code count}}
     * For owners that rarely have many packets in use, and of which a process has many: ports, network stacks, links.
     *
     * @param count maximum number of buffers, at least 1
     * @param bufferBytes size of each data block in bytes, headroom and tailroom included; rounded up to a multiple of
     *     64
     */
    public static SkBuffPool growing(int count, int bufferBytes) {
        return new SkBuffPool(count, bufferBytes, 0, Boolean.getBoolean(SITES_PROPERTY), Math.min(count, SLAB_BUFFERS));
    }

    private SkBuffPool(int count, int bufferBytes, int reserved, boolean keepSites, int slabBuffers) {
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
        this.slabBuffers = slabBuffers;
        addSlab(reserved);
    }

    /** Allocates buffers, of which the last {@code reserved} go to the reserve. */
    private void addSlab(int reserved) {
        int more = Math.min(slabBuffers, count - made);
        MemorySegment slab = arena.allocate((long) more * bufferBytes, ALIGNMENT);
        MemorySegment controlBlocks = arena.allocate(2L * more * ALIGNMENT, ALIGNMENT);
        // In reverse, because the list is a stack: the first allocations then return the front of the slab.
        for (int i = more - 1; i >= 0; i--) {
            MemorySegment block = slab.asSlice((long) i * bufferBytes, bufferBytes);
            FreeList home = i < more - reserved ? buffers : reserve;
            home.give(watch(new SkBuff(this, controlBlock(controlBlocks, i), block)));
            clones.give(watch(new SkBuff(this, controlBlock(controlBlocks, more + i), null)));
        }
        made += more;
    }

    /** Allocates more buffers if the pool may grow; true if it did. */
    private boolean grow() {
        if (made == count) {
            return false;
        }
        addSlab(0);
        return true;
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
     * Takes an empty buffer with one reference; its whole block is tailroom ({@code alloc_skb}). Only the owner of the
     * pool may call it.
     *
     * @return null if all buffers are in use: the failure is counted, and the caller retries later
     * @throws IllegalStateException if the pool is closed
     */
    public @Nullable SkBuff allocate() {
        checkOpen();
        SkBuff skb = buffers.take();
        if (skb == null && grow()) {
            skb = buffers.take();
        }
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
     * Takes a buffer for a stream that fills it in several steps ({@code sk_stream_alloc_skb}).
     * {@link SkBuff#availroom} returns how much of {@code size} is left. {@link PacketMarks#reservedTailroom} is the
     * tailroom that is not for payload.
     *
     * @param headroom bytes for headers
     * @param size bytes of payload
     * @return an empty buffer, which the caller owns; null if the pool is empty
     * @throws IllegalArgumentException if the blocks of the pool are smaller than {@code headroom + size}
     */
    public @Nullable SkBuff allocateStream(int headroom, int size) {
        if (headroom < 0 || size < 0 || size > bufferBytes - headroom) {
            throw new IllegalArgumentException(
                    headroom + " + " + size + " bytes in buffers of " + bufferBytes + " bytes: they do not fit");
        }
        SkBuff skb = allocate();
        if (skb != null) {
            skb.reserve(headroom);
            skb.marks().reservedTailroom(skb.tailroom() - size);
        }
        return skb;
    }

    /** Takes a descriptor without a data block, for a clone. Returns null if none is left, and counts the failure. */
    @Nullable
    SkBuff takeClone() {
        checkOpen();
        SkBuff skb = clones.take();
        if (skb == null && grow()) {
            skb = clones.take();
        }
        if (skb == null) {
            allocationFailures++;
        } else if (watches) {
            skb.rememberSite();
        }
        return skb;
    }

    /** Takes a descriptor back into the list from which it was taken; any thread may call it. */
    void giveBack(SkBuff skb) {
        if (skb.isCloneDescriptor()) {
            clones.give(skb);
        } else {
            (skb.isFromReserve() ? reserve : buffers).give(skb);
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the pool is closed");
        }
    }

    /** {@return the total number of buffers} */
    public int count() {
        return count;
    }

    /** {@return size of each data block in bytes} */
    public int bufferBytes() {
        return bufferBytes;
    }

    /**
     * {@return the number of free buffers, the reserve included; walks the lists, exact for the owner of the pool while
     * no thread frees}
     */
    public int available() {
        return buffers.count(count) + reserve.count(count) + count - made;
    }

    /**
     * {@return one line of text for each descriptor in use; empty unless the pool records sites} Allocates. The result
     * is exact while no thread allocates or frees.
     */
    public List<String> outstanding() {
        return watched.stream()
                .filter(skb -> skb.users() > 0)
                .map(SkBuff::describeHolder)
                .toList();
    }

    /** {@return the number of times that {@link #allocate} or a clone found the pool empty} */
    public long allocationFailures() {
        return allocationFailures;
    }

    /** {@return the number of buffers in use when the pool was closed; 0 before} */
    public int leaked() {
        return leaked;
    }

    /** Frees the memory and sets {@link #leaked}. The data of buffers still in use must not be accessed afterwards. */
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
