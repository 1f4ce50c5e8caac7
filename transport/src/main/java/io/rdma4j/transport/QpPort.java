package io.rdma4j.transport;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.verbs.EventType;
import org.jspecify.annotations.Nullable;

/** What a queue pair's engine asks of the device around it; called by the port loop's thread only. */
public interface QpPort {
    /**
     * An empty buffer with headroom for everything below the BTH.
     *
     * @return null if the device can take no packet now; it asks again by {@link QpEngine#pollTransmit}
     */
    @Nullable
    SkBuff allocate();

    /** Takes over a packet, or a train, that begins with its BTH. Losing it is the network's right. */
    void transmit(SkBuff skb);

    /** The partition key at {@code index} of the port's table, 16 bits. */
    int pkey(int index);

    /** Raises an asynchronous event of the queue pair. */
    void event(EventType event);
}
