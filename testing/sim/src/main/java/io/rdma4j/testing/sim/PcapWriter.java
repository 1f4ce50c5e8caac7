package io.rdma4j.testing.sim;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes packets to a capture file: classic pcap, nanoseconds, packets that begin with their IP header. One thread. */
public final class PcapWriter implements AutoCloseable {
    private static final int MAGIC_NANOSECONDS = 0xA1B2_3C4D;
    private static final int LINKTYPE_RAW = 101;
    private static final int FILE_HEADER_BYTES = 24;
    private static final int RECORD_HEADER_BYTES = 16;
    private static final int SNAP_BYTES = 0xFFFF;
    private static final long NS_PER_S = 1_000_000_000L;

    private final OutputStream out;
    private long baseNs;
    private long lastNs;

    /**
     * Makes or overwrites a file.
     *
     * @throws IOException if it cannot be written
     */
    public PcapWriter(Path file) throws IOException {
        out = new BufferedOutputStream(Files.newOutputStream(file));
        out.write(ByteBuffer.allocate(FILE_HEADER_BYTES)
                .putInt(MAGIC_NANOSECONDS)
                .putShort((short) 2)
                .putShort((short) 4)
                .putInt(0)
                .putInt(0)
                .putInt(SNAP_BYTES)
                .putInt(LINKTYPE_RAW)
                .array());
    }

    /** Another run begins, whose time starts at 0: in the file it follows those before. */
    void beginRun() {
        baseNs = lastNs;
    }

    /**
     * Appends a packet.
     *
     * @param timeNs since the beginning of the run
     * @throws UncheckedIOException if the file cannot be written
     */
    void write(long timeNs, MemorySegment packet) {
        lastNs = baseNs + timeNs;
        int length = (int) packet.byteSize();
        ByteBuffer header = ByteBuffer.allocate(RECORD_HEADER_BYTES)
                .putInt((int) (lastNs / NS_PER_S))
                .putInt((int) (lastNs % NS_PER_S))
                .putInt(length)
                .putInt(length);
        try {
            out.write(header.array());
            out.write(packet.toArray(ValueLayout.JAVA_BYTE));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
