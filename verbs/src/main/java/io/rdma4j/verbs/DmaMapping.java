package io.rdma4j.verbs;

import io.rdma4j.verbs.spi.DmaOps;
import java.lang.foreign.MemorySegment;

/**
 * Memory of the program at an address of the device: what the keys of a {@linkplain ProtectionDomain#dmaRegion DMA region} are
 * good for. Answers to what {@code ib_dma_map_single} returns.
 *
 * <p>Any thread may call. The caller of {@link Context#mapDma} closes it, after the work requests that use it have completed and
 * before the arena of the memory.
 */
public final class DmaMapping implements AutoCloseable {
    private final Context context;
    private final MemorySegment segment;
    private final DmaOps ops;
    private final Lifecycle life;

    DmaMapping(Context context, MemorySegment segment, DmaOps ops) {
        this.context = context;
        this.segment = segment;
        this.ops = ops;
        this.life = new Lifecycle(String.format("%s 0x%x", ObjectKind.DMA_MAPPING, ops.address()), context.life());
    }

    /** The context whose device it is mapped for. */
    public Context context() {
        return context;
    }

    /** The memory. */
    public MemorySegment segment() {
        return segment;
    }

    /** What work requests with a DMA region's key call its first byte: 64 bits. */
    public long address() {
        return ops.address();
    }

    /** Ends it: the address leads nowhere. Idempotent. Answers to {@code ib_dma_unmap_single}. */
    @Override
    public void close() {
        if (life.close(ops::close)) {
            context.life().release(ObjectKind.DMA_MAPPING);
        }
    }

    @Override
    public String toString() {
        return life.name();
    }
}
