// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.wr;

import io.rdma4j.base.RdmaException;

/**
 * Posts requests to a receive queue without allocation.
 *
 * <p>The rules are those of {@link SendBatch}: one thread at a time owns the batch, and {@link #complete()} reports
 * errors.
 */
public interface ReceiveBatch {
    /**
     * Adds a receive request; without scatter/gather elements it receives empty messages only. Corresponds to
     * {@code struct ibv_recv_wr}.
     *
     * @param wrId 64 bits that the device does not interpret
     * @return this batch
     */
    ReceiveBatch receive(long wrId);

    /**
     * Adds a scatter/gather element to the request; its memory needs local write access.
     *
     * @param lkey {@code lkey} of the region: 32 bits
     * @param address in the region's address space, which begins at its {@code iova}
     * @param length bytes, unsigned
     * @return this batch
     */
    ReceiveBatch sge(int lkey, long address, int length);

    /**
     * Makes the whole batch visible to the device.
     *
     * @throws RdmaException EINVAL for an error in the batch or a queue pair in RESET, ENOMEM if the queue has no space
     *     for the whole batch; nothing was posted then
     */
    void complete();

    /** Discards the batch. */
    void abort();
}
