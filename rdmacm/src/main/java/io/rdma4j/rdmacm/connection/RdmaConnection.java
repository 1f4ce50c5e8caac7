// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.connection;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.rdmacm.ConnectParameters;
import io.rdma4j.rdmacm.ConnectionEvent;
import io.rdma4j.rdmacm.EventChannel;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.rdmacm.RdmaCm;
import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.pool.MemoryLease;
import io.rdma4j.verbs.pool.MemoryPool;
import io.rdma4j.verbs.pool.MemoryPoolOptions;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A reliable connection to a peer: messages in order, and access to the peer's memory. Calls block, also virtual
 * threads. One thread may send while another one receives; threads of one kind take turns.
 *
 * {@snippet :
 * try (RdmaConnection connection = RdmaConnection.connect(new InetSocketAddress("10.0.0.2", 7471))) {
 *     connection.send("Hello");
 *     System.out.println(connection.receiveText());
 * }
 * }
 */
public final class RdmaConnection implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(RdmaConnection.class.getName());
    private static final int RESOLVE_MS = 2000;
    private static final Set<AccessFlag> ACCESS =
            Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE);

    private final RdmaId id;
    private final ConnectionOptions options;
    private final CompletableFuture<RdmaConnection> connected = new CompletableFuture<>();
    private final CompletableFuture<RdmaConnection> disconnected = new CompletableFuture<>();
    private final AtomicBoolean isClosed = new AtomicBoolean();
    private final List<MemoryLease> receives = new ArrayList<>();
    private @Nullable Resources resources;
    private volatile MemorySegment privateData = MemorySegment.NULL;

    /** What the device has for the connection. */
    private record Resources(
            ProtectionDomain pd, MemoryPool pool, WaitingQueue sends, WaitingQueue receives, QueuePair qp) {}

    private RdmaConnection(RdmaId id, ConnectionOptions options) {
        this.id = id;
        this.options = options;
    }

    /**
     * Connects to a server.
     *
     * @param server its address and port
     * @return the connection; the caller closes it
     * @throws RdmaException ECONNREFUSED if the server rejects the connection or there is none, ETIMEDOUT if the host
     *     does not answer, ENODEV or ENETUNREACH without device or route; EINTR if the thread is interrupted
     */
    public static RdmaConnection connect(InetSocketAddress server) {
        return connect(server, ConnectionOptions.DEFAULT);
    }

    /**
     * Connects to a server.
     *
     * @param server its address and port
     * @param options of the connection
     * @return the connection; the caller closes it
     * @throws RdmaException as {@link #connect(InetSocketAddress)}
     */
    public static RdmaConnection connect(InetSocketAddress server, ConnectionOptions options) {
        return await(connectAsync(server, options), "the connection to " + server);
    }

    /**
     * Connects to a server without waiting.
     *
     * @param server its address and port
     * @param options of the connection
     * @return a future of the connection; fails with the {@link RdmaException} of {@link #connect(InetSocketAddress)}
     */
    public static CompletableFuture<RdmaConnection> connectAsync(InetSocketAddress server, ConnectionOptions options) {
        RdmaCm cm = options.cm();
        EventChannel channel = cm.createChannel();
        RdmaConnection connection = new RdmaConnection(cm.createId(channel, PortSpace.TCP), options);
        EventPump.start(channel, connection::handle);
        try {
            connection.id.resolveAddress(null, server, RESOLVE_MS);
        } catch (RdmaException e) {
            connection.fail(e);
        }
        return connection.connected;
    }

    /** The end at a server. Its future completes when the connection is established. */
    static CompletableFuture<RdmaConnection> accept(RdmaId child, ConnectionEvent request, ConnectionOptions options) {
        RdmaConnection connection = new RdmaConnection(child, options);
        connection.privateData = request.privateData();
        EventChannel channel = options.cm().createChannel();
        child.migrate(channel);
        try {
            connection.prepare();
            child.accept(ConnectParameters.DEFAULT.withPrivateData(options.privateData()));
            EventPump.start(channel, connection::handle);
        } catch (RdmaException e) {
            connection.fail(e);
        }
        return connection.connected;
    }

    static <T> T await(CompletableFuture<T> future, String what) {
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RdmaException(Errno.EINTR, "interrupted while waiting for " + what, e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RdmaException cause) {
                throw new RdmaException(cause.errno(), what + ": " + cause.getMessage(), cause);
            }
            throw new IllegalStateException(what, e.getCause());
        }
    }

    /** Runs on the thread that drives the device. */
    private void handle(ConnectionEvent event) {
        try {
            switch (event.type()) {
                case ADDR_RESOLVED -> id.resolveRoute(RESOLVE_MS);
                case ROUTE_RESOLVED -> {
                    prepare();
                    id.connect(ConnectParameters.DEFAULT.withPrivateData(options.privateData()));
                }
                case ESTABLISHED -> {
                    if (event.parameters() != null) {
                        privateData = event.privateData();
                    }
                    connected.complete(this);
                }
                case DISCONNECTED -> {
                    id.disconnect();
                    disconnected.complete(this);
                }
                case REJECTED -> fail(new RdmaException(Errno.ECONNREFUSED, event.toString()));
                case ADDR_ERROR -> fail(new RdmaException(Errno.ENODEV, event.toString()));
                case UNREACHABLE -> fail(new RdmaException(Errno.ETIMEDOUT, event.toString()));
                case CONNECT_ERROR, ROUTE_ERROR, DEVICE_REMOVAL -> fail(new RdmaException(Errno.EIO, event.toString()));
                default -> {}
            }
        } catch (RdmaException e) {
            fail(e);
        }
    }

    private void fail(RdmaException error) {
        if (!connected.isDone()) {
            close();
            connected.completeExceptionally(error);
        }
        disconnected.complete(this);
    }

    /** Makes the queue pair, and posts all receives. */
    private void prepare() {
        Context context = Objects.requireNonNull(id.verbs(), "an id with a route has a device");
        ProtectionDomain pd = context.allocatePd();
        MemoryPool pool = new MemoryPool(pd, MemoryPoolOptions.DEFAULT.withAccess(ACCESS));
        QueuePair qp = id.createQp(
                pd,
                QpInitAttributes.builder(null, null)
                        .capabilities(QpCapabilities.of(1, options.receives()))
                        .build());
        WaitingQueue sends = new WaitingQueue(Objects.requireNonNull(id.queues().sendCq(), "made with the queue pair"));
        WaitingQueue incoming =
                new WaitingQueue(Objects.requireNonNull(id.queues().receiveCq(), "made with the queue pair"));
        resources = new Resources(pd, pool, sends, incoming, qp);
        for (int slot = 0; slot < options.receives(); slot++) {
            receives.add(pool.lease(options.messageBytes()));
            postReceive(slot);
        }
    }

    private Resources resources() {
        Resources own = resources;
        if (own == null || isClosed.get()) {
            throw new RdmaException(Errno.EINVAL, this + " is closed");
        }
        return own;
    }

    void postReceive(int slot) {
        if (!isClosed.get()) {
            resources()
                    .qp
                    .postReceive(ReceiveRequest.of(slot, receives.get(slot).sge(0, options.messageBytes())));
        }
    }

    /** {@return the id, for what this class does not offer} */
    public RdmaId id() {
        return id;
    }

    /** {@return the queue pair} */
    public QueuePair qp() {
        return resources().qp;
    }

    /** {@return address and port of this end} */
    public InetSocketAddress localAddress() {
        return id.localAddress();
    }

    /** {@return address and port of the peer} */
    public InetSocketAddress peerAddress() {
        return id.peerAddress();
    }

    /** {@return what the peer said when it connected or accepted: the whole field, with 0 after the data} */
    public MemorySegment privateData() {
        return privateData;
    }

    /**
     * {@return a future that completes when the connection has ended, by either end} The thread that drives the device
     * completes it, so what depends on it must not block.
     */
    public CompletableFuture<RdmaConnection> disconnected() {
        return disconnected;
    }

    /**
     * {@return registered memory for messages and remote access, from the pool of the connection} The caller closes it.
     *
     * @param lengthBytes its length
     */
    public MemoryLease buffer(int lengthBytes) {
        return resources().pool.lease(lengthBytes);
    }

    /**
     * {@return the values by which the peer reads and writes a buffer}
     *
     * @param buffer of {@link #buffer}
     */
    public RemoteMemory share(MemoryLease buffer) {
        return new RemoteMemory(buffer.address(), buffer.lengthBytes(), buffer.rkey());
    }

    /**
     * Sends a message, and waits until the peer has it.
     *
     * @param buffer of {@link #buffer}
     * @param length bytes from the beginning of the buffer
     * @throws InterruptedException if the thread is interrupted; the message may arrive nevertheless
     * @throws RdmaException EIO if the connection has ended
     */
    public void send(MemoryLease buffer, int length) throws InterruptedException {
        post(SendRequest.send().sge(buffer.sge(0, length)).signaled().build());
    }

    /**
     * Sends text in UTF-8, and waits until the peer has it.
     *
     * @param text the message
     * @throws InterruptedException if the thread is interrupted; the message may arrive nevertheless
     * @throws RdmaException EIO if the connection has ended
     */
    public void send(String text) throws InterruptedException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        try (MemoryLease buffer = buffer(Math.max(bytes.length, 1))) {
            MemorySegment.copy(MemorySegment.ofArray(bytes), 0, buffer.segment(), 0, bytes.length);
            send(buffer, bytes.length);
        }
    }

    /**
     * Reads memory of the peer into a buffer.
     *
     * @param source memory of the peer
     * @param buffer of {@link #buffer}, at least as long
     * @throws InterruptedException if the thread is interrupted
     * @throws RdmaException EIO if the peer does not permit it or the connection has ended
     */
    public void read(RemoteMemory source, MemoryLease buffer) throws InterruptedException {
        post(SendRequest.rdmaRead(source.rkey(), source.address())
                .sge(buffer.sge(0, source.length()))
                .signaled()
                .build());
    }

    /**
     * Writes the beginning of a buffer to memory of the peer, and fills that.
     *
     * @param buffer of {@link #buffer}, at least as long
     * @param destination memory of the peer
     * @throws InterruptedException if the thread is interrupted
     * @throws RdmaException EIO if the peer does not permit it or the connection has ended
     */
    public void write(MemoryLease buffer, RemoteMemory destination) throws InterruptedException {
        post(SendRequest.rdmaWrite(destination.rkey(), destination.address())
                .sge(buffer.sge(0, destination.length()))
                .signaled()
                .build());
    }

    private void post(SendRequest request) throws InterruptedException {
        Resources own = resources();
        own.sends.lock().lockInterruptibly();
        try {
            resources(); // The connection may have been closed meanwhile.
            own.qp.postSend(request);
            WorkCompletion completion = own.sends.take();
            if (completion.status() != WcStatus.SUCCESS) {
                throw new RdmaException(Errno.EIO, this + ": " + completion);
            }
        } finally {
            own.sends.lock().unlock();
        }
    }

    /**
     * {@return the next message of the peer, or null if the connection has ended} The caller closes it.
     *
     * @throws InterruptedException if the thread is interrupted
     */
    public @Nullable ReceivedMessage receive() throws InterruptedException {
        Resources own = resources();
        own.receives.lock().lockInterruptibly();
        try {
            if (isClosed.get()) {
                return null;
            }
            WorkCompletion completion = own.receives.take();
            if (completion.status() != WcStatus.SUCCESS) {
                return null;
            }
            int slot = (int) completion.wrId();
            return new ReceivedMessage(this, slot, receives.get(slot).segment().asSlice(0, completion.byteLength()));
        } finally {
            own.receives.lock().unlock();
        }
    }

    /**
     * {@return the next message of the peer as text in UTF-8, or null if the connection has ended}
     *
     * @throws InterruptedException if the thread is interrupted
     */
    public @Nullable String receiveText() throws InterruptedException {
        try (ReceivedMessage message = receive()) {
            return message == null ? null : message.text();
        }
    }

    /**
     * Disconnects, and frees the queue pair and the pool. Threads that wait for a message get null, threads that wait
     * for another operation EIO. Idempotent.
     *
     * @throws RdmaException EBUSY if a buffer of {@link #buffer} is not closed; the connection has ended nevertheless
     */
    @Override
    public void close() {
        if (!isClosed.compareAndSet(false, true)) {
            return;
        }
        Resources own = resources;
        if (own == null) {
            closeId();
            return;
        }
        try {
            id.disconnect(); // Flushes the requests for which threads wait.
        } catch (RdmaException e) {
            LOG.log(System.Logger.Level.DEBUG, "nothing to disconnect", e);
        }
        own.sends.lock().lock();
        own.receives.lock().lock();
        try {
            closeId();
            receives.forEach(MemoryLease::close);
            own.pool.close();
            own.pd.close();
        } finally {
            own.receives.lock().unlock();
            own.sends.lock().unlock();
        }
    }

    private void closeId() {
        EventChannel channel = id.channel();
        id.close();
        channel.close();
        disconnected.complete(this);
    }

    @Override
    public String toString() {
        return "connection " + id;
    }
}
