// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.pool;

import io.rdma4j.base.SpinLock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of one size, from all slabs of that size. Any thread; taking and returning a block hold a spin lock for a
 * few nanoseconds and allocate nothing.
 *
 * <p>Each block has a generation that changes when it is taken and when it is returned; it is odd while the block is
 * taken. The handle contains the generation. So a stale handle is detected, even after its slab was replaced.
 */
final class SizeClass {
    /** Returned by {@link #take} if there is no free block; no handle is negative. */
    static final long NONE = -1;

    private final int blockBytes;
    private final int blocksPerSlab;
    private final int number;
    private final BlockWaiters waiters;
    private final SpinLock lock = new SpinLock();

    /** Indexed by block index / blocks per slab; null where a slab was freed. */
    private @Nullable Slab[] slabs = new Slab[0];

    private int[] generations = new int[0];

    /** Stack of free blocks: the block that was returned last is taken next. */
    private int[] free = new int[0];

    private int freeCount;
    private long takenBlocks;
    private long takes;

    /**
     * @param number of the class in its pool
     * @param waiters woken when a block is returned
     */
    SizeClass(int number, int blockBytes, int slabBytes, BlockWaiters waiters) {
        this.number = number;
        this.waiters = waiters;
        this.blockBytes = blockBytes;
        this.blocksPerSlab = slabBytes / blockBytes;
    }

    int blockBytes() {
        return blockBytes;
    }

    /** A handle of a taken block, or {@link #NONE}. */
    long take() {
        lock.lock();
        try {
            if (freeCount == 0) {
                return NONE;
            }
            int block = free[--freeCount];
            generations[block] = BlockHandle.next(generations[block]);
            takenBlocks++;
            takes++;
            return BlockHandle.of(number, block, generations[block]);
        } finally {
            lock.unlock();
        }
    }

    /** False without effect if the handle is of no taken block. */
    boolean give(long handle) {
        boolean wakes;
        lock.lock();
        try {
            int block = BlockHandle.block(handle);
            if (!isTaken(handle)) {
                return false;
            }
            generations[block] = BlockHandle.next(generations[block]);
            free[freeCount++] = block;
            takenBlocks--;
            wakes = waiters.isAny();
        } finally {
            lock.unlock();
        }
        if (wakes) {
            waiters.wake();
        }
        return true;
    }

    private boolean isTaken(long handle) {
        int block = BlockHandle.block(handle);
        int generation = BlockHandle.generation(handle);
        return block < generations.length && generations[block] == generation && BlockHandle.isTaken(generation);
    }

    /** The slab of a block; null if the handle is of no taken block. */
    @Nullable
    Slab slab(long handle) {
        lock.lock();
        try {
            return isTaken(handle) ? slabs[BlockHandle.block(handle) / blocksPerSlab] : null;
        } finally {
            lock.unlock();
        }
    }

    /** The index of the block in its slab. */
    int indexInSlab(long handle) {
        return BlockHandle.block(handle) % blocksPerSlab;
    }

    /** Adds a slab, whose blocks are all free. */
    void add(Slab slab) {
        lock.lock();
        try {
            int index = Arrays.asList(slabs).indexOf(null);
            if (index < 0) {
                index = slabs.length;
                int length = slabs.length + 1;
                generations = Arrays.copyOf(generations, length * blocksPerSlab);
                free = Arrays.copyOf(free, length * blocksPerSlab);
                slabs = Arrays.copyOf(slabs, length);
            }
            slabs[index] = slab;
            for (int i = blocksPerSlab - 1; i >= 0; i--) {
                free[freeCount++] = index * blocksPerSlab + i;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Removes the slabs without taken blocks. */
    List<Slab> removeIdle() {
        lock.lock();
        try {
            List<Slab> idle = new ArrayList<>();
            for (int index = 0; index < slabs.length; index++) {
                Slab slab = slabs[index];
                if (slab != null && isIdle(index)) {
                    idle.add(slab);
                    slabs[index] = null;
                }
            }
            int kept = 0;
            for (int i = 0; i < freeCount; i++) {
                if (slabs[free[i] / blocksPerSlab] != null) {
                    free[kept++] = free[i];
                }
            }
            freeCount = kept;
            return idle;
        } finally {
            lock.unlock();
        }
    }

    private boolean isIdle(int index) {
        for (int i = index * blocksPerSlab; i < (index + 1) * blocksPerSlab; i++) {
            if (BlockHandle.isTaken(generations[i])) {
                return false;
            }
        }
        return true;
    }

    /** True if there is a free block at this moment. */
    boolean hasFree() {
        lock.lock();
        try {
            return freeCount > 0;
        } finally {
            lock.unlock();
        }
    }

    long takenBlocks() {
        lock.lock();
        try {
            return takenBlocks;
        } finally {
            lock.unlock();
        }
    }

    /** Number of blocks that were ever taken. */
    long takes() {
        lock.lock();
        try {
            return takes;
        } finally {
            lock.unlock();
        }
    }
}
