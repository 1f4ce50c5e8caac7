package io.rdma4j.uverbs.server;

import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.uverbs.abi.Frame;
import io.rdma4j.uverbs.abi.FrameChannel;
import io.rdma4j.uverbs.abi.FrameCodec;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.Style;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** A connection without a context, until {@link #getContext}: for what a driver never sends. */
final class BareClient implements AutoCloseable {
    private final FrameChannel server;
    private int sequence;

    /** @param entry of the server */
    BareClient(Path entry) throws IOException {
        server = new FrameChannel(SocketChannel.open(UnixDomainSocketAddress.of(entry.resolve("control"))));
    }

    /** The answer, which may be a refusal. */
    Frame call(Message command) throws IOException {
        server.send(Frame.request(Style.IOCTL, ++sequence, command));
        return receive();
    }

    Frame receive() throws IOException {
        return FrameCodec.decode(server.receive());
    }

    Message getContext() throws IOException {
        return call(new Message(Command.GET_CONTEXT).putLong(Attribute.PID, 1).putText(Attribute.COMM, "raw"))
                .success();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
