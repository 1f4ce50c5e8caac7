package io.rdma4j.uverbs.client;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.FrameChannel;
import io.rdma4j.uverbs.abi.Style;
import io.rdma4j.verbs.NodeType;
import io.rdma4j.verbs.spi.ContextEvents;
import io.rdma4j.verbs.spi.ContextOps;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.FoundDevice;
import io.rdma4j.verbs.spi.RunDirectory;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** A device that was found, not opened. Answers to {@code struct rxe_device}: it keeps the version of the commands. */
final class ClientDevice implements DeviceOps {
    private final FoundDevice found;
    private final Style style;
    private final long nodeGuid;

    /** @param style how the server wants its commands */
    ClientDevice(FoundDevice found, Style style) {
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
    public ContextOps open(ContextEvents events) {
        Connection connection = new Connection(new FrameChannel(connect()), style);
        try {
            return new ClientContext(this, connection, events);
        } catch (RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    /** By the entry's name, and if the server has begun anew under another one, by the device's. Answers to {@code open_cdev}. */
    private SocketChannel connect() {
        try {
            return SocketChannel.open(UnixDomainSocketAddress.of(found.endpoint()));
        } catch (IOException e) {
            return connectAgain(e);
        }
    }

    private SocketChannel connectAgain(IOException first) {
        for (FoundDevice other : new RunDirectory(found.path().resolveSibling("")).scan()) {
            if (other.name().equals(name()) && readGuid(other.path()) == nodeGuid) {
                try {
                    return SocketChannel.open(UnixDomainSocketAddress.of(other.endpoint()));
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
}
