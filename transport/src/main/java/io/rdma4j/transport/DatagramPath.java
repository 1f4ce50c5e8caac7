package io.rdma4j.transport;

import io.rdma4j.verbs.Rate;

/** Where an address handle leads, as only the device around the engine understands it. */
public interface DatagramPath {
    /** {@return how fast datagrams that go this way may be sent at most} */
    Rate staticRate();
}
