package io.rdma4j.uverbs.abi;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Frames over a socket. Any thread may send; one receives.
 *
 * <p>The socket may be blocking or not. An interrupt of a thread in a blocking socket closes the socket ({@link
 * java.nio.channels.InterruptibleChannel}); one of a thread that sends through a non-blocking socket does not. So the client, whose program
 * may interrupt its threads, has a non-blocking one.
 */
public final class FrameChannel implements AutoCloseable {
    private final SocketChannel socket;
    private final ReentrantLock sending = new ReentrantLock();

    /** Of a non-blocking socket only. */
    private final @Nullable Selector readable;

    private final @Nullable Selector writable;

    /**
     * Frames over a socket.
     *
     * @param socket connected; closed with this
     * @throws IOException if the system has no more files
     */
    public FrameChannel(SocketChannel socket) throws IOException {
        this.socket = socket;
        boolean blocking = socket.isBlocking();
        this.readable = blocking ? null : selector(socket, SelectionKey.OP_READ);
        this.writable = blocking ? null : selector(socket, SelectionKey.OP_WRITE);
    }

    private static Selector selector(SocketChannel socket, int operation) throws IOException {
        Selector selector = Selector.open();
        try {
            socket.register(selector, operation);
            return selector;
        } catch (IOException | RuntimeException e) {
            selector.close();
            throw e;
        }
    }

    /**
     * Sends a frame, whole.
     *
     * @param frame written by one thread at a time, the others wait
     * @throws java.io.IOException if the other process is gone
     */
    public void send(Frame frame) throws IOException {
        ByteBuffer bytes = FrameCodec.encode(frame);
        sending.lock();
        try {
            while (bytes.hasRemaining()) {
                if (socket.write(bytes) == 0) {
                    await(writable);
                }
            }
        } finally {
            sending.unlock();
        }
    }

    /**
     * Waits for a frame.
     *
     * @return its bytes, for {@link FrameCodec#decode}
     * @throws EOFException if the peer is gone
     */
    public ByteBuffer receive() throws IOException {
        ByteBuffer header = fill(ByteBuffer.allocate(FrameCodec.HEADER_BYTES));
        int body = FrameCodec.bodyBytes(header);
        ByteBuffer frame = ByteBuffer.allocate(FrameCodec.HEADER_BYTES + body).put(header);
        return fill(frame).rewind();
    }

    private ByteBuffer fill(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            int read = socket.read(bytes);
            if (read < 0) {
                throw new EOFException("the other process has closed the connection");
            }
            if (read == 0) {
                await(readable);
            }
        }
        return bytes.rewind();
    }

    /** Waits until the socket is ready; an interrupted thread goes on waiting and stays interrupted. */
    private static void await(@Nullable Selector selector) throws IOException {
        if (selector == null) {
            return;
        }
        boolean interrupted = Thread.interrupted();
        try {
            selector.select(_ -> {});
            interrupted |= Thread.interrupted();
        } catch (ClosedSelectorException e) {
            throw new ClosedChannelException();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Ends the connection; a thread that waits in {@link #receive} or {@link #send} gets an exception. Idempotent. */
    @Override
    public void close() throws IOException {
        socket.close();
        // The system closes a registered socket when its selectors have let go of it.
        if (readable != null) {
            readable.close();
        }
        if (writable != null) {
            writable.close();
        }
    }
}
