// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.client;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.base.local.LocalDirectory;
import io.rdma4j.base.local.LocalUser;
import io.rdma4j.uverbs.abi.AttributeEncoding;
import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.FrameChannel;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.ResourceCodec;
import io.rdma4j.verbs.device.NodeType;
import io.rdma4j.verbs.local.RunDirectory;
import io.rdma4j.verbs.spi.ContextEvents;
import io.rdma4j.verbs.spi.ContextOps;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.FoundDevice;
import io.rdma4j.verbs.values.Resource;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * A device that was found and is not open. Corresponds to {@code struct rxe_device}: it holds the encoding of the
 * commands.
 */
final class ClientDevice implements DeviceOps {
    private static final long CONNECT_LIMIT_NS = Duration.ofSeconds(10).toNanos();
    private static final long PAUSE_NS = Duration.ofMillis(5).toNanos();

    private final FoundDevice found;
    private final AttributeEncoding style;
    private final long nodeGuid;

    /** @param style encoding of commands that the server decodes */
    ClientDevice(FoundDevice found, AttributeEncoding style) {
        this.found = found;
        this.style = style;
        this.nodeGuid = readGuid(found.path());
    }

    private static long readGuid(Path entry) {
        try {
            return Long.parseUnsignedLong(
                    Files.readString(entry.resolve("node_guid")).strip().replace(":", ""), 16);
        } catch (IOException | IllegalArgumentException e) {
            return 0;
        }
    }

    @Override
    public String name() {
        return found.name();
    }

    @Override
    public NodeType nodeType() {
        return found.nodeType();
    }

    @Override
    public long nodeGuid() {
        return nodeGuid;
    }

    @Override
    public List<InetSocketAddress> endpoints() {
        return found.endpoints();
    }

    /** Describes the server in error messages after it has ended. */
    private String server() {
        return "process " + found.server().pid() + " (" + found.server().comm() + "), which served " + name() + ",";
    }

    @Override
    public ContextOps open(ContextEvents events) {
        return new ClientContext(name(), session(events), () -> session((_, _) -> {}));
    }

    /** Opens a context on the server. */
    ClientSession session(ContextEvents events) {
        ServerConnection connection = new ServerConnection(connect(), style, server());
        try {
            return new ClientSession(connection, events);
        } catch (RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    @Override
    public List<Resource> resourcesOfAllProcesses() {
        return ResourceCodec.decode(ask(CommandType.QUERY_RESOURCES).getBytes(CommandAttribute.RESOURCES));
    }

    @Override
    public void remove() {
        try {
            ask(CommandType.DELETE_LINK);
        } catch (RdmaException e) {
            // A process that ends at once does not answer.
            if (e.errno() != Errno.EIO) {
                throw e;
            }
        }
    }

    /** Sends a command that needs no context. */
    private Message ask(CommandType command) {
        try (ServerConnection connection = new ServerConnection(connect(), style, server())) {
            connection.start(_ -> {}, () -> {});
            return connection.call(new Message(command));
        }
    }

    /**
     * Connects to the entry's socket. If that fails, it tries the entries of a restarted server with the same device
     * name and node GUID. Corresponds to {@code open_cdev}.
     */
    private FrameChannel connect() {
        try {
            return connect(found.endpoint());
        } catch (IOException e) {
            return connectAgain(e);
        }
    }

    private FrameChannel connectAgain(IOException first) {
        for (FoundDevice other : new RunDirectory(found.path().resolveSibling("")).scan()) {
            if (other.name().equals(name()) && readGuid(other.path()) == nodeGuid) {
                try {
                    return connect(other.endpoint());
                } catch (IOException e) {
                    first.addSuppressed(e);
                }
            }
        }
        throw new RdmaException(
                Errno.ECONNREFUSED,
                "the process that serves " + found.name() + " at " + found.path() + " is gone",
                first);
    }

    /**
     * Connects to a server of this user. If the server's accept queue is full, it retries every 5 ms for 10 s.
     *
     * @throws RdmaException EACCES if another user owns the socket, ETIMEDOUT if the server does not accept clients
     */
    private FrameChannel connect(Path endpoint) throws IOException {
        long startNs = System.nanoTime();
        do {
            Optional<FrameChannel> server = Uninterrupted.run(() -> tryConnect(endpoint));
            if (server.isPresent()) {
                return server.get();
            }
            LockSupport.parkNanos(PAUSE_NS);
        } while (System.nanoTime() - startNs < CONNECT_LIMIT_NS);
        throw new RdmaException(
                Errno.ETIMEDOUT, "the process that serves " + found.name() + " at " + endpoint + " accepts no clients");
    }

    /** Empty if the server's accept queue is full. */
    private static Optional<FrameChannel> tryConnect(Path endpoint) throws IOException {
        SocketChannel socket = LocalDirectory.connect(endpoint);
        if (socket == null) {
            return Optional.empty();
        }
        try {
            LocalUser.checkPeer(socket);
            return Optional.of(new FrameChannel(socket));
        } catch (AccessDeniedException e) {
            socket.close();
            throw new RdmaException(Errno.EACCES, endpoint + " is not a server of this user: " + e.getMessage(), e);
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }
}
