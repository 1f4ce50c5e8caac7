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

/** A session that sends what it likes. */
final class RawClient implements AutoCloseable {
    private final FrameChannel server;

    /** Where the session's shared files are. */
    final Path folder;

    private int sequence;

    /** @param entry of the server */
    RawClient(Path entry) throws IOException {
        server = new FrameChannel(SocketChannel.open(UnixDomainSocketAddress.of(entry.resolve("control"))));
        Message context = call(new Message(Command.GET_CONTEXT)
                .putLong(Attribute.PID, ProcessHandle.current().pid())
                .putText(Attribute.COMM, "raw"));
        folder = Path.of(context.getText(Attribute.FOLDER));
    }

    /** Returns the answer, or throws the refusal. */
    Message call(Message command) throws IOException {
        return answer(command).success();
    }

    /** Returns the answer, whatever it is; events are passed over. */
    Frame answer(Message command) throws IOException {
        server.send(Frame.request(Style.IOCTL, ++sequence, command));
        Frame frame = FrameCodec.decode(server.receive());
        while (frame.kind() == Frame.Kind.EVENT) {
            frame = FrameCodec.decode(server.receive());
        }
        return frame;
    }

    /** Returns the handle of what a command makes. */
    int make(Message command) throws IOException {
        return call(command).get(Attribute.HANDLE);
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
