// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.ops;

import io.rdma4j.transport.memory.WindowKey;
import io.rdma4j.verbs.spi.MwOps;

/** A memory window of the device. Corresponds to {@code rxe_mw}. */
final class HcaMw implements MwOps {
    private final DeviceKeys keys;
    private final WindowKey key;
    private final int firstKey;

    HcaMw(DeviceKeys keys, WindowKey key) {
        this.keys = keys;
        this.key = key;
        this.firstKey = key.key();
    }

    @Override
    public int handle() {
        return key.handle();
    }

    @Override
    public int rkey() {
        return firstKey;
    }

    @Override
    public void close() {
        keys.revoke(key);
    }
}
