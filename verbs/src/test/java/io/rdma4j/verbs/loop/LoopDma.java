package io.rdma4j.verbs.loop;

import io.rdma4j.verbs.spi.DmaOps;

/** An address; the device has no regions that are about it. */
record LoopDma(long address) implements DmaOps {
    @Override
    public void syncForCpu() {}

    @Override
    public void syncForDevice() {}

    @Override
    public void close() {}
}
