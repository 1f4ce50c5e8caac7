package io.rdma4j.net;

import org.jspecify.annotations.Nullable;

/**
 * The transmit queue that a flow goes through ({@code sk_tx_queue_mapping}), so that its packets do not overtake each other. It is
 * forgotten when the flow turns to another device. Belongs to the owner of the loop.
 */
public final class FlowQueue {
    static final int NONE = -1;

    private @Nullable NetDevice device;
    private int queue = NONE;

    /** A flow that nothing was sent of. */
    public FlowQueue() {}

    /** Its queue on a device, {@link #NONE} if it has none ({@code sk_tx_queue_get}). */
    @SuppressWarnings("ReferenceEquality") // a device is itself
    int on(NetDevice sending) {
        return device == sending ? queue : NONE;
    }

    /** {@code sk_tx_queue_set}. */
    void keep(NetDevice sending, int chosen) {
        device = sending;
        queue = chosen;
    }
}
