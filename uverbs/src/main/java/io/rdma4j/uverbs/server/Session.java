// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Frame;
import io.rdma4j.uverbs.abi.FrameChannel;
import io.rdma4j.uverbs.abi.FrameCodec;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.Worker;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.values.Owner;
import io.rdma4j.verbs.values.Resource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The server's state for one client: executes its commands in order, sends it events, and closes its objects at the
 * end. Corresponds to {@code struct ib_uverbs_file}.
 */
final class Session {
    private static final System.Logger LOG = System.getLogger(Session.class.getName());

    private final Device device;
    private final DeviceQueries queries;
    private final FrameChannel client;
    private final Path memory;
    private final CompletableFuture<@Nullable Void> greeted = new CompletableFuture<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final @Nullable String refusal;
    private @Nullable CommandTable commands;
    private volatile @Nullable ClientResources resources;

    /**
     * Creates a session; {@link #start} begins it.
     *
     * @param queries commands without a context
     * @param memory directory that contains a directory for each session
     * @param refusal why the client gets no context; null if it does
     */
    Session(Device device, DeviceQueries queries, FrameChannel client, Path memory, @Nullable String refusal) {
        this.device = device;
        this.queries = queries;
        this.client = client;
        this.memory = memory;
        this.refusal = refusal;
    }

    /**
     * Starts the session's thread.
     *
     * @param greeting time limit for the client to open its context; a slower client is disconnected
     * @param atEnd runs after the session has ended and its objects are closed
     */
    void start(Duration greeting, Runnable atEnd) {
        var _ = greeted.orTimeout(greeting.toNanos(), TimeUnit.NANOSECONDS).whenComplete((_, late) -> {
            if (late != null) {
                LOG.log(
                        Level.WARNING,
                        "a client of {0} has no context after {1}: it is disconnected",
                        device,
                        greeting);
                disconnect();
            }
        });
        Worker.start("uverbs session", this::work, () -> {
            try {
                cleanUp();
            } finally {
                atEnd.run();
                ended.countDown();
            }
        });
    }

    /** Disconnects the client first, so that it sees the end even if closing its objects takes time or fails. */
    private void cleanUp() {
        greeted.complete(null);
        disconnect();
        ClientResources asked = resources;
        if (asked != null) {
            asked.close();
        }
        CommandTable made = commands;
        if (made != null) {
            try {
                made.closeAll();
            } catch (RuntimeException e) {
                LOG.log(Level.WARNING, "a session of " + device + " leaves something open", e);
            }
        }
    }

    private void disconnect() {
        try {
            client.close();
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "the socket of a session cannot be closed", e);
        }
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
        if (!request.message().command().isUnanswered()) {
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
        Message answer = queries.answer(request, this);
        if (answer != null) {
            return answer;
        }
        CommandTable made = commands;
        if (made == null) {
            if (request.command() != CommandType.GET_CONTEXT) {
                throw new RdmaException(Errno.EINVAL, request.command() + " before GET_CONTEXT");
            }
            return getContext(request);
        }
        return made.execute(request);
    }

    /** Corresponds to {@code UVERBS_METHOD_GET_CONTEXT}. A failure leaves nothing open; the commands are set last. */
    private Message getContext(Message request) {
        if (refusal != null) {
            throw new RdmaException(Errno.ENFILE, refusal);
        }
        if (!device.isPresent()) {
            throw new RdmaException(Errno.EIO, device + " is gone");
        }
        SharedFolder folder = SharedFolder.create(memory);
        Context context;
        try {
            context = device.open(
                    new Owner(request.getLong(CommandAttribute.PID), request.getText(CommandAttribute.COMM)));
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
        SessionEvents events = new SessionEvents(context, client, this::disconnect);
        ClientResources asked = new ClientResources(events, context.owner());
        CommandTable table = CommandHandlers.of(new SessionObjects(context, events, folder, doorbells));
        asked.addTo(table);
        resources = asked;
        commands = table;
        greeted.complete(null);
        Message answer = new Message(CommandType.GET_CONTEXT)
                .put(CommandAttribute.COMP_VECTORS, context.completionVectors())
                .putLong(
                        CommandAttribute.CORE_SUPPORT,
                        context.understandsOptionalAccess() ? CommandAttribute.OPTIONAL_MR_ACCESS : 0)
                .putText(CommandAttribute.FOLDER, folder.path().toString());
        doorbells.describe(answer);
        return answer;
    }

    /** Asks the client for the objects of its other modules; none if it has no context. Any thread. */
    CompletableFuture<List<Resource>> queryResources() {
        ClientResources asked = resources;
        return asked == null ? CompletableFuture.completedFuture(List.of()) : asked.query();
    }

    /** Disconnects the client and waits until its objects are closed. */
    void end() {
        disconnect();
        try {
            ended.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
