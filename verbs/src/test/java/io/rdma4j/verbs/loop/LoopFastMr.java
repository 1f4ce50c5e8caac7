// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.loop;

import io.rdma4j.verbs.spi.FastMrOps;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Has a key only: the device executes no registrations, so it stores no memory. */
record LoopFastMr(int key) implements FastMrOps {
    @Override
    public int handle() {
        return key >>> 8;
    }

    @Override
    public void map(List<MemorySegment> pieces) {}

    @Override
    public void close() {}
}
