package io.rdma4j.verbs.pool;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.AccessFlag;
import java.util.Set;
import java.util.function.Consumer;

/**
 * How a {@link MemoryPool} works; immutable.
 *
 * @param minBlockBytes the smallest block: a power of two from 64 on
 * @param maxBlockBytes the largest block: a power of two
 * @param slabBytes what is registered at once: a power of two, no less than the largest block and no less than 4096
 * @param maxBytes the pool never registers more; no less than a slab, and no more than 2^30 of the smallest blocks
 * @param access rights that its regions are registered with
 * @param watchesLeases whether it keeps in mind where each lease was taken, and tells of those that were lost
 * @param leakHandler told of leases that nobody closed and nobody can close any more, by whichever thread comes upon them
 */
public record MemoryPoolOptions(
        int minBlockBytes,
        int maxBlockBytes,
        int slabBytes,
        long maxBytes,
        Set<AccessFlag> access,
        boolean watchesLeases,
        Consumer<MemoryLeak> leakHandler) {
    private static final int LEAST = 64;
    private static final int PAGE = 4096;

    /** Blocks of 256 bytes to 1 MiB in slabs of 2 MiB, 256 MiB in all, for local use; leases are not watched. */
    public static final MemoryPoolOptions DEFAULT = new MemoryPoolOptions(
            256, 1 << 20, 2 << 20, 256L << 20, Set.of(AccessFlag.LOCAL_WRITE), false, MemoryLeak::log);

    /**
     * Checks that the sizes fit together, and copies the set.
     *
     * @throws RdmaException EINVAL for sizes that do not fit together; the message names them
     */
    public MemoryPoolOptions {
        access = Set.copyOf(access);
        check("min block", minBlockBytes, LEAST, maxBlockBytes);
        check("max block", maxBlockBytes, minBlockBytes, slabBytes);
        check("slab", slabBytes, Math.max(PAGE, maxBlockBytes), maxBytes);
        if (maxBytes / minBlockBytes > BlockHandle.MAX_BLOCKS) {
            throw new RdmaException(
                    Errno.EINVAL,
                    maxBytes + " bytes are more than " + BlockHandle.MAX_BLOCKS + " blocks of " + minBlockBytes);
        }
    }

    private static void check(String what, int value, long min, long max) {
        if (Integer.bitCount(value) != 1 || value < min || value > max) {
            throw new RdmaException(Errno.EINVAL, what + " " + value + " is not a power of two in " + min + ".." + max);
        }
    }

    /**
     * {@return the same with blocks from {@code min} to {@code max} bytes}
     *
     * @param min bytes, a power of two
     * @param max bytes, a power of two
     */
    public MemoryPoolOptions withBlocks(int min, int max) {
        return new MemoryPoolOptions(min, max, slabBytes, maxBytes, access, watchesLeases, leakHandler);
    }

    /**
     * {@return the same with other slabs, and another limit for all}
     *
     * @param bytes of a slab
     * @param max bytes of all slabs together
     */
    public MemoryPoolOptions withSlabs(int bytes, long max) {
        return new MemoryPoolOptions(minBlockBytes, maxBlockBytes, bytes, max, access, watchesLeases, leakHandler);
    }

    /**
     * {@return the same with other rights}
     *
     * @param other all of them
     */
    public MemoryPoolOptions withAccess(Set<AccessFlag> other) {
        return new MemoryPoolOptions(
                minBlockBytes, maxBlockBytes, slabBytes, maxBytes, other, watchesLeases, leakHandler);
    }

    /**
     * {@return the same, and leases are watched: each one costs some microseconds more}
     *
     * @param handler told of each lease that was lost without being closed
     */
    public MemoryPoolOptions watched(Consumer<MemoryLeak> handler) {
        return new MemoryPoolOptions(minBlockBytes, maxBlockBytes, slabBytes, maxBytes, access, true, handler);
    }
}
