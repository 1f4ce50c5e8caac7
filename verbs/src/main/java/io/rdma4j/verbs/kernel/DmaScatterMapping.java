// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.kernel;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.PhysicalBuffer;
import java.util.List;

/**
 * Several memory segments that were mapped by one call. Corresponds to a {@code struct scatterlist} after
 * {@code ib_dma_map_sg}.
 *
 * <p>Any thread. The caller of {@link DmaTable#map(List, DmaDirection, DmaAttribute...)} closes the mapping, after the
 * work requests that use it have completed.
 */
public final class DmaScatterMapping implements AutoCloseable {
    private final List<DmaMapping> mappings;
    private final List<PhysicalBuffer> entries;
    private final Runnable onClose;
    private boolean closed;

    /** @param onClose run once, after the segments are unmapped */
    DmaScatterMapping(List<DmaMapping> mappings, Runnable onClose) {
        this.onClose = onClose;
        this.mappings = List.copyOf(mappings);
        this.entries = mappings.stream()
                .map(mapping -> new PhysicalBuffer(mapping.address(), mapping.lengthBytes()))
                .toList();
    }

    /**
     * {@return device address and length of each segment, in order} Corresponds to {@code ib_sg_dma_address} and
     * {@code ib_sg_dma_len}.
     */
    public List<PhysicalBuffer> entries() {
        return entries;
    }

    /**
     * Transfers all segments to the application; see {@link DmaMapping#syncForCpu}. Corresponds to
     * {@code ib_dma_sync_sg_for_cpu}.
     */
    public void syncForCpu() {
        mappings.forEach(DmaMapping::syncForCpu);
    }

    /**
     * Transfers all segments back to the device; see {@link DmaMapping#syncForDevice}. Corresponds to
     * {@code ib_dma_sync_sg_for_device}.
     */
    public void syncForDevice() {
        mappings.forEach(DmaMapping::syncForDevice);
    }

    /** The first mapping; direction, attributes and context are the same for all. */
    DmaMapping first() {
        return mappings.getFirst();
    }

    /**
     * Unmaps all segments. Idempotent. Corresponds to {@code ib_dma_unmap_sg}.
     *
     * @throws RdmaException EBUSY while a memory region uses one of them; nothing is unmapped then
     */
    @Override
    public synchronized void close() {
        for (DmaMapping mapping : mappings) {
            if (mapping.life().isUsed()) {
                throw new RdmaException(Errno.EBUSY, "a region consists of " + mapping + ": close it first");
            }
        }
        mappings.forEach(DmaMapping::close);
        if (!closed) {
            closed = true;
            onClose.run();
        }
    }

    @Override
    public String toString() {
        return "scatter list of " + mappings.size() + " from " + first();
    }
}
