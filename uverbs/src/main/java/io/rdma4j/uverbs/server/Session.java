package io.rdma4j.uverbs.server;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.uverbs.abi.Frame;
import io.rdma4j.uverbs.abi.FrameChannel;
import io.rdma4j.uverbs.abi.FrameCodec;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.Worker;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Owner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * One client's context: takes its commands one after another, tells it of events, and cleans up behind it. Answers to
 * {@code struct ib_uverbs_file}.
 */
final class Session {
    private final Device device;
    private final FrameChannel client;
    private final Path memory;
    private final CountDownLatch ended = new CountDownLatch(1);
    private @Nullable CommandHandlers handlers;

    /** @param memory folder with a folder for each session */
    Session(Device device, FrameChannel client, Path memory) {
        this.device = device;
        this.client = client;
        this.memory = memory;
    }

    /** Begins to work; {@code atEnd} runs when the client has gone and everything of it is closed. */
    void start(Runnable atEnd) {
        Worker.start("uverbs session", this::work, () -> {
            CommandHandlers made = handlers;
            if (made != null) {
                made.closeAll();
            }
            atEnd.run();
            ended.countDown();
        });
    }

    private void work() throws IOException {
        ByteBuffer bytes = client.receive();
        Frame request;
        try {
            request = FrameCodec.decode(bytes);
        } catch (RdmaException e) {
            client.send(Frame.refusal(FrameCodec.sequence(bytes), e));
            return;
        }
        Frame answer = answer(request);
        if (!request.message().command().isDoorbell()) {
            client.send(answer);
        }
    }

    private Frame answer(Frame request) {
        try {
            return request.answer(execute(request.message()));
        } catch (RdmaException e) {
            return Frame.refusal(request.sequence(), e);
        } catch (UncheckedIOException e) {
            return Frame.refusal(request.sequence(), new RdmaException(Errno.EIO, String.valueOf(e.getMessage()), e));
        }
    }

    private Message execute(Message request) {
        CommandHandlers made = handlers;
        if (made == null) {
            if (request.command() != Command.GET_CONTEXT) {
                throw new RdmaException(Errno.EINVAL, request.command() + " before GET_CONTEXT");
            }
            return getContext(request);
        }
        return made.execute(request);
    }

    /** Answers to {@code UVERBS_METHOD_GET_CONTEXT}: what fails leaves nothing behind, and the context is there when all is done. */
    private Message getContext(Message request) {
        if (!device.isPresent()) {
            throw new RdmaException(Errno.EIO, device + " is gone");
        }
        SharedFolder folder = SharedFolder.create(memory);
        Context context;
        try {
            context = device.open(new Owner(request.getLong(Attribute.PID), request.getText(Attribute.COMM)));
        } catch (RuntimeException e) {
            folder.delete();
            throw e;
        }
        SessionDoorbells doorbells;
        try {
            doorbells = new SessionDoorbells(context, folder.path());
        } catch (RuntimeException e) {
            context.close();
            folder.delete();
            throw e;
        }
        handlers =
                new CommandHandlers(new SessionObjects(context, new SessionEvents(context, client), folder, doorbells));
        Message answer = new Message(Command.GET_CONTEXT)
                .put(Attribute.COMP_VECTORS, context.completionVectors())
                .putLong(Attribute.CORE_SUPPORT, 0)
                .putText(Attribute.FOLDER, folder.path().toString());
        doorbells.describe(answer);
        return answer;
    }

    /** Sends the client away, and waits until what it had is closed. */
    void end() throws IOException {
        client.close();
        try {
            ended.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
