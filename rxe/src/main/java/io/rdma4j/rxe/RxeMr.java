package io.rdma4j.rxe;

import io.rdma4j.transport.RegionKey;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MrInitAttributes;
import io.rdma4j.verbs.spi.MrOps;
import io.rdma4j.verbs.spi.PdOps;

/** A memory region of the device. */
final class RxeMr implements MrOps {
    private final RxePort port;
    private volatile RegionKey key;

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

    /** The new registration has a new key, so that nobody uses it who was given the old one. */
    @Override
    public void reregister(PdOps pd, MrInitAttributes attributes) {
        RxePd.prepare(attributes);
        int rights = AccessFlag.mask(attributes.access());
        port.netLoop().exclusively(() -> {
            RegionKey old = key;
            key = port.context().keys().replace(key, pd, attributes.pieces(), attributes.iova(), rights);
            port.output().dropWaiting(old::isSentBy);
        });
    }

    /** Revokes the key while nobody is in the loop: afterwards the device does not touch the memory. */
    @Override
    public void close() {
        port.netLoop().exclusively(() -> {
            port.context().keys().revoke(key);
            port.output().dropWaiting(key::isSentBy);
        });
    }
}
