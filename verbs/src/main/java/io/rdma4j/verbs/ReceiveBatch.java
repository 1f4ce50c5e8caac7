package io.rdma4j.verbs;

import io.rdma4j.base.RdmaException;

/**
 * The allocation-free door to a receive queue.
 *
 * <p>The rules are those of {@link SendBatch}: one thread at a time, mistakes are reported by {@link #complete()}.
 */
public interface ReceiveBatch {
    /**
     * Adds a receive request; without pieces it takes empty messages only. Answers to {@code struct ibv_recv_wr}.
     *
     * @param wrId 64 bits that mean nothing to the device
     * @return this batch
     */
    ReceiveBatch receive(long wrId);

    /**
     * Adds a piece of registered memory with local write access to the request.
     *
     * @param lkey {@code lkey} of the region: 32 bits
     * @param address in the region's address space, which is its {@code iova}
     * @param length bytes, unsigned
     * @return this batch
     */
    ReceiveBatch sge(int lkey, long address, int length);

    /**
     * Makes the whole batch visible to the device.
     *
     * @throws RdmaException EINVAL for a mistake in the batch or a queue pair in RESET, ENOMEM when the queue has no room
     *     for the whole batch; nothing was posted then
     */
    void complete();

    /** Forgets the batch. */
    void abort();
}
