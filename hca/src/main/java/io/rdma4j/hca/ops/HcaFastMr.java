// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.ops;

import io.rdma4j.transport.memory.RegionKey;
import io.rdma4j.verbs.spi.FastMrOps;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A memory region that is registered by a work request. Corresponds to {@code rxe_mr} of {@code IB_MR_TYPE_MEM_REG}.
 */
final class HcaFastMr implements FastMrOps {
    private final DeviceKeys keys;
    private final RegionKey key;
    private final int firstKey;

    HcaFastMr(DeviceKeys keys, RegionKey key) {
        this.keys = keys;
        this.key = key;
        this.firstKey = key.key();
    }

    @Override
    public int handle() {
        return key.handle();
    }

    @Override
    public int key() {
        return firstKey;
    }

    @Override
    public void map(List<MemorySegment> pieces) {
        key.map(pieces);
    }

    @Override
    public void close() {
        keys.revokeRegion(key);
    }
}
