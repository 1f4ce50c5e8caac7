package io.rdma4j.uverbs.client;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.uverbs.abi.Frame;
import io.rdma4j.uverbs.abi.FrameChannel;
import io.rdma4j.uverbs.abi.FrameCodec;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.Style;
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
 * A context's line to the server: sends commands, waits for their answers, and hands on what comes without being asked, on a virtual
 * thread of its own. Answers to {@code cmd_fd} and {@code async_fd}. Any thread.
 */
final class Connection implements AutoCloseable {
    /** A server that is there answers at once; one that stands still or has no files left does not. */
    private static final long GREETING_LIMIT_S = 20;

    private final FrameChannel server;
    private final Style style;
    private final String process;
    private final AtomicInteger lastSequence = new AtomicInteger();
    private final Map<Integer, CompletableFuture<Frame>> waiting = new ConcurrentHashMap<>();
    private volatile boolean gone;

    /** Event handlers run on it. */
    private volatile @Nullable Thread reader;

    /**
     * A connection that is open, and not read yet.
     *
     * @param style of commands; doorbells are always short
     * @param process the process that serves the device, for messages
     */
    Connection(FrameChannel server, Style style, String process) {
        this.server = server;
        this.style = style;
        this.process = process;
    }

    /**
     * Begins to read.
     *
     * @param events gets what the server tells; must not wait for an answer
     * @param onEnd runs when the server is gone or the connection closed
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
     * Has a command carried out. An interrupt does not end it; the thread keeps its interrupt flag.
     *
     * @return its answer
     * @throws RdmaException what the server refuses it with, EIO if it is gone, EDEADLK on the thread that answers arrive on, ETIMEDOUT if it
     *     does not answer the first command
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
        if (command.command() == Command.GET_CONTEXT) {
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

    /** @throws RdmaException EIO if the server is gone */
    void check() {
        if (gone) {
            throw lost();
        }
    }

    /** Sends a doorbell, which has no answer; what goes wrong with it is told by an event. */
    void ring(Message command) {
        send(Frame.request(Style.WRITE, 0, command));
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
            // The other end is gone anyway.
        }
    }

    /** Ends it; the server closes what was made over it. */
    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new RdmaException(Errno.EIO, "the connection cannot be closed", e);
        }
    }
}
