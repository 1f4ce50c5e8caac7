// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.connection;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.rdmacm.ConnectionEvent;
import io.rdma4j.rdmacm.ConnectionEventType;
import io.rdma4j.rdmacm.EventChannel;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.rdmacm.RdmaId;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Listens for connections. Any thread.
 *
 * {@snippet :
 * try (RdmaServer server = RdmaServer.listen(new InetSocketAddress(7471));
 *         RdmaConnection connection = server.accept()) {
 *     connection.send("Welcome");
 * }
 * }
 */
public final class RdmaServer implements AutoCloseable {
    private final RdmaId id;
    private final EventChannel channel;
    private final ConnectionOptions options;
    // Guarded by this.
    private final Deque<RdmaConnection> ready = new ArrayDeque<>();
    private final Deque<CompletableFuture<RdmaConnection>> waiting = new ArrayDeque<>();
    private @Nullable RdmaException end;

    private RdmaServer(RdmaId id, EventChannel channel, ConnectionOptions options) {
        this.id = id;
        this.channel = channel;
        this.options = options;
    }

    /**
     * Listens on an address.
     *
     * @param address own address and port; a wildcard for all devices, IPv4 and IPv6; port 0 for any port
     * @return the server; the caller closes it
     * @throws RdmaException EADDRINUSE or EADDRNOTAVAIL if the port is in use in this process; EADDRNOTAVAIL, ENODEV if
     *     the address is not one of this host or of no device
     */
    public static RdmaServer listen(InetSocketAddress address) {
        return listen(address, ConnectionOptions.DEFAULT);
    }

    /**
     * Listens on an address.
     *
     * @param address own address and port; a wildcard for all devices, port 0 for any port
     * @param options of the connections
     * @return the server; the caller closes it
     * @throws RdmaException as {@link #listen(InetSocketAddress)}
     */
    public static RdmaServer listen(InetSocketAddress address, ConnectionOptions options) {
        EventChannel channel = options.cm().createChannel();
        RdmaId id = options.cm().createId(channel, PortSpace.TCP);
        RdmaServer server = new RdmaServer(id, channel, options);
        try {
            bind(id, address);
            EventPump.start(channel, server::handle);
            id.listen(0);
        } catch (RdmaException e) {
            id.close();
            channel.close();
            throw e;
        }
        return server;
    }

    /** A wildcard is that of IPv6, which takes IPv4 as well, as with sockets. */
    private static void bind(RdmaId id, InetSocketAddress address) {
        if (address.getAddress() != null && address.getAddress().isAnyLocalAddress()) {
            id.setAddressFamilyOnly(false);
            id.bindAddress(new InetSocketAddress("::", address.getPort()));
        } else {
            id.bindAddress(address);
        }
    }

    private void handle(ConnectionEvent event) {
        if (event.type() == ConnectionEventType.CONNECT_REQUEST) {
            // A connection that fails before it is established closes itself.
            CompletableFuture<Void> _ =
                    RdmaConnection.accept(event.id(), event, options).thenAccept(this::offer);
        } else if (event.type() == ConnectionEventType.DEVICE_REMOVAL) {
            fail(new RdmaException(Errno.ENODEV, "the device of the server at " + id.localAddress() + " is gone"));
        }
    }

    private void offer(RdmaConnection connection) {
        CompletableFuture<RdmaConnection> future;
        boolean refused;
        synchronized (this) {
            future = waiting.poll();
            refused = end != null;
            if (future == null && !refused) {
                ready.add(connection);
            }
        }
        if (refused || future != null && !future.complete(connection)) {
            connection.close();
        }
    }

    /**
     * {@return an address of the server that clients can use} For a wildcard it is the first IPv4 address of {@link
     * #addresses}, or else the first one.
     */
    public InetSocketAddress address() {
        InetSocketAddress own = id.localAddress();
        if (!own.getAddress().isAnyLocalAddress()) {
            return own;
        }
        List<InetSocketAddress> all = addresses();
        return all.stream()
                .filter(address -> address.getAddress() instanceof Inet4Address)
                .findFirst()
                .orElse(all.isEmpty() ? own : all.getFirst());
    }

    /** {@return all addresses that clients can use: for a wildcard those of all devices} */
    public List<InetSocketAddress> addresses() {
        return id.listenAddresses();
    }

    /**
     * {@return the next established connection, for which the call waits} The caller closes it.
     *
     * @throws RdmaException EINVAL if the server is closed, ENODEV if its device is gone, also while the call waits;
     *     EINTR if the thread is interrupted
     */
    public RdmaConnection accept() {
        return RdmaConnection.await(acceptAsync(), "a connection to " + id.localAddress());
    }

    /** {@return a future of the next established connection} Fails as {@link #accept}. */
    public CompletableFuture<RdmaConnection> acceptAsync() {
        synchronized (this) {
            RdmaConnection connection = ready.poll();
            if (connection != null) {
                return CompletableFuture.completedFuture(connection);
            }
            if (end != null) {
                return CompletableFuture.failedFuture(end);
            }
            CompletableFuture<RdmaConnection> future = new CompletableFuture<>();
            waiting.add(future);
            return future;
        }
    }

    /** Threads that wait for a connection get the error, and those that come later. Does nothing after the end. */
    private void fail(RdmaException error) {
        Deque<CompletableFuture<RdmaConnection>> abandoned;
        synchronized (this) {
            if (end == null) {
                end = error;
            }
            abandoned = new ArrayDeque<>(waiting);
            waiting.clear();
        }
        abandoned.forEach(future -> future.completeExceptionally(error));
    }

    /** Stops listening, and closes the connections that the program has not accepted. Idempotent. */
    @Override
    public void close() {
        fail(new RdmaException(Errno.EINVAL, "the server is closed"));
        Deque<RdmaConnection> unwanted;
        synchronized (this) {
            unwanted = new ArrayDeque<>(ready);
            ready.clear();
        }
        id.close();
        channel.close();
        unwanted.forEach(RdmaConnection::close);
    }
}
