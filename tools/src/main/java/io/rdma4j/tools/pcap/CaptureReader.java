// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pcap;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Reads the frames of a capture file, classic pcap or pcapng, in either byte order.
 *
 * <p>For one thread. Every frame uses the same memory, so a file may be of any size.
 */
public abstract sealed class CaptureReader implements AutoCloseable permits PcapReader, PcapngReader {
    /** Source of the bytes. */
    final ByteSource source;

    CaptureReader(ByteSource source) {
        this.source = source;
    }

    /**
     * Opens a file; the caller closes the reader.
     *
     * @throws CaptureException if the first bytes are not those of a capture file
     */
    public static CaptureReader open(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file);
        try {
            return of(channel);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /**
     * Reads from a channel; the reader takes ownership of it.
     *
     * @throws CaptureException if the first bytes are not those of a capture file
     */
    static CaptureReader of(ReadableByteChannel channel) throws IOException {
        ByteSource source = new ByteSource(channel);
        if (source.atEnd()) {
            throw new CaptureException("the file is empty");
        }
        source.order(ByteOrder.BIG_ENDIAN);
        int magic = source.int32();
        if (magic == PcapngReader.SECTION_HEADER) {
            return new PcapngReader(source);
        }
        if (PcapReader.isMagic(magic)) {
            return new PcapReader(source, magic);
        }
        throw new CaptureException(String.format("neither pcap nor pcapng: it starts with 0x%08x", magic));
    }

    /**
     * Returns the next frame, or null at the end of the file.
     *
     * @throws CaptureException if the file is damaged or has an unknown link type
     * @throws java.io.EOFException if the file ends in the middle of a record
     */
    public abstract @Nullable CapturedFrame next() throws IOException;

    /** Returns the link type of this number. */
    static CaptureLinkType requireLinkType(int code) throws CaptureException {
        CaptureLinkType type = CaptureLinkType.of(code);
        if (type == null) {
            throw new CaptureException(
                    "link type " + code + " is not supported: only Ethernet (1), raw IP (12, 14, 101, 228,"
                            + " 229) and Linux cooked captures (113, 276) are");
        }
        return type;
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
