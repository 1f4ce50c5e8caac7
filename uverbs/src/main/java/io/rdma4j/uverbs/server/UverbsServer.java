// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.base.local.LocalUser;
import io.rdma4j.uverbs.abi.FrameChannel;
import io.rdma4j.uverbs.abi.Worker;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.DeviceServer;
import io.rdma4j.verbs.local.RunDirectory;
import io.rdma4j.verbs.local.ServerMemory;
import io.rdma4j.verbs.values.Resource;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Serves a device to other processes of this user. Processes of other users are rejected. Corresponds to {@code
 * ib_uverbs} and its character device.
 *
 * <p>Each connection is a context of the device. The objects of a context are closed when its connection ends. Each
 * connection has a virtual thread for its commands and one for each of its two kinds of events. Any thread may call.
 */
public final class UverbsServer implements DeviceServer.Service {
    /** Version of the commands; clients that support only older versions reject the device. */
    public static final int ABI_VERSION = 3;

    private static final System.Logger LOG = System.getLogger(UverbsServer.class.getName());

    /**
     * Number of connections above the session limit that get an error answer (ENFILE); further ones are closed at once.
     */
    private static final int WAITING = 64;

    private static final long ACCEPT_PAUSE_NS = Duration.ofMillis(50).toNanos();

    private final Device device;
    private final DeviceQueries queries;
    private final Path entry;
    private final ServerMemory memory;
    private final ServerSocketChannel socket;
    private final SessionLimits limits;
    private final Set<Session> sessions = ConcurrentHashMap.newKeySet();

    /** The last failure since a client was accepted. Only the accepting thread. */
    private @Nullable Throwable failure;

    private UverbsServer(
            Device device, ServerSocketChannel socket, Path entry, ServerMemory memory, SessionLimits limits) {
        this.device = device;
        this.queries = new DeviceQueries(device, this::resourcesOfClients);
        this.socket = socket;
        this.entry = entry;
        this.memory = memory;
        this.limits = limits;
    }

    /**
     * Starts to serve a device.
     *
     * @param device device of this process
     * @param directory directory in which other processes find the device
     * @return the server; the caller closes it
     * @throws RdmaException EOPNOTSUPP if no driver supports the device, EIO if the socket cannot be opened, ENOMEM if
     *     its path is too long
     */
    public static UverbsServer open(Device device, RunDirectory directory) {
        return open(device, directory, ABI_VERSION, SessionLimits.DEFAULT);
    }

    /** @param abiVersion version of the commands that the device's entry names */
    static UverbsServer open(Device device, RunDirectory directory, int abiVersion, SessionLimits limits) {
        if (device.driverId() == 0) {
            throw new RdmaException(
                    Errno.EOPNOTSUPP, device + " cannot be served: other processes have no driver for it");
        }
        ServerMemory memory = ServerMemory.create();
        try {
            return open(device, directory, abiVersion, memory, limits);
        } catch (RuntimeException e) {
            memory.close();
            throw e;
        }
    }

    private static UverbsServer open(
            Device device, RunDirectory directory, int abiVersion, ServerMemory memory, SessionLimits limits) {
        ServerSocketChannel socket = openSocket();
        try {
            Path entry = directory.publish(device, abiVersion, endpoint -> furnish(socket, endpoint, memory.path()));
            UverbsServer server = new UverbsServer(device, socket, entry, memory, limits);
            Worker.start("uverbs of " + device, server::accept, () -> {});
            return server;
        } catch (RuntimeException e) {
            closeQuietly(socket);
            throw e;
        }
    }

    private static ServerSocketChannel openSocket() {
        try {
            return ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        } catch (IOException e) {
            throw new RdmaException(Errno.EIO, "no socket for clients", e);
        }
    }

    private static void closeQuietly(ServerSocketChannel socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It was not used.
        }
    }

    private static void furnish(ServerSocketChannel socket, Path endpoint, Path memory) {
        try {
            Files.createSymbolicLink(endpoint.resolveSibling(RunDirectory.MEMORY), memory);
            socket.bind(UnixDomainSocketAddress.of(endpoint));
        } catch (IOException e) {
            throw new RdmaException(Errno.EIO, "no socket at " + endpoint, e);
        }
    }

    @Override
    public Path entry() {
        return entry;
    }

    @Override
    public void addressesChanged() {
        try {
            RunDirectory.updateAddresses(entry, device);
        } catch (RdmaException e) {
            LOG.log(Level.WARNING, e.getMessage(), e);
        }
    }

    /**
     * Allows clients to delete the device ({@code rdma link delete}). Without this call a deletion fails with EBUSY.
     *
     * @param action closes the server, on another thread than the calling one
     */
    public void onDelete(Runnable action) {
        queries.onDelete(action);
    }

    /**
     * Accepts a client. A failure such as EMFILE, ENFILE or ENOBUFS does not end the server. The client stays in the
     * accept queue or is disconnected, and the thread continues after 50 ms. The failure is logged after the next
     * successful accept, because logging may open files.
     */
    private void accept() throws IOException {
        try {
            admit(socket.accept());
        } catch (Throwable e) {
            if (!socket.isOpen()) {
                throw new ClosedChannelException();
            }
            failure = e;
            LockSupport.parkNanos(ACCEPT_PAUSE_NS);
            return;
        }
        Throwable past = failure;
        if (past != null) {
            failure = null;
            LOG.log(Level.WARNING, device + " has refused clients", past);
        }
    }

    private void admit(SocketChannel client) throws IOException {
        boolean admitted = false;
        try {
            LocalUser.checkPeer(client);
            int open = sessions.size();
            if (open >= limits.sessions() + WAITING) {
                throw new IOException(open + " connections are open");
            }
            String refusal = open < limits.sessions()
                    ? null
                    : device + " has " + limits.sessions() + " clients already, which is its limit";
            Session session = new Session(device, queries, new FrameChannel(client), memory.path(), refusal);
            sessions.add(session);
            session.start(limits.greeting(), () -> sessions.remove(session));
            admitted = true;
            if (!socket.isOpen()) {
                // The server was closed concurrently and may not have seen this session.
                session.end();
            }
        } finally {
            if (!admitted) {
                client.close();
            }
        }
    }

    /** Asks all clients but one at the same time. */
    private List<Resource> resourcesOfClients(Session except) {
        List<CompletableFuture<List<Resource>>> answers = sessions.stream()
                .filter(session -> !session.equals(except))
                .map(Session::queryResources)
                .toList();
        return answers.stream().flatMap(answer -> answer.join().stream()).toList();
    }

    /**
     * Stops to serve the device. Clients are disconnected, and their objects are closed before this method returns.
     * Idempotent.
     *
     * @throws RdmaException EIO if the entry or the memory cannot be deleted; the server is closed in this case too
     */
    @Override
    public void close() {
        try {
            if (socket.isOpen()) {
                // While the socket is open, no other process removes the entry or takes its name.
                RunDirectory.withdraw(entry);
            }
        } finally {
            closeQuietly(socket);
            sessions.forEach(Session::end);
            memory.close();
        }
    }
}
