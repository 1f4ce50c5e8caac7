// SPDX-License-Identifier: Apache-2.0
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
 * Sends and receives frames over a socket. Any thread may send; one thread receives.
 *
 * <p>If a thread is interrupted in an operation of a blocking socket, the JDK closes the socket ({@link
 * java.nio.channels.InterruptibleChannel}). A non-blocking socket stays open. The client uses a non-blocking socket,
 * because the application may interrupt its threads.
 */
public final class FrameChannel implements AutoCloseable {
    private final SocketChannel socket;
    private final ReentrantLock sending = new ReentrantLock();

    /** Only for a non-blocking socket. */
    private final @Nullable Selector readable;

    private final @Nullable Selector writable;

    /**
     * Opens a channel over a connected socket.
     *
     * @param socket connected socket; closed with this channel
     * @throws IOException if the process or the system has no free file descriptor
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
     * Sends a complete frame. Concurrent senders wait for each other.
     *
     * @param frame frame to send
     * @throws java.io.IOException if the peer has closed the connection
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
     * @return bytes of the frame, for {@link FrameCodec#decode}
     * @throws EOFException if the peer has closed the connection
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

    /** Waits until the socket is ready. An interrupted thread continues to wait and keeps its interrupt flag. */
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

    /**
     * Closes the connection; a thread that waits in {@link #receive} or {@link #send} gets an exception. Idempotent.
     */
    @Override
    public void close() throws IOException {
        socket.close();
        // A registered socket is released only after its selectors are closed.
        if (readable != null) {
            readable.close();
        }
        if (writable != null) {
            writable.close();
        }
    }
}
