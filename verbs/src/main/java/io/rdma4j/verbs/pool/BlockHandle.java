package io.rdma4j.verbs.pool;

/**
 * The parts of a handle of a block: which block of which size class it is, and for the how manieth time it is taken. Bits 0 to 29
 * are the block, 30 to 34 the class, 35 to 62 the generation.
 */
final class BlockHandle {
    /** Blocks of a class that a handle can tell apart. */
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

    /** After it was taken, or given back. */
    static int next(int generation) {
        return generation + 1 & GENERATION_MASK;
    }

    /** True for generations of blocks that are taken. */
    static boolean isTaken(int generation) {
        return (generation & 1) != 0;
    }
}
