package io.rdma4j.verbs.pool;

/**
 * What became of a pool's memory, of one moment.
 *
 * @param registeredBytes of all slabs
 * @param slabs memory regions
 * @param takenBytes of the blocks that are taken now
 * @param takenBlocks that are taken now
 * @param takes blocks that were ever taken
 * @param refusals how often there was no block left
 * @param leaks leases that nobody closed; 0 unless they are watched
 */
public record MemoryPoolStatistics(
        long registeredBytes, int slabs, long takenBytes, long takenBlocks, long takes, long refusals, long leaks) {}
