package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.List;

/**
 * Several pieces of memory that were mapped at once. Answers to a {@code struct scatterlist} after {@code ib_dma_map_sg}.
 *
 * <p>Any thread may call. The caller of {@link DmaTable#map(List, DmaDirection, DmaAttribute...)} closes it, after the work
 * requests that use it have completed.
 */
public final class DmaScatterMapping implements AutoCloseable {
    private final List<DmaMapping> mappings;
    private final List<PhysicalBuffer> entries;
    private final Runnable onClose;
    private boolean closed;

    /** @param onClose run once, when they are unmapped */
    DmaScatterMapping(List<DmaMapping> mappings, Runnable onClose) {
        this.onClose = onClose;
        this.mappings = List.copyOf(mappings);
        this.entries = mappings.stream()
                .map(mapping -> new PhysicalBuffer(mapping.address(), mapping.lengthBytes()))
                .toList();
    }

    /**
     * {@return where the device finds each piece, in the order of the pieces} Answers to {@code ib_sg_dma_address} and
     * {@code ib_sg_dma_len}.
     */
    public List<PhysicalBuffer> entries() {
        return entries;
    }

    /** Gives all pieces to the program; see {@link DmaMapping#syncForCpu}. Answers to {@code ib_dma_sync_sg_for_cpu}. */
    public void syncForCpu() {
        mappings.forEach(DmaMapping::syncForCpu);
    }

    /** Gives all pieces back to the device; see {@link DmaMapping#syncForDevice}. Answers to {@code ib_dma_sync_sg_for_device}. */
    public void syncForDevice() {
        mappings.forEach(DmaMapping::syncForDevice);
    }

    /** The first of the mappings; what goes for it goes for all. */
    DmaMapping first() {
        return mappings.getFirst();
    }

    /**
     * Unmaps all pieces. Idempotent. Answers to {@code ib_dma_unmap_sg}.
     *
     * @throws RdmaException EBUSY while a region consists of some of them; nothing is unmapped then
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
