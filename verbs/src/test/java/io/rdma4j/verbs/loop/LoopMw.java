// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.loop;

import io.rdma4j.verbs.spi.MwOps;

/** A window with its key and the region that it is bound to. */
public final class LoopMw implements MwOps {
    private final LoopDevice device;
    private final int handle;
    private int rkey;
    private LoopMr region;

    LoopMw(LoopDevice device) {
        this.device = device;
        this.handle = device.add(this);
        this.rkey = handle << 8 | 0xFF;
    }

    @Override
    public int handle() {
        return handle;
    }

    @Override
    public int rkey() {
        return rkey;
    }

    LoopMr region() {
        return region;
    }

    /** @param to null unbinds */
    void bind(int newRkey, LoopMr to) {
        rkey = newRkey;
        region = to;
    }

    @Override
    public void close() {
        device.remove(this);
    }
}
