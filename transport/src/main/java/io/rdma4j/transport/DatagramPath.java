package io.rdma4j.transport;

/** Where an address handle leads, as only the device around the engine understands it. */
public interface DatagramPath {}
