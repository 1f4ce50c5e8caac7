package io.rdma4j.verbs.queue;

import io.rdma4j.verbs.QpState;

/** What the client's end of a work queue asks of the provider's queue pair it belongs to. */
public interface QueueOwner {
    /** The current state; may be read by any thread. */
    QpState state();

    /** The ring of the send queue has new elements; called after they were published. */
    void sendDoorbell();

    /** The ring of the receive queue has new elements. */
    void receiveDoorbell();
}
