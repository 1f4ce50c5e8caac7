package io.rdma4j.verbs.loop;

import io.rdma4j.verbs.spi.FmrOps;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Has a key, and another one after each map; the device carries nothing out with it. */
final class LoopFmr implements FmrOps {
    private final LoopDevice device;
    private int key;

    LoopFmr(LoopDevice device) {
        this.device = device;
        this.key = device.nextKey() << 8;
    }

    @Override
    public int key() {
        return key;
    }

    @Override
    public void map(List<MemorySegment> pieces, long iova) {
        device.asked();
        key++;
    }

    @Override
    public void unmap() {}

    @Override
    public void close() {}
}
