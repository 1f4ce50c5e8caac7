// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.client;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.AttributeEncoding;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Frame;
import io.rdma4j.uverbs.abi.FrameChannel;
import io.rdma4j.uverbs.abi.FrameCodec;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.Worker;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The connection of a context to the server: sends commands and waits for their answers. A virtual thread receives
 * answers and events. Corresponds to {@code cmd_fd} and {@code async_fd}. Any thread.
 */
final class ServerConnection implements AutoCloseable {
    /** Time limit for the first answer. It is exceeded if the server is suspended or has no free file descriptor. */
    private static final long GREETING_LIMIT_S = 8;

    private final FrameChannel server;
    private final AttributeEncoding style;
    private final String process;
    private final AtomicInteger lastSequence = new AtomicInteger();
    private final Map<Integer, CompletableFuture<Frame>> waiting = new ConcurrentHashMap<>();
    private volatile boolean gone;

    /** The thread that receives frames; event handlers run on it. */
    private volatile @Nullable Thread reader;

    /**
     * Uses an open connection; {@link #start} begins to receive.
     *
     * @param style encoding of commands; doorbells always use WRITE
     * @param process description of the serving process, for messages
     */
    ServerConnection(FrameChannel server, AttributeEncoding style, String process) {
        this.server = server;
        this.style = style;
        this.process = process;
    }

    /**
     * Starts the receiving thread.
     *
     * @param events gets each event; must not wait for an answer
     * @param onEnd runs after the server has ended or the connection is closed
     */
    void start(Consumer<Message> events, Runnable onEnd) {
        Worker.start("uverbs client", () -> take(events), () -> {
            gone = true;
            closeQuietly();
            waiting.values().forEach(answer -> answer.completeExceptionally(lost()));
            onEnd.run();
        });
    }

    private void take(Consumer<Message> events) throws IOException {
        reader = Thread.currentThread();
        Frame frame = FrameCodec.decode(server.receive());
        CompletableFuture<Frame> answer = waiting.remove(frame.sequence());
        if (answer != null) {
            answer.complete(frame);
        } else if (frame.kind() == Frame.Kind.EVENT) {
            events.accept(frame.message());
        }
    }

    private RdmaException lost() {
        return new RdmaException(Errno.EIO, lostText());
    }

    private String lostText() {
        return process + " has ended or closed it: close this context and open the device again, which makes the device"
                + " this process's own";
    }

    /**
     * Sends a command and waits for its answer. An interrupt does not end the wait; the thread keeps its interrupt
     * flag.
     *
     * @throws RdmaException the server's error; EIO if the server has ended; EDEADLK on the receiving thread; ETIMEDOUT
     *     if the server does not answer the first command
     */
    Message call(Message command) {
        if (Thread.currentThread().equals(reader) && !gone) {
            throw new RdmaException(
                    Errno.EDEADLK,
                    command.command() + " from an event handler of a served device would wait for itself: call it from"
                            + " another thread");
        }
        int sequence = lastSequence.incrementAndGet();
        CompletableFuture<Frame> answer = new CompletableFuture<>();
        if (command.command() == CommandType.GET_CONTEXT) {
            answer.orTimeout(GREETING_LIMIT_S, TimeUnit.SECONDS);
        }
        waiting.put(sequence, answer);
        try {
            send(Frame.request(style, sequence, command));
            if (gone) {
                throw lost();
            }
            return answer.join().success();
        } catch (CompletionException e) {
            if (e.getCause() instanceof TimeoutException) {
                throw new RdmaException(
                        Errno.ETIMEDOUT,
                        "the process that serves the device has not answered for " + GREETING_LIMIT_S
                                + " s: it stands still, or has no files left for another client",
                        e);
            }
            throw lost();
        } finally {
            waiting.remove(sequence);
        }
    }

    /** @throws RdmaException EIO if the server has ended */
    void check() {
        if (gone) {
            throw lost();
        }
    }

    /** Sends a command that has no answer; the server reports errors by events, or not at all. */
    void sendUnanswered(Message command) {
        send(Frame.request(AttributeEncoding.WRITE, 0, command));
    }

    private void send(Frame frame) {
        try {
            server.send(frame);
        } catch (IOException e) {
            throw new RdmaException(Errno.EIO, lostText(), e);
        }
    }

    private void closeQuietly() {
        try {
            server.close();
        } catch (IOException e) {
            // The peer has ended in any case.
        }
    }

    /** Closes the connection; the server then closes all objects of this context. */
    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new RdmaException(Errno.EIO, "the connection cannot be closed", e);
        }
    }
}
