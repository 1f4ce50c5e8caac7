package io.rdma4j.uverbs.server;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.FrameChannel;
import io.rdma4j.uverbs.abi.Worker;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.spi.RunDirectory;
import io.rdma4j.verbs.spi.ServerMemory;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Serves a device to the other processes of this user. Answers to {@code ib_uverbs} and its character device.
 *
 * <p>Each connection is a context of the device: what is made over it belongs to it, and goes with it. A virtual thread works for each
 * connection and one for its completion events. Any thread may call.
 */
public final class UverbsServer implements AutoCloseable {
    /** The version of the commands it understands; clients of older ones refuse the device. */
    public static final int ABI_VERSION = 3;

    private final Device device;
    private final Path entry;
    private final ServerMemory memory;
    private final ServerSocketChannel socket;
    private final Set<Session> sessions = ConcurrentHashMap.newKeySet();

    private UverbsServer(Device device, ServerSocketChannel socket, Path entry, ServerMemory memory) {
        this.device = device;
        this.socket = socket;
        this.entry = entry;
        this.memory = memory;
    }

    /**
     * Begins to serve a device.
     *
     * @param device of this process
     * @param directory where others find it
     * @return what serves it until it is closed
     * @throws RdmaException EOPNOTSUPP if no driver knows what to do with it, EIO if there can be no socket, ENOMEM if its path is too
     *     long
     */
    public static UverbsServer open(Device device, RunDirectory directory) {
        return open(device, directory, ABI_VERSION);
    }

    /** @param abiVersion tells clients to make do with that version */
    static UverbsServer open(Device device, RunDirectory directory, int abiVersion) {
        if (device.driverId() == 0) {
            throw new RdmaException(
                    Errno.EOPNOTSUPP, device + " cannot be served: other processes have no driver for it");
        }
        ServerMemory memory = ServerMemory.create();
        try {
            return open(device, directory, abiVersion, memory);
        } catch (RuntimeException e) {
            memory.close();
            throw e;
        }
    }

    private static UverbsServer open(Device device, RunDirectory directory, int abiVersion, ServerMemory memory) {
        ServerSocketChannel socket = openSocket();
        try {
            Path entry = directory.publish(device, abiVersion, endpoint -> furnish(socket, endpoint, memory.path()));
            UverbsServer server = new UverbsServer(device, socket, entry, memory);
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

    /** {@return where others find it} */
    public Path entry() {
        return entry;
    }

    private void accept() throws IOException {
        Session session = new Session(device, new FrameChannel(socket.accept()), memory.path());
        sessions.add(session);
        session.start(() -> sessions.remove(session));
    }

    /** Serves the device no more: clients see it go. What they had made is closed before this returns. Idempotent. */
    @Override
    public void close() {
        try {
            if (socket.isOpen()) {
                // An entry without somebody who listens would be anybody's to remove, and its name another's.
                RunDirectory.withdraw(entry);
            }
            socket.close();
            for (Session session : sessions) {
                session.end();
            }
            memory.close();
        } catch (IOException e) {
            throw new RdmaException(Errno.EIO, entry + " cannot be removed", e);
        }
    }
}
