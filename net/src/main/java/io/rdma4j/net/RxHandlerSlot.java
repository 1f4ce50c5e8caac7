package io.rdma4j.net;

import io.rdma4j.base.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * Holds the one receive handler of a device, which sees packets before their protocols ({@code rx_handler}). Any thread
 * may call it.
 */
public final class RxHandlerSlot {
    private final DeviceInput input;

    RxHandlerSlot(DeviceInput input) {
        this.input = input;
    }

    /**
     * Registers a receiver of all packets, of any protocol, as {@link #register(RxHandler)}.
     *
     * @param handler the receiver
     * @throws RdmaException EBUSY if there is a handler
     */
    public void registerReceiver(ReceiveHandler handler) {
        register(skb -> {
            handler.receive(skb);
            return true;
        });
    }

    /**
     * Registers a handler that sees all packets before their protocols and may consume them
     * ({@code netdev_rx_handler_register}).
     *
     * @param handler the handler
     * @throws RdmaException EBUSY if there is a handler
     */
    public void register(RxHandler handler) {
        register(handler, null);
    }

    /**
     * Registers a handler with data that {@link #data} returns: a bridge or bond stores itself there.
     *
     * @param handler the handler
     * @param data null for none
     * @throws RdmaException EBUSY if there is a handler
     */
    public void register(RxHandler handler, @Nullable Object data) {
        input.register(handler, data);
    }

    /** {@return the handler; null if there is none} */
    public @Nullable RxHandler handler() {
        return input.handler();
    }

    /** {@return the data that were registered with the handler; null if there are none ({@code rx_handler_data})} */
    public @Nullable Object data() {
        return input.handlerData();
    }

    /** Removes the handler ({@code netdev_rx_handler_unregister}); then the protocols receive all packets again. */
    public void unregister() {
        input.unregister();
    }
}
