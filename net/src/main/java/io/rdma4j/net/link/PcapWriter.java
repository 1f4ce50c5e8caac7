package io.rdma4j.net.link;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.LinkType;
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
 * Writes packets to a capture file: classic pcap with nanoseconds, which Wireshark and tcpdump read. Any thread may write; what is written
 * lies in memory until the buffer is full, {@link #flush} or {@link #close}. Allocates nothing for a packet.
 */
public final class PcapWriter implements AutoCloseable {
    /** Longest packet that is written whole if nobody says otherwise, bytes: what tcpdump takes. */
    public static final int DEFAULT_SNAP_BYTES = 262_144;

    private static final int MAGIC_NANOSECONDS = 0xA1B2_3C4D;
    private static final int LINKTYPE_ETHERNET = 1;
    private static final int LINKTYPE_RAW = 101;
    private static final int FILE_HEADER_BYTES = 24;
    private static final int RECORD_HEADER_BYTES = 16;
    private static final int BUFFER_BYTES = 1 << 16;
    private static final long NS_PER_S = 1_000_000_000L;

    /** Bytes of an Ethernet header in front of the place where a tag belongs. */
    private static final int ADDRESS_BYTES = 12;

    private static final int TAG_BYTES = 4;

    private final WritableByteChannel out;
    private final int snapBytes;
    private final ByteBuffer buffer;
    private final MemorySegment memory;
    private long baseNs;
    private long lastNs;

    /**
     * Makes or overwrites a file.
     *
     * @param file its path
     * @param linkType what the packets begin with
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
     * Writes to {@code out}, which it closes in the end: a file or a pipe.
     *
     * @param out blocking
     * @param linkType what the packets begin with
     * @param snapBytes how much of each packet is kept at most, at least 1
     * @throws RdmaException EINVAL for less than 1
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

    /** From now on times are counted from 0 again: in the file these packets follow those before. */
    public synchronized void restartTime() {
        baseNs = lastNs;
    }

    /**
     * Appends a packet.
     *
     * @param timeNs since 1970, or since whatever the times of this file are counted from
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
     * Appends a packet with what was taken off its front. A tag beside it is put where it was on the wire.
     *
     * @param timeNs since 1970, or since whatever the times of this file are counted from
     * @param packet stays the caller's
     * @param linkBytes how many bytes in front of {@link SkBuff#data} belong to it
     * @throws UncheckedIOException if it cannot be written
     * @throws IllegalStateException if memory behind it is gone; nothing is written
     */
    public synchronized void write(long timeNs, SkBuff packet, int linkBytes) {
        boolean tagged = packet.vlanTagPresent() && linkBytes >= ADDRESS_BYTES;
        int length = linkBytes + packet.len() + (tagged ? TAG_BYTES : 0);
        int captured = beginRecord(timeNs, length);
        int start = packet.data() - linkBytes;
        int at = buffer.position();
        int end = at + captured;
        if (tagged) {
            at += copyFront(packet, start, at, Math.min(ADDRESS_BYTES, captured));
            if (end - at >= TAG_BYTES) {
                buffer.putShort(at, (short) packet.vlanProto()).putShort(at + 2, (short) packet.vlanTci());
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

    /** Makes room and writes the header; returns how much of the packet is to follow. */
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
     * Writes out what lies in memory.
     *
     * @throws UncheckedIOException if that fails; what could not be written is gone
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
