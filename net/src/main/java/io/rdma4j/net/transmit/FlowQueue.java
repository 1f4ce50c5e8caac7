// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.transmit;

import io.rdma4j.packet.PacketDevice;
import org.jspecify.annotations.Nullable;

/**
 * The transmit queue of a flow ({@code sk_tx_queue_mapping}). A fixed queue prevents reordering of the flow's packets.
 * It is chosen again when the flow changes to another device. Only the loop's owner uses it.
 */
public final class FlowQueue {
    static final int NONE = -1;

    private @Nullable PacketDevice device;
    private int queue = NONE;

    /** Creates a flow without a queue. */
    public FlowQueue() {}

    /** Returns the queue on a device, {@link #NONE} if not chosen ({@code sk_tx_queue_get}). */
    @SuppressWarnings("ReferenceEquality") // identity is intended
    int on(PacketDevice sending) {
        return device == sending ? queue : NONE;
    }

    /** {@code sk_tx_queue_set}. */
    void keep(PacketDevice sending, int chosen) {
        device = sending;
        queue = chosen;
    }
}
