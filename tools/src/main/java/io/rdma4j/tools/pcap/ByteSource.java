// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pcap;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ReadableByteChannel;

/** Reads numbers of either byte order from a file, from front to back. One thread. */
final class ByteSource implements AutoCloseable {
    /** Limit of a frame, which must fit into the buffer: libpcap's maximum snaplen. */
    static final int MAX_FRAME_BYTES = 1 << 18;

    private final ReadableByteChannel channel;
    private final ByteBuffer frame = ByteBuffer.allocateDirect(MAX_FRAME_BYTES);
    private final MemorySegment frameMemory = MemorySegment.ofBuffer(frame);
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16).limit(0);

    ByteSource(ReadableByteChannel channel) {
        this.channel = channel;
    }

    /** Sets the byte order of the next numbers. */
    void order(ByteOrder order) {
        buffer.order(order);
    }

    /** True if no byte is left. */
    boolean atEnd() throws IOException {
        return !buffer.hasRemaining() && !refill();
    }

    int int32() throws IOException {
        need(Integer.BYTES);
        return buffer.getInt();
    }

    /** Reads 32 bits, unsigned. */
    long unsigned32() throws IOException {
        return Integer.toUnsignedLong(int32());
    }

    /** Reads 16 bits, unsigned. */
    int unsigned16() throws IOException {
        need(Short.BYTES);
        return buffer.getShort() & 0xFFFF;
    }

    long int64() throws IOException {
        need(Long.BYTES);
        return buffer.getLong();
    }

    int unsigned8() throws IOException {
        need(Byte.BYTES);
        return buffer.get() & 0xFF;
    }

    void skip(long bytes) throws IOException {
        for (long left = bytes; left > 0; ) {
            need(1);
            int now = (int) Math.min(left, buffer.remaining());
            buffer.position(buffer.position() + now);
            left -= now;
        }
    }

    /**
     * Reads a frame into memory that the next call overwrites.
     *
     * @throws CaptureException if it is longer than {@link #MAX_FRAME_BYTES}
     */
    CapturedFrame frame(CaptureLinkType link, long timeNs, long capturedLength, long originalLength)
            throws IOException {
        if (capturedLength > MAX_FRAME_BYTES) {
            throw new CaptureException("frame of " + capturedLength + " bytes, at most " + MAX_FRAME_BYTES
                    + " are possible: the file is damaged");
        }
        frame.clear().limit((int) capturedLength);
        while (frame.hasRemaining()) {
            need(1);
            int now = Math.min(frame.remaining(), buffer.remaining());
            frame.put(frame.position(), buffer, buffer.position(), now);
            frame.position(frame.position() + now);
            buffer.position(buffer.position() + now);
        }
        return new CapturedFrame(link, timeNs, originalLength, frameMemory.asSlice(0, capturedLength), frame);
    }

    private void need(int bytes) throws IOException {
        while (buffer.remaining() < bytes) {
            if (!refill()) {
                throw new EOFException("the file ends in the middle of a record");
            }
        }
    }

    private boolean refill() throws IOException {
        buffer.compact();
        int read = channel.read(buffer);
        buffer.flip();
        return read > 0;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
