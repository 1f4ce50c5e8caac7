package io.rdma4j.rxe;

import io.rdma4j.transport.memory.WindowKey;
import io.rdma4j.verbs.spi.MwOps;

/** A memory window of the device. Corresponds to {@code rxe_mw}. */
final class RxeMw implements MwOps {
    private final RxePort port;
    private final WindowKey key;
    private final int firstKey;

    RxeMw(RxePort port, WindowKey key) {
        this.port = port;
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
        port.netLoop().exclusively(() -> port.context().keys().revoke(key));
    }
}
