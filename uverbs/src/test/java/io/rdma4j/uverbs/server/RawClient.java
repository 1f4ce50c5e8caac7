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

/** A session that can send any frame. */
final class RawClient implements AutoCloseable {
    private final FrameChannel server;

    /** Directory of the session's shared files. */
    final Path folder;

    private int sequence;

    /** @param entry the server's entry */
    RawClient(Path entry) throws IOException {
        server = new FrameChannel(SocketChannel.open(UnixDomainSocketAddress.of(entry.resolve("control"))));
        Message context = call(new Message(CommandType.GET_CONTEXT)
                .putLong(CommandAttribute.PID, ProcessHandle.current().pid())
                .putText(CommandAttribute.COMM, "raw"));
        folder = Path.of(context.getText(CommandAttribute.FOLDER));
    }

    /** Returns the answer, or throws its error. */
    Message call(Message command) throws IOException {
        return answer(command).success();
    }

    /** Returns the answer, which may be an error; skips events. */
    Frame answer(Message command) throws IOException {
        server.send(Frame.request(AttributeEncoding.IOCTL, ++sequence, command));
        Frame frame = FrameCodec.decode(server.receive());
        while (frame.kind() == Frame.Kind.EVENT) {
            frame = FrameCodec.decode(server.receive());
        }
        return frame;
    }

    /** Returns the handle of the object that the command creates. */
    int make(Message command) throws IOException {
        return call(command).get(CommandAttribute.HANDLE);
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
