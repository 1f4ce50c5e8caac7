// SPDX-License-Identifier: Apache-2.0
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
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A connection to the server that can send any frame; it has no context until {@link #getContext}. */
final class RawClient implements AutoCloseable {
    private final FrameChannel server;

    private int sequence;
    private @Nullable Path folder;

    /** @param entry the server's entry */
    RawClient(Path entry) throws IOException {
        server = new FrameChannel(SocketChannel.open(UnixDomainSocketAddress.of(entry.resolve("control"))));
    }

    /** Opens the context of the session. */
    void getContext() throws IOException {
        Message context = call(new Message(CommandType.GET_CONTEXT)
                .putLong(CommandAttribute.PID, ProcessHandle.current().pid())
                .putText(CommandAttribute.COMM, "raw"));
        folder = Path.of(context.getText(CommandAttribute.FOLDER));
    }

    /** Directory of the session's shared files. */
    Path folder() {
        return Objects.requireNonNull(folder, "no context");
    }

    /** Returns the answer, or throws its error. */
    Message call(Message command) throws IOException {
        return answer(command).success();
    }

    /** Returns the answer, which may be an error; skips events. */
    Frame answer(Message command) throws IOException {
        server.send(Frame.request(AttributeEncoding.IOCTL, ++sequence, command));
        Frame frame = receive();
        while (frame.kind() == Frame.Kind.EVENT) {
            frame = receive();
        }
        return frame;
    }

    /** Sends a command that has no answer. */
    void sendUnanswered(Message command) throws IOException {
        server.send(Frame.request(AttributeEncoding.IOCTL, 0, command));
    }

    /** Returns the next frame, which may be an event. */
    Frame receive() throws IOException {
        return FrameCodec.decode(server.receive());
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
