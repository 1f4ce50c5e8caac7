// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.ops;

import io.rdma4j.transport.memory.RegionKey;
import io.rdma4j.verbs.spi.MrOps;
import io.rdma4j.verbs.spi.PdOps;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.MrInitAttributes;

/** A memory region of the device. Corresponds to {@code rxe_mr}. */
final class HcaMr implements MrOps {
    private final DeviceKeys keys;
    private volatile RegionKey key;

    HcaMr(DeviceKeys keys, RegionKey key) {
        this.keys = keys;
        this.key = key;
    }

    @Override
    public int lkey() {
        return key.key();
    }

    @Override
    public int rkey() {
        return key.key();
    }

    /** Replaces the registration. It gets a new key, so that peers that have the old one cannot use it. */
    @Override
    public void reregister(PdOps pd, MrInitAttributes attributes) {
        MemoryAccess.prepare(attributes);
        int rights = AccessFlag.mask(attributes.access());
        keys.lock().exclusively(() -> {
            RegionKey old = key;
            key = keys.table().replace(key, pd, attributes.pieces(), attributes.iova(), rights);
            keys.dropWaiting(old::isSentBy);
        });
    }

    @Override
    public void close() {
        keys.revokeRegion(key);
    }
}
