package io.rdma4j.verbs.loop;

import io.rdma4j.verbs.spi.MrOps;
import java.lang.foreign.MemorySegment;

/** One key for both uses. */
final class LoopMr implements MrOps {
    private final LoopDevice device;
    private final LoopPd pd;
    private final MemorySegment segment;
    private final long iova;
    private final int key;

    LoopMr(LoopDevice device, LoopPd pd, MemorySegment segment, long iova) {
        this.device = device;
        this.pd = pd;
        this.segment = segment;
        this.iova = iova;
        this.key = device.add(this);
    }

    /** The part that an element names; null if it is not of this domain or not in range. */
    MemorySegment slice(LoopPd user, long address, int length) {
        long offset = address - iova;
        boolean inside = length <= segment.byteSize() && offset >= 0 && offset <= segment.byteSize() - length;
        return user == pd && inside ? segment.asSlice(offset, length) : null;
    }

    @Override
    public int lkey() {
        return key;
    }

    @Override
    public int rkey() {
        return key;
    }

    @Override
    public void close() {
        device.remove(this);
    }
}
