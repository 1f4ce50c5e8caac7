// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.loop;

import io.rdma4j.verbs.spi.AhOps;
import io.rdma4j.verbs.values.AddressVector;

/** An address handle. Datagrams of this device reach all its queue pairs, so the path is only checked for existence. */
public final class LoopAh implements AhOps {
    private final LoopDevice device;
    private final LoopPd pd;
    private final int handle;
    private AddressVector vector;

    LoopAh(LoopDevice device, LoopPd pd, AddressVector vector) {
        this.device = device;
        this.pd = pd;
        this.vector = vector;
        this.handle = device.add(this);
    }

    /** For tests: the vector that the core set last. */
    public AddressVector vector() {
        return vector;
    }

    LoopPd pd() {
        return pd;
    }

    @Override
    public int handle() {
        return handle;
    }

    @Override
    public void modify(AddressVector changed) {
        vector = changed;
    }

    @Override
    public void close() {
        device.remove(this);
    }
}
