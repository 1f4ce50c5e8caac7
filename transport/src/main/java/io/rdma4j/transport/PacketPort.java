package io.rdma4j.transport;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.verbs.EventType;
import org.jspecify.annotations.Nullable;

/** What every engine asks of the device around it; called by the port loop's thread only. */
public interface PacketPort {
    /**
     * An empty buffer with headroom for everything that the port puts in front.
     *
     * @return null if the device can take no packet now; it asks again by {@link Engine#pollTransmit}
     */
    @Nullable
    SkBuff allocate();

    /**
     * Takes over a packet, or a train. Losing it is the network's right.
     *
     * @param skb the port's from now on
     */
    void transmit(SkBuff skb);

    /** The engine, which nobody called, may have something to send: packets of it have left. */
    default void sendable() {}

    /**
     * Raises an asynchronous event of the queue pair.
     *
     * @param event one whose element is a queue pair
     */
    void event(EventType event);
}
