// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.loop;

import io.rdma4j.verbs.spi.DmaOps;

/** A device address; the device does not access the memory. */
record LoopDma(long address) implements DmaOps {
    @Override
    public void syncForCpu() {}

    @Override
    public void syncForDevice() {}

    @Override
    public void close() {}
}
