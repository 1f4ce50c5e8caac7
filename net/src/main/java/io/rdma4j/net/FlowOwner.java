package io.rdma4j.net;

/** A sender whose packets, of which it is the owner, are one flow: they go through one transmit queue of a device. */
public interface FlowOwner {
    /** {@return which queue that is, the same object for ever} Allocates nothing. */
    FlowQueue flowQueue();
}
