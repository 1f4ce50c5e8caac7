package io.rdma4j.net.driver;

import io.rdma4j.net.NetDeviceStats;
import io.rdma4j.packet.SkBuff;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;

/**
 * Frames on a stream of bytes, as QEMU's {@code stream} and {@code socket} back ends carry them: each behind its length, 4
 * bytes, big-endian.
 *
 * <p>Bytes are gathered in both directions, so that neither side calls the system for each frame. By the owner of the loop;
 * allocates nothing.
 */
final class FrameStream {
    /** Nothing whole has come yet. */
    static final int NONE = -1;

    /** The stream cannot go on: its end, an error, or a length that no frame has. */
    static final int BROKEN = -2;

    /** Longer frames cannot be, for QEMU neither ({@code NET_BUFSIZE}). */
    static final int MAX_FRAME_BYTES = 65_536 + 4096;

    private static final int LENGTH_BYTES = 4;
    private static final int BUFFER_BYTES = 2 * (LENGTH_BYTES + MAX_FRAME_BYTES);

    /** What came and was not taken yet lies between position and limit. */
    private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER_BYTES).flip();

    private final MemorySegment inMemory = MemorySegment.ofBuffer(in.duplicate().clear());

    /** What waits to be sent begins at position; it ends at {@link #outEnd}. */
    private final ByteBuffer out = ByteBuffer.allocateDirect(BUFFER_BYTES);

    private final MemorySegment outMemory = MemorySegment.ofBuffer(out.duplicate());
    private int outEnd;

    /** Forgets all bytes: a new connection begins with a length. */
    void reset() {
        in.clear().flip();
        out.clear();
        outEnd = 0;
    }

    /**
     * Takes the next frame.
     *
     * @param frame empty; gets the frame, unless that is too long
     * @param maxBytes longest frame that is wanted
     * @return bytes of the frame; if more than {@code maxBytes}, it is gone; {@link #NONE} or {@link #BROKEN}
     */
    int receive(ByteChannel channel, SkBuff frame, int maxBytes, NetDeviceStats stats) {
        int length = wholeFrame();
        if (length == NONE) {
            if (!fill(channel, stats)) {
                return BROKEN;
            }
            length = wholeFrame();
        }
        if (length == BROKEN) {
            stats.countReceiveError();
        }
        if (length < 0) {
            return length;
        }
        int at = in.position() + LENGTH_BYTES;
        if (length <= maxBytes) {
            MemorySegment.copy(inMemory, at, frame.memory(), frame.put(length), length);
        }
        in.position(at + length);
        return length;
    }

    /** Length of the frame that {@link #in} begins with, if all of it is there. */
    private int wholeFrame() {
        if (in.remaining() < LENGTH_BYTES) {
            return NONE;
        }
        int length = in.getInt(in.position());
        if (length <= 0 || length > MAX_FRAME_BYTES) {
            return BROKEN;
        }
        return in.remaining() - LENGTH_BYTES < length ? NONE : length;
    }

    /** Reads what is there; false if the stream is at its end. */
    private boolean fill(ByteChannel channel, NetDeviceStats stats) {
        in.compact();
        try {
            return channel.read(in) >= 0;
        } catch (IOException e) {
            stats.countReceiveError();
            return false;
        } finally {
            in.flip();
        }
    }

    /** True if a frame of {@code length} bytes could be added now. */
    boolean hasRoom(int length) {
        return LENGTH_BYTES + length <= out.capacity() - outEnd;
    }

    /**
     * Adds a frame to what waits to be sent, which {@link #hasRoom}; the buffer stays the caller's.
     *
     * @return false if the memory of a fragment is gone: nothing was added
     */
    boolean add(SkBuff frame) {
        int length = frame.len();
        try {
            frame.copyBits(0, outMemory, outEnd + LENGTH_BYTES, length);
        } catch (IllegalStateException closed) {
            return false;
        }
        out.limit(out.capacity()).putInt(outEnd, length);
        outEnd += LENGTH_BYTES + length;
        return true;
    }

    /** Sends what waits, as far as the connection takes it; false if that is broken. */
    boolean flush(ByteChannel channel) {
        if (outEnd == 0) {
            return true;
        }
        try {
            channel.write(out.limit(outEnd));
        } catch (IOException e) {
            return false;
        }
        if (out.position() == outEnd) {
            out.clear();
            outEnd = 0;
        }
        return true;
    }

    /** True if something waits to be sent. */
    boolean isWaiting() {
        return outEnd > 0;
    }
}
