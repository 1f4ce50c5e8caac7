package io.rdma4j.transport;

/** A protection domain of a context that maps memory for the device. Others cannot use the reserved key. */
public interface DmaUser {
    /** {@return what the context has mapped} */
    DmaSpace dmaSpace();
}
