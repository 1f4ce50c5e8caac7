package io.rdma4j.uverbs.server;

import io.rdma4j.uverbs.abi.AttributeEncoding;
import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Frame;
import io.rdma4j.uverbs.abi.FrameChannel;
import io.rdma4j.uverbs.abi.FrameCodec;
import io.rdma4j.uverbs.abi.Message;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** A connection that has no context until {@link #getContext}; sends frames that a driver never sends. */
final class BareClient implements AutoCloseable {
    private final FrameChannel server;
    private int sequence;

    /** @param entry the server's entry */
    BareClient(Path entry) throws IOException {
        server = new FrameChannel(SocketChannel.open(UnixDomainSocketAddress.of(entry.resolve("control"))));
    }

    /** Returns the answer, which may be an error. */
    Frame call(Message command) throws IOException {
        server.send(Frame.request(AttributeEncoding.IOCTL, ++sequence, command));
        return receive();
    }

    Frame receive() throws IOException {
        return FrameCodec.decode(server.receive());
    }

    Message getContext() throws IOException {
        return call(new Message(CommandType.GET_CONTEXT)
                        .putLong(CommandAttribute.PID, 1)
                        .putText(CommandAttribute.COMM, "raw"))
                .success();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
