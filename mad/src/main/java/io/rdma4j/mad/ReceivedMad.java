// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.wire.mad.Mad;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A received datagram, or the segments of an RMPP message. Corresponds to {@code struct ib_mad_recv_wc}. The client
 * closes it, which returns the receive buffers; they are reused then. Any thread.
 */
public final class ReceivedMad implements AutoCloseable {
    private final MadAddress from;
    private final List<byte[]> buffers;
    private final int headerBytes;
    private final int lengthBytes;
    private final MadBufferPool pool;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** A single datagram. */
    ReceivedMad(MadAddress from, byte[] buffer, MadBufferPool pool) {
        this(from, List.of(buffer), Mad.BYTES, Mad.BYTES, pool);
    }

    /** @param headerBytes bytes that each segment repeats */
    ReceivedMad(MadAddress from, List<byte[]> buffers, int headerBytes, int lengthBytes, MadBufferPool pool) {
        this.from = from;
        this.buffers = buffers;
        this.headerBytes = headerBytes;
        this.lengthBytes = lengthBytes;
        this.pool = pool;
    }

    /** {@return the sender: the path back to its port, its queue pair, the index of the P_Key that it used} */
    public MadAddress from() {
        return from;
    }

    /** {@return the length of the message in bytes: 256, or headers and data of an RMPP message} */
    public int lengthBytes() {
        return lengthBytes;
    }

    /** {@return the number of segments, 1 for a single datagram} */
    public int segmentCount() {
        return buffers.size();
    }

    /**
     * {@return the first or only datagram, read-only, valid until {@link #close}}
     *
     * @throws RdmaException EINVAL if the buffers were returned
     */
    public MemorySegment datagram() {
        return segment(0);
    }

    /**
     * {@return a segment, read-only, valid until {@link #close}}
     *
     * @param index from 0
     * @throws RdmaException EINVAL if the buffers were returned, or there is no such segment
     */
    public MemorySegment segment(int index) {
        checkOpen();
        if (index < 0 || index >= buffers.size()) {
            throw new RdmaException(Errno.EINVAL, "segment " + index + " is not in 0.." + (buffers.size() - 1));
        }
        return MemorySegment.ofArray(buffers.get(index)).asReadOnly();
    }

    /**
     * Copies the message: headers once, then the data of all segments. Corresponds to {@code ib_coalesce_recv_mad}.
     *
     * @return new memory of {@link #lengthBytes} bytes
     * @throws RdmaException EINVAL if the buffers were returned
     */
    public MemorySegment coalesce() {
        checkOpen();
        byte[] message = new byte[lengthBytes];
        int at = Math.min(headerBytes, lengthBytes);
        System.arraycopy(buffers.getFirst(), 0, message, 0, at);
        for (byte[] buffer : buffers) {
            int length = Math.min(Mad.BYTES - headerBytes, lengthBytes - at);
            System.arraycopy(buffer, headerBytes, message, at, length);
            at += length;
        }
        return MemorySegment.ofArray(message);
    }

    /** Returns the receive buffers. Idempotent. Corresponds to {@code ib_free_recv_mad}. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            buffers.forEach(pool::give);
        }
    }

    private void checkOpen() {
        if (closed.get()) {
            throw new RdmaException(Errno.EINVAL, this + " was closed: its buffers are in use again");
        }
    }

    @Override
    public String toString() {
        return "message of " + lengthBytes + " bytes from " + from;
    }
}
