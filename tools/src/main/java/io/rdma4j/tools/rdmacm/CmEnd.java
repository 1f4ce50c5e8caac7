// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdmacm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.rdmacm.ConnectionEvent;
import io.rdma4j.rdmacm.ConnectionEventType;
import io.rdma4j.rdmacm.EventChannel;
import io.rdma4j.rdmacm.RdmaCm;
import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.tools.peer.ToolFailure;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One id with a channel of its own: waits for the events of the steps of a connection. One thread. */
public final class CmEnd implements AutoCloseable {
    private final EventChannel channel;
    private final RdmaId id;
    private boolean isDisconnected;

    /**
     * Takes an id and its channel.
     *
     * @param channel where the events of the id arrive; closed with this object
     * @param id closed with this object
     */
    public CmEnd(EventChannel channel, RdmaId id) {
        this.channel = channel;
        this.id = id;
    }

    /** Returns the id. */
    public RdmaId id() {
        return id;
    }

    /** Finds device and path to a peer. */
    public void resolve(@Nullable InetSocketAddress source, InetSocketAddress destination)
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
    public void expect(ConnectionEventType type) throws ToolFailure, InterruptedException {
        next(type).acknowledge();
    }

    /**
     * Waits for an event and returns it; the caller acknowledges it.
     *
     * @throws ToolFailure if another event comes
     */
    public ConnectionEvent next(ConnectionEventType type) throws ToolFailure, InterruptedException {
        ConnectionEvent event = channel.get();
        if (event.type() != type) {
            event.acknowledge();
            throw new ToolFailure(text(event));
        }
        return event;
    }

    /** Waits for the next request to a listening id. The id of the request gets a channel of its own. */
    public CmEnd nextRequest(RdmaCm cm) throws InterruptedException {
        while (true) {
            CmEnd request = request(cm, channel.get());
            if (request != null) {
                return request;
            }
        }
    }

    /**
     * As {@link #nextRequest(RdmaCm)}, for a limited time.
     *
     * @throws ToolFailure if none comes
     */
    public CmEnd nextRequest(RdmaCm cm, Duration timeout) throws ToolFailure, InterruptedException {
        while (true) {
            ConnectionEvent event = channel.get(timeout);
            if (event == null) {
                throw new ToolFailure("no connection request came within " + timeout.toSeconds()
                        + " s: do both ends have the same number of QPs (-q)?");
            }
            CmEnd request = request(cm, event);
            if (request != null) {
                return request;
            }
        }
    }

    private static @Nullable CmEnd request(RdmaCm cm, ConnectionEvent event) {
        RdmaId id = event.type() == ConnectionEventType.CONNECT_REQUEST ? event.id() : null;
        event.acknowledge();
        if (id == null) {
            return null;
        }
        EventChannel own = cm.createChannel();
        id.migrate(own);
        return new CmEnd(own, id);
    }

    /** Disconnects; does nothing for an id that never was connected. */
    public void disconnect() {
        try {
            id.disconnect();
        } catch (RdmaException e) {
            if (e.errno() != Errno.EINVAL) {
                throw e;
            }
        }
    }

    /** The line of the original for an event that ends a connection. */
    private static String text(ConnectionEvent event) {
        return "cma event " + event.type().text() + ", error " + event.status();
    }

    /** Returns true if the peer has disconnected, or the device is gone. Does not wait. */
    public boolean isDisconnected() {
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
