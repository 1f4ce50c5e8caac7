package io.rdma4j.rxe;

import io.rdma4j.transport.memory.RegionKey;
import io.rdma4j.verbs.spi.MrOps;
import io.rdma4j.verbs.spi.PdOps;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.MrInitAttributes;

/** A memory region of the device. Corresponds to {@code rxe_mr}. */
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

    /** Replaces the registration. It gets a new key, so that peers that have the old one cannot use it. */
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

    /** Revokes the key while no thread runs the loop: afterwards the device does not access the memory. */
    @Override
    public void close() {
        port.netLoop().exclusively(() -> {
            port.context().keys().revoke(key);
            port.output().dropWaiting(key::isSentBy);
        });
    }
}
