package io.rdma4j.uverbs.server;

import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.uverbs.abi.Frame;
import io.rdma4j.uverbs.abi.FrameChannel;
import io.rdma4j.uverbs.abi.FrameCodec;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.spi.RunDirectory;
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

/** Stands between clients and the server, and hears what they say. */
final class Wiretap implements AutoCloseable {
    final List<Frame> heard = new CopyOnWriteArrayList<>();
    private final ServerSocketChannel socket = open();

    /** What the client is told instead of the names of files; as the server says if null. */
    volatile @Nullable UnaryOperator<Path> renames;

    private final Path server;
    private final List<FrameChannel> toServer = new CopyOnWriteArrayList<>();

    /** @param entry of the server */
    Wiretap(Device device, Path entry, RunDirectory directory) {
        this(device, entry, directory, UverbsServer.ABI_VERSION);
    }

    /** @param abiVersion that clients are told */
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
            // the test is over
        }
    }

    private void pass(FrameChannel from, FrameChannel to) {
        try (from;
                to) {
            while (true) {
                Frame frame = FrameCodec.decode(from.receive());
                heard.add(frame);
                UnaryOperator<Path> other = renames;
                if (other != null && frame.message().has(Attribute.FILE) && frame.kind() == Frame.Kind.RESPONSE) {
                    Path file = Path.of(frame.message().getText(Attribute.FILE));
                    frame.message().putText(Attribute.FILE, other.apply(file).toString());
                }
                to.send(frame);
            }
        } catch (IOException e) {
            // one of them has gone
        }
    }

    /** The clients are gone, as far as the server can tell. */
    void hangUp() throws IOException {
        for (FrameChannel far : toServer) {
            far.close();
        }
    }

    List<Command> commands() {
        return heard.stream().map(frame -> frame.message().command()).toList();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
