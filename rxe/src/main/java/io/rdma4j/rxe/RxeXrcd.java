package io.rdma4j.rxe;

import io.rdma4j.verbs.spi.XrcdOps;

/** An XRC domain of the device: queue pairs and shared receive queues compare it by identity. Answers to {@code rxe_xrcd}. */
final class RxeXrcd implements XrcdOps {
    @Override
    public void close() {
        // Nothing is held: a domain is its identity.
    }
}
