// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.ops;

import io.rdma4j.transport.memory.RegionKey;
import io.rdma4j.verbs.spi.FmrOps;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A memory region that is mapped and unmapped by method calls (FMR). */
final class HcaFmr implements FmrOps {
    private final DeviceKeys keys;
    private final RegionKey region;
    private final int access;
    private volatile int key;

    HcaFmr(DeviceKeys keys, RegionKey region, int access) {
        this.keys = keys;
        this.region = region;
        this.access = access;
        this.key = region.key();
    }

    @Override
    public int key() {
        return key;
    }

    @Override
    public void map(List<MemorySegment> pieces, long iova) {
        keys.lock().exclusively(() -> {
            keys.dropWaiting(region::isSentBy);
            region.remap(pieces, iova, access);
            key = region.key();
        });
    }

    @Override
    public void unmap() {
        keys.lock().exclusively(() -> {
            keys.dropWaiting(region::isSentBy);
            region.unmap();
        });
    }

    @Override
    public void close() {
        keys.revoke(region);
    }
}
