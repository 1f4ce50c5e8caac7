package io.rdma4j.uverbs.server;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.FrameChannel;
import io.rdma4j.uverbs.abi.Worker;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.spi.RunDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
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
    /** The version of the commands it understands; those of the version before it as well. */
    public static final int ABI_VERSION = 2;

    private final Device device;
    private final Path entry;
    private final Path queueFolder;
    private final ServerSocketChannel socket;
    private final Set<Session> sessions = ConcurrentHashMap.newKeySet();

    private UverbsServer(Device device, ServerSocketChannel socket, Path entry, Path queueFolder) {
        this.device = device;
        this.socket = socket;
        this.entry = entry;
        this.queueFolder = queueFolder;
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
        try {
            ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            Path entry = directory.publish(device, abiVersion, endpoint -> bind(socket, endpoint));
            Path queues = Files.createTempDirectory(queueRoot(), "rdma4j-");
            UverbsServer server = new UverbsServer(device, socket, entry, queues);
            Worker.start("uverbs of " + device, server::accept, () -> {});
            return server;
        } catch (IOException | UncheckedIOException e) {
            throw new RdmaException(Errno.EIO, device + " cannot be served", e);
        }
    }

    private static void bind(ServerSocketChannel socket, Path endpoint) {
        try {
            socket.bind(UnixDomainSocketAddress.of(endpoint));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Memory that has no disk behind it, where there is such. */
    private static Path queueRoot() {
        Path memory = Path.of("/dev/shm");
        return Files.isWritable(memory) ? memory : Path.of(System.getProperty("java.io.tmpdir"));
    }

    /** {@return where others find it} */
    public Path entry() {
        return entry;
    }

    private void accept() throws IOException {
        Session session = new Session(device, new FrameChannel(socket.accept()), queueFolder);
        sessions.add(session);
        session.start(() -> sessions.remove(session));
    }

    /** Serves the device no more: clients see it go. What they had made is closed before this returns. Idempotent. */
    @Override
    public void close() {
        try {
            socket.close();
            for (Session session : sessions) {
                session.end();
            }
            if (Files.exists(entry)) {
                RunDirectory.withdraw(entry);
            }
            Files.deleteIfExists(queueFolder);
        } catch (IOException e) {
            throw new RdmaException(Errno.EIO, entry + " cannot be removed", e);
        }
    }
}
