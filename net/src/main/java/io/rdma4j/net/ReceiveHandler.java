package io.rdma4j.net;

import io.rdma4j.packet.SkBuff;

/** Who gets the packets of a device ({@code rx_handler_func_t}). */
@FunctionalInterface
public interface ReceiveHandler {
    /**
     * A packet that starts behind its link header, whose place is known; {@code protocol} and {@code packetType} are set,
     * the rest is not looked at yet, perhaps malformed. Runs on the thread that owns the
     * device's loop. Throws nothing, whatever the bytes.
     *
     * @param skb becomes the handler's, who frees it
     */
    void receive(SkBuff skb);
}
