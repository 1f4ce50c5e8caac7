package io.rdma4j.uverbs.abi;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.ReentrantLock;

/** Frames over a socket. Any thread may send; one receives. */
public final class FrameChannel implements AutoCloseable {
    private final SocketChannel socket;
    private final ReentrantLock sending = new ReentrantLock();

    /**
     * Frames over a socket.
     *
     * @param socket connected and blocking; closed with this
     */
    public FrameChannel(SocketChannel socket) {
        this.socket = socket;
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
                socket.write(bytes);
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
            if (socket.read(bytes) < 0) {
                throw new EOFException("the other process has closed the connection");
            }
        }
        return bytes.rewind();
    }

    /** Ends the connection; who waits for a frame hears of it. */
    @Override
    public void close() throws IOException {
        socket.close();
    }
}
