package io.rdma4j.rxe;

import io.rdma4j.transport.RegionKey;
import io.rdma4j.verbs.spi.MrOps;

/** A memory region of the device. */
final class RxeMr implements MrOps {
    private final RxePort port;
    private final RegionKey key;

    RxeMr(RxePort port, RegionKey key) {
        this.port = port;
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

    /** Revokes the key while nobody is in the loop: afterwards the device does not touch the memory. */
    @Override
    public void close() {
        port.loop().exclusively(() -> port.context().keys().revoke(key));
    }
}
