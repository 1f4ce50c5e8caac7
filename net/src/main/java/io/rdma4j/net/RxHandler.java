package io.rdma4j.net;

import io.rdma4j.packet.SkBuff;

/** Who sees the packets of a device before its protocols do, and may have them ({@code rx_handler_func_t}). */
@FunctionalInterface
public interface RxHandler {
    /**
     * A packet as a {@link ReceiveHandler} gets it. Runs on the thread that owns the device's loop. Throws nothing, whatever the bytes.
     *
     * @param skb the handler's if it takes it
     * @return true if the handler has taken it, and frees it ({@code RX_HANDLER_CONSUMED}); false if it goes to the protocols, as it is
     *     ({@code RX_HANDLER_PASS})
     */
    boolean receive(SkBuff skb);
}
