package io.rdma4j.verbs.queue;

import io.rdma4j.verbs.QpState;
import org.jspecify.annotations.Nullable;

/** What the client's end of a work queue asks of the provider's queue pair it belongs to. */
public interface QueueOwner extends ReceiveOwner {
    /** {@return the current state; may be read by any thread} */
    QpState state();

    /** The ring of the send queue has new elements; called after they were published. */
    void sendDoorbell();

    @Override
    default @Nullable String receiveRefusal() {
        QpState state = state();
        return state.acceptsReceives()
                ? null
                : "a receive cannot be posted in state " + state + ": bring the queue pair to INIT first";
    }
}
