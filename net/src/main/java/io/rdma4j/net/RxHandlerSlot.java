package io.rdma4j.net;

import io.rdma4j.base.RdmaException;
import org.jspecify.annotations.Nullable;

/** The one place of a device for who sees its packets before their protocols do ({@code rx_handler}). Any thread. */
public final class RxHandlerSlot {
    private final DeviceInput input;

    RxHandlerSlot(DeviceInput input) {
        this.input = input;
    }

    /**
     * Installs who gets all packets, whatever their protocol; as {@link #register(RxHandler)}.
     *
     * @param handler gets them from now on
     * @throws RdmaException EBUSY if there is one
     */
    public void registerReceiver(ReceiveHandler handler) {
        register(skb -> {
            handler.receive(skb);
            return true;
        });
    }

    /**
     * Installs who sees all packets before their protocols do, and may have them ({@code netdev_rx_handler_register}).
     *
     * @param handler asked from now on
     * @throws RdmaException EBUSY if there is one
     */
    public void register(RxHandler handler) {
        register(handler, null);
    }

    /**
     * The same, with something that others find by {@link #data}: a bridge or bond leaves itself there.
     *
     * @param handler asked from now on
     * @param data null for nothing
     * @throws RdmaException EBUSY if there is one
     */
    public void register(RxHandler handler, @Nullable Object data) {
        input.register(handler, data);
    }

    /** {@return who was installed so; null if nobody} */
    public @Nullable RxHandler handler() {
        return input.handler();
    }

    /** {@return what was registered with the handler; null if nothing ({@code rx_handler_data})} */
    public @Nullable Object data() {
        return input.handlerData();
    }

    /** Removes the handler ({@code netdev_rx_handler_unregister}): protocols have their own again. */
    public void unregister() {
        input.unregister();
    }
}
