// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.loop;

import io.rdma4j.verbs.spi.FmrOps;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** An FMR with a key that changes with each map; the device does not access the memory. */
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
