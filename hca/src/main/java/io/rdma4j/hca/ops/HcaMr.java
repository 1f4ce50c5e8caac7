// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.ops;

import io.rdma4j.transport.memory.RegionKey;
import io.rdma4j.verbs.spi.MrOps;
import io.rdma4j.verbs.spi.PdOps;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.MrInitAttributes;
import org.jspecify.annotations.Nullable;

/** A memory region of the device. Corresponds to {@code rxe_mr}. */
final class HcaMr implements MrOps {
    private final DeviceKeys keys;
    private volatile RegionKey key;

    /** Attributes of the last registration; null for a region whose registration does not change. */
    private @Nullable MrInitAttributes registered;

    HcaMr(DeviceKeys keys, RegionKey key) {
        this(keys, key, null);
    }

    HcaMr(DeviceKeys keys, RegionKey key, @Nullable MrInitAttributes registered) {
        this.keys = keys;
        this.key = key;
        this.registered = registered;
    }

    @Override
    public int lkey() {
        return key.key();
    }

    @Override
    public int rkey() {
        return key.key();
    }

    /** Replaces the registration. Other memory gets a new key, so that peers that have the old one cannot use it. */
    @Override
    public void reregister(PdOps pd, MrInitAttributes attributes) {
        MemoryAccess.prepare(attributes);
        int rights = AccessFlag.mask(attributes.access());
        keys.lock().exclusively(() -> {
            RegionKey old = key;
            int oldKey = old.key();
            boolean keepsMemory = registered != null && registered.hasMemoryOf(attributes);
            key = keepsMemory
                    ? keys.table().change(old, pd, attributes.pieces(), attributes.iova(), rights)
                    : keys.table().replace(old, pd, attributes.pieces(), attributes.iova(), rights);
            keys.withdraw(oldKey);
            keys.quiesce();
            keys.publish(key, (HcaPd) pd);
            keys.dropWaiting(old::isSentBy);
            registered = attributes;
        });
    }

    @Override
    public void close() {
        keys.revokeRegion(key);
    }
}
