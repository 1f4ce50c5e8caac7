// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links.qemu;

import io.rdma4j.net.device.NetDeviceStats;
import io.rdma4j.packet.SkBuff;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;

/**
 * Frames on a byte stream, in the format of QEMU's {@code stream} and {@code socket} back ends: each frame follows its
 * length, 4 bytes, big-endian.
 *
 * <p>Buffers bytes in both directions, so that neither side makes a system call for each frame. Only the owner of the
 * loop calls it. Allocates nothing.
 */
final class FrameStream {
    /** No complete frame has arrived yet. */
    static final int NONE = -1;

    /** The stream cannot continue: end of stream, an I/O error, or an invalid frame length. */
    static final int BROKEN = -2;

    /** Largest frame, bytes, the same limit as in QEMU ({@code NET_BUFSIZE}). */
    static final int MAX_FRAME_BYTES = 65_536 + 4096;

    private static final int LENGTH_BYTES = 4;
    private static final int BUFFER_BYTES = 2 * (LENGTH_BYTES + MAX_FRAME_BYTES);

    /** Received bytes that are not consumed yet, between position and limit. */
    private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER_BYTES).flip();

    private final MemorySegment inMemory = MemorySegment.ofBuffer(in.duplicate().clear());

    /** Bytes to be sent, from position up to {@link #outEnd}. */
    private final ByteBuffer out = ByteBuffer.allocateDirect(BUFFER_BYTES);

    private final MemorySegment outMemory = MemorySegment.ofBuffer(out.duplicate());
    private int outEnd;

    /** Discards all buffered bytes: a new connection begins with a length. */
    void reset() {
        in.clear().flip();
        out.clear();
        outEnd = 0;
    }

    /**
     * Dequeues the next frame.
     *
     * @param frame empty; receives the frame, unless the frame is too long
     * @param maxBytes longest frame that the caller accepts
     * @return bytes of the frame, which is dropped if it has more than {@code maxBytes}; or {@link #NONE} or {@link
     *     #BROKEN}
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

    /** Length of the first frame in {@link #in}; {@link #NONE} if it is incomplete. */
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

    /** Reads the bytes that have arrived; returns false at the end of the stream or after an I/O error. */
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

    /** True if the send buffer has room for a frame of {@code length} bytes. */
    boolean hasRoom(int length) {
        return LENGTH_BYTES + length <= out.capacity() - outEnd;
    }

    /**
     * Appends a copy of a frame to the send buffer, which must have room ({@link #hasRoom}). The caller keeps the
     * buffer.
     *
     * @return false if the memory of a fragment is no longer valid; then nothing was added
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

    /** Writes buffered bytes until the socket accepts no more; returns false if the connection is broken. */
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

    /** True if the send buffer is not empty. */
    boolean isWaiting() {
        return outEnd > 0;
    }
}
