// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.packet.SkBuff;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Writes packets to a capture file in classic pcap format with nanoseconds, which Wireshark and tcpdump read. Any
 * thread may write. Data stay in memory until the buffer is full, {@link #flush} or {@link #close}. Allocates nothing
 * for a packet.
 */
public final class PcapWriter implements AutoCloseable {
    /** Default snapshot length, bytes: the largest that tcpdump accepts. */
    public static final int DEFAULT_SNAP_BYTES = 262_144;

    private static final int MAGIC_NANOSECONDS = 0xA1B2_3C4D;
    private static final int LINKTYPE_ETHERNET = 1;
    private static final int LINKTYPE_RAW = 101;
    private static final int FILE_HEADER_BYTES = 24;
    private static final int RECORD_HEADER_BYTES = 16;
    private static final int BUFFER_BYTES = 1 << 16;
    private static final long NS_PER_S = 1_000_000_000L;

    /** Bytes of an Ethernet header before the position of a tag. */
    private static final int ADDRESS_BYTES = 12;

    private static final int TAG_BYTES = 4;

    private final WritableByteChannel out;
    private final int snapBytes;
    private final ByteBuffer buffer;
    private final MemorySegment memory;
    private long baseNs;
    private long lastNs;

    /**
     * Creates or overwrites a file.
     *
     * @param file its path
     * @param linkType type of the link header of the packets
     * @throws IOException if it cannot be written
     */
    public PcapWriter(Path file, LinkType linkType) throws IOException {
        this(
                Files.newByteChannel(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE),
                linkType,
                DEFAULT_SNAP_BYTES);
    }

    /**
     * Writes to {@code out}, a file or a pipe, which {@link #close} closes.
     *
     * @param out blocking
     * @param linkType type of the link header of the packets
     * @param snapBytes maximum number of bytes kept of each packet, 1 to {@link #DEFAULT_SNAP_BYTES}
     * @throws RdmaException EINVAL for a number out of range
     * @throws IOException if it cannot be written
     */
    public PcapWriter(WritableByteChannel out, LinkType linkType, int snapBytes) throws IOException {
        if (snapBytes < 1 || snapBytes > DEFAULT_SNAP_BYTES) {
            throw new RdmaException(
                    Errno.EINVAL, "snap length " + snapBytes + " is not in 1.." + DEFAULT_SNAP_BYTES + " bytes");
        }
        this.out = out;
        this.snapBytes = snapBytes;
        this.buffer = ByteBuffer.allocateDirect(BUFFER_BYTES + RECORD_HEADER_BYTES + snapBytes);
        this.memory = MemorySegment.ofBuffer(buffer.duplicate());
        buffer.putInt(MAGIC_NANOSECONDS)
                .putShort((short) 2)
                .putShort((short) 4)
                .putLong(0)
                .putInt(snapBytes)
                .putInt(linkType == LinkType.ETHERNET ? LINKTYPE_ETHERNET : LINKTYPE_RAW);
        assert buffer.position() == FILE_HEADER_BYTES;
        flush();
    }

    /** Restarts the time from 0. In the file the next packets follow those already written. */
    public synchronized void restartTime() {
        baseNs = lastNs;
    }

    /**
     * Appends a packet.
     *
     * @param timeNs time since 1970, or since the start of the file's own time scale, ns
     * @param packet all its bytes
     * @throws UncheckedIOException if it cannot be written
     */
    public synchronized void write(long timeNs, MemorySegment packet) {
        int length = (int) packet.byteSize();
        int captured = beginRecord(timeNs, length);
        MemorySegment.copy(packet, 0, memory, buffer.position(), captured);
        endRecord(captured);
    }

    /**
     * Appends a packet with the link header in front of its data. An out-of-band tag is written at its position on the
     * wire.
     *
     * @param timeNs time since 1970, or since the start of the file's own time scale, ns
     * @param packet the caller keeps it
     * @param linkBytes number of bytes in front of {@link SkBuff#data} that belong to it
     * @throws UncheckedIOException if it cannot be written
     * @throws IllegalStateException if memory of a fragment is closed; nothing is written
     */
    public synchronized void write(long timeNs, SkBuff packet, int linkBytes) {
        boolean tagged = packet.meta().vlanTagPresent() && linkBytes >= ADDRESS_BYTES;
        int length = linkBytes + packet.len() + (tagged ? TAG_BYTES : 0);
        int captured = beginRecord(timeNs, length);
        int start = packet.data() - linkBytes;
        int at = buffer.position();
        int end = at + captured;
        if (tagged) {
            at += copyFront(packet, start, at, Math.min(ADDRESS_BYTES, captured));
            if (end - at >= TAG_BYTES) {
                buffer.putShort(at, (short) packet.meta().vlanProto())
                        .putShort(at + 2, (short) packet.meta().vlanTci());
            }
            at = Math.min(end, at + TAG_BYTES);
            start += ADDRESS_BYTES;
        }
        at += copyFront(packet, start, at, Math.min(packet.data() - start, end - at));
        try {
            packet.copyBits(0, memory, at, end - at);
        } catch (IllegalStateException gone) {
            buffer.position(buffer.position() - RECORD_HEADER_BYTES);
            throw gone;
        }
        endRecord(captured);
    }

    private int copyFront(SkBuff packet, int start, int at, int bytes) {
        MemorySegment.copy(packet.memory(), start, memory, at, bytes);
        return bytes;
    }

    /** Makes room and writes the record header; returns the number of bytes to write of the packet. */
    private int beginRecord(long timeNs, int length) {
        int captured = Math.min(length, snapBytes);
        if (buffer.remaining() < RECORD_HEADER_BYTES + captured) {
            flush();
        }
        lastNs = baseNs + timeNs;
        buffer.putInt((int) (lastNs / NS_PER_S))
                .putInt((int) (lastNs % NS_PER_S))
                .putInt(captured)
                .putInt(length);
        return captured;
    }

    private void endRecord(int captured) {
        buffer.position(buffer.position() + captured);
    }

    /**
     * Writes the buffered data to the file.
     *
     * @throws UncheckedIOException if the write fails; unwritten data are lost
     */
    public synchronized void flush() {
        buffer.flip();
        try {
            while (buffer.hasRemaining()) {
                out.write(buffer);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            buffer.clear();
        }
    }

    @Override
    public synchronized void close() throws IOException {
        try (out) {
            flush();
        } catch (UncheckedIOException e) {
            throw new IOException("the end of the capture was not written", e);
        }
    }
}
