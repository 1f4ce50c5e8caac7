// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdmacm;

import io.rdma4j.base.RdmaException;
import io.rdma4j.rdmacm.ConnectionEvent;
import io.rdma4j.rdmacm.ConnectionEventType;
import io.rdma4j.rdmacm.EventChannel;
import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.tools.peer.ToolFailure;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** One id with a channel of its own: waits for the events of the steps of a connection. One thread. */
final class CmEnd implements AutoCloseable {
    private final EventChannel channel;
    private final RdmaId id;
    private boolean isDisconnected;

    /** @param id whose events arrive at {@code channel}; this object closes both */
    CmEnd(EventChannel channel, RdmaId id) {
        this.channel = channel;
        this.id = id;
    }

    RdmaId id() {
        return id;
    }

    /** Finds device and path to a peer. */
    void resolve(@Nullable InetSocketAddress source, InetSocketAddress destination)
            throws ToolFailure, InterruptedException {
        try {
            id.resolveAddress(source, destination, CmTool.RESOLVE_MS);
            expect(ConnectionEventType.ADDR_RESOLVED);
            id.resolveRoute(CmTool.RESOLVE_MS);
            expect(ConnectionEventType.ROUTE_RESOLVED);
        } catch (RdmaException e) {
            throw CmTool.failed("rdma_resolve_addr", e);
        }
    }

    /**
     * Waits for an event.
     *
     * @throws ToolFailure if another event comes
     */
    void expect(ConnectionEventType type) throws ToolFailure, InterruptedException {
        try (ConnectionEvent event = channel.get()) {
            if (event.type() != type) {
                throw new ToolFailure(text(event));
            }
        }
    }

    /** The line of the original for an event that ends a connection. */
    private static String text(ConnectionEvent event) {
        return "cma event " + event.type().text() + ", error " + event.status();
    }

    /** Returns true if the peer has disconnected, or the device is gone. Does not wait. */
    boolean isDisconnected() {
        for (ConnectionEvent event = channel.poll(); event != null; event = channel.poll()) {
            event.acknowledge();
            isDisconnected |= event.type() == ConnectionEventType.DISCONNECTED
                    || event.type() == ConnectionEventType.DEVICE_REMOVAL;
        }
        return isDisconnected;
    }

    @Override
    public void close() {
        id.close();
        channel.close();
    }
}
