package io.rdma4j.verbs.loop;

import io.rdma4j.verbs.spi.DmaOps;

/** The device reaches memory by the addresses that the program has for it. */
record LoopDma(long address) implements DmaOps {
    @Override
    public void close() {}
}
