// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Frame;
import io.rdma4j.uverbs.abi.FrameChannel;
import io.rdma4j.uverbs.abi.FrameCodec;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.local.RunDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Forwards frames between clients and the server and records them. */
final class Wiretap implements AutoCloseable {
    final List<Frame> heard = new CopyOnWriteArrayList<>();
    private final ServerSocketChannel socket = open();

    /** Replaces the file names in the server's answers; null to forward them unchanged. */
    volatile @Nullable UnaryOperator<Path> renames;

    private final Path server;
    private final List<FrameChannel> toServer = new CopyOnWriteArrayList<>();

    /** @param entry the server's entry */
    Wiretap(Device device, Path entry, RunDirectory directory) {
        this(device, entry, directory, UverbsServer.ABI_VERSION);
    }

    /** @param abiVersion version in the published entry */
    Wiretap(Device device, Path entry, RunDirectory directory, int abiVersion) {
        this.server = entry.resolve("control");
        directory.publish(device, abiVersion, endpoint -> {
            try {
                socket.bind(UnixDomainSocketAddress.of(endpoint));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        Thread.ofVirtual().start(this::accept);
    }

    private static ServerSocketChannel open() {
        try {
            return ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void accept() {
        try {
            while (true) {
                FrameChannel near = new FrameChannel(socket.accept());
                FrameChannel far = new FrameChannel(SocketChannel.open(UnixDomainSocketAddress.of(server)));
                toServer.add(far);
                Thread.ofVirtual().start(() -> pass(near, far));
                Thread.ofVirtual().start(() -> pass(far, near));
            }
        } catch (IOException e) {
            // the test has ended
        }
    }

    private void pass(FrameChannel from, FrameChannel to) {
        try (from;
                to) {
            while (true) {
                Frame frame = FrameCodec.decode(from.receive());
                heard.add(frame);
                UnaryOperator<Path> other = renames;
                if (other != null
                        && frame.message().has(CommandAttribute.FILE)
                        && frame.kind() == Frame.Kind.RESPONSE) {
                    Path file = Path.of(frame.message().getText(CommandAttribute.FILE));
                    frame.message()
                            .putText(CommandAttribute.FILE, other.apply(file).toString());
                }
                to.send(frame);
            }
        } catch (IOException e) {
            // one of the two has closed its connection
        }
    }

    /** Closes the connections to the server, so that the server sees its clients disconnect. */
    void hangUp() throws IOException {
        for (FrameChannel far : toServer) {
            far.close();
        }
    }

    List<CommandType> commands() {
        return heard.stream().map(frame -> frame.message().command()).toList();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
