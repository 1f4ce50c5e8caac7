// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.pool;

/**
 * A snapshot of a pool's statistics.
 *
 * @param registeredBytes bytes of all slabs
 * @param slabs number of slabs, each one memory region
 * @param takenBytes bytes of the blocks that are taken
 * @param takenBlocks blocks that are taken
 * @param takes blocks that were taken since the pool's creation
 * @param refusals requests that failed because no block was left
 * @param leaks lost leases; 0 unless leases are watched
 */
public record MemoryPoolStatistics(
        long registeredBytes, int slabs, long takenBytes, long takenBlocks, long takes, long refusals, long leaks) {}
