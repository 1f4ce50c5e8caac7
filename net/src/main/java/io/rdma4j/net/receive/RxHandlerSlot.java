// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.receive;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.device.DeviceCore;
import io.rdma4j.net.device.StateBits;
import org.jspecify.annotations.Nullable;

/**
 * Holds the one receive handler of a device, which sees packets before their protocols ({@code rx_handler}). Any thread
 * may call it.
 */
public final class RxHandlerSlot {
    private final DeviceCore core;
    private volatile @Nullable RxHandler handler;
    private volatile @Nullable Object data;

    /**
     * Creates an empty slot.
     *
     * @param core core of the device
     */
    public RxHandlerSlot(DeviceCore core) {
        this.core = core;
    }

    /**
     * Registers a receiver of all packets, of any protocol, as {@link #register(RxHandler)}.
     *
     * @param receiver the receiver
     * @throws RdmaException EBUSY if there is a handler
     */
    public void registerReceiver(ReceiveHandler receiver) {
        register(skb -> {
            receiver.receive(skb);
            return true;
        });
    }

    /**
     * Registers a handler that sees all packets before their protocols and may consume them
     * ({@code netdev_rx_handler_register}).
     *
     * @param next the handler
     * @throws RdmaException EBUSY if there is a handler
     */
    public void register(RxHandler next) {
        register(next, null);
    }

    /**
     * Registers a handler with data that {@link #data} returns: a bridge or bond stores itself there.
     *
     * @param next the handler
     * @param with null for none
     * @throws RdmaException EBUSY if there is a handler
     */
    public synchronized void register(RxHandler next, @Nullable Object with) {
        if (handler != null) {
            throw new RdmaException(Errno.EBUSY, core.name() + " has a receive handler; unregister that one first");
        }
        if (with != null) {
            data = with;
        }
        handler = next;
        core.state().change(StateBits.RX_HANDLER, true);
    }

    /** True if there is a handler. The compiler inlines this also before the type of handlers is loaded. */
    boolean isTaken() {
        return handler != null;
    }

    /** {@return the handler; null if there is none} */
    public @Nullable RxHandler handler() {
        return handler;
    }

    /** {@return the data that were registered with the handler; null if there are none ({@code rx_handler_data})} */
    public @Nullable Object data() {
        return data;
    }

    /** Removes the handler ({@code netdev_rx_handler_unregister}); then the protocols receive all packets again. */
    public synchronized void unregister() {
        core.state().change(StateBits.RX_HANDLER, false);
        handler = null;
        data = null;
    }
}
