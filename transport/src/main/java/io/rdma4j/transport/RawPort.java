package io.rdma4j.transport;

import io.rdma4j.packet.SkBuff;

/** What the engine of a raw queue pair asks of the device around it. */
public interface RawPort extends PacketPort {
    /** {@return longest packet, bytes} */
    int maxBytes();

    /**
     * {@return true if the queue pair may send such a packet, whose bytes may lie in fragments; false also if their
     * memory is gone} The buffer stays as it is.
     *
     * @param skb what is to be sent
     */
    boolean carries(SkBuff skb);
}
