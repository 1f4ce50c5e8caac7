package io.rdma4j.transport;

import io.rdma4j.packet.SkBuff;

/** What the engine of a raw queue pair asks of the device around it. */
public interface RawPort extends PacketPort {
    /** Longest packet, bytes. */
    int maxBytes();

    /**
     * True if the queue pair may send such a packet, whose bytes may lie in fragments; false also if their memory is gone. The
     * buffer stays as it is.
     */
    boolean carries(SkBuff skb);
}
