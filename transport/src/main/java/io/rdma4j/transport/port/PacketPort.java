// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.port;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.Engine;
import io.rdma4j.verbs.values.EventType;
import org.jspecify.annotations.Nullable;

/** The interface of the device that every engine uses; called only by the thread that runs the port loop. */
public interface PacketPort {
    /**
     * Returns an empty buffer with headroom for all headers that the port adds.
     *
     * @return null if the device can accept no packet now; the device calls {@link Engine#pollTransmit} when it can
     */
    @Nullable
    SkBuff allocate();

    /**
     * Takes ownership of a packet or a train and sends it; the network may lose it.
     *
     * @param skb owned by the port from now on
     */
    void transmit(SkBuff skb);

    /**
     * Notifies the port that an engine that was not called may have something to send, because packets of it have left.
     */
    default void sendable() {}

    /**
     * Raises an asynchronous event of the queue pair.
     *
     * @param event one whose element is a queue pair
     */
    void event(EventType event);
}
