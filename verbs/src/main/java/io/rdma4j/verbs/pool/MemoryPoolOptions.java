// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.pool;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.AccessFlag;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Options of a {@link MemoryPool}; immutable.
 *
 * @param minBlockBytes size of the smallest block: a power of two, at least 64
 * @param maxBlockBytes size of the largest block: a power of two
 * @param slabBytes size of a registration: a power of two, at least the largest block and at least 4096
 * @param maxBytes maximum of registered bytes; at least one slab, and at most 2^30 of the smallest blocks
 * @param access rights that its regions are registered with
 * @param watchesLeases true to record where each lease was taken and to report lost leases
 * @param leakHandler called for each lost lease, that is a lease that became unreachable without being closed; on the
 *     thread that detects it
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
     * Checks that the sizes are consistent, and copies the set.
     *
     * @throws RdmaException EINVAL for inconsistent sizes; the message contains them
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
     * {@return these options with blocks from {@code min} to {@code max} bytes}
     *
     * @param min bytes, a power of two
     * @param max bytes, a power of two
     */
    public MemoryPoolOptions withBlocks(int min, int max) {
        return new MemoryPoolOptions(min, max, slabBytes, maxBytes, access, watchesLeases, leakHandler);
    }

    /**
     * {@return these options with another slab size and another limit}
     *
     * @param bytes of a slab
     * @param max bytes of all slabs together
     */
    public MemoryPoolOptions withSlabs(int bytes, long max) {
        return new MemoryPoolOptions(minBlockBytes, maxBlockBytes, bytes, max, access, watchesLeases, leakHandler);
    }

    /**
     * {@return these options with other rights}
     *
     * @param other all rights
     */
    public MemoryPoolOptions withAccess(Set<AccessFlag> other) {
        return new MemoryPoolOptions(
                minBlockBytes, maxBlockBytes, slabBytes, maxBytes, other, watchesLeases, leakHandler);
    }

    /**
     * {@return these options with watched leases; each lease takes some microseconds longer}
     *
     * @param handler called for each lease that was lost without being closed
     */
    public MemoryPoolOptions watched(Consumer<MemoryLeak> handler) {
        return new MemoryPoolOptions(minBlockBytes, maxBlockBytes, slabBytes, maxBytes, access, true, handler);
    }
}
