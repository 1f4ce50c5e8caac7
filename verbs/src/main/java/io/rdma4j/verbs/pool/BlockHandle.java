// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.pool;

/**
 * Encodes the handle of a block: bits 0 to 29 are the block, 30 to 34 the size class, 35 to 62 the generation. The
 * generation counts how often the block was taken and returned.
 */
final class BlockHandle {
    /** Maximum number of blocks per size class. */
    static final int MAX_BLOCKS = 1 << 30;

    private static final int CLASS_SHIFT = 30;
    private static final int CLASS_MASK = 0x1F;
    private static final int GENERATION_SHIFT = 35;
    private static final int GENERATION_MASK = (1 << 28) - 1;

    private BlockHandle() {}

    static long of(int sizeClass, int block, int generation) {
        return (long) generation << GENERATION_SHIFT | (long) sizeClass << CLASS_SHIFT | block;
    }

    static int block(long handle) {
        return (int) handle & MAX_BLOCKS - 1;
    }

    static int sizeClass(long handle) {
        return (int) (handle >>> CLASS_SHIFT) & CLASS_MASK;
    }

    static int generation(long handle) {
        return (int) (handle >>> GENERATION_SHIFT) & GENERATION_MASK;
    }

    /** The generation after the block was taken or returned. */
    static int next(int generation) {
        return generation + 1 & GENERATION_MASK;
    }

    /** True for the generation of a taken block. */
    static boolean isTaken(int generation) {
        return (generation & 1) != 0;
    }
}
