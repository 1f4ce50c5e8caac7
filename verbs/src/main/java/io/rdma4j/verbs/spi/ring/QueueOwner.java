// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import io.rdma4j.verbs.values.QpState;
import org.jspecify.annotations.Nullable;

/** Callbacks from the posting end of a work queue to the provider's queue pair. */
public interface QueueOwner extends ReceiveOwner {
    /** {@return the present state; any thread} */
    QpState state();

    /**
     * Called after new elements were published in the ring of the send queue, while the posting thread owns the queue:
     * the device may process them at once. Must not wait for other threads.
     *
     * @return true if the device needs no doorbell, because it has processed all of them
     */
    default boolean deliver() {
        return false;
    }

    /** Called after new elements were published in the ring of the send queue, unless {@link #deliver} was enough. */
    void sendDoorbell();

    @Override
    default @Nullable String receiveRefusal() {
        QpState state = state();
        return state.acceptsReceives()
                ? null
                : "a receive cannot be posted in state " + state + ": bring the queue pair to INIT first";
    }
}
