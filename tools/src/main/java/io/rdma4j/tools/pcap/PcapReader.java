// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pcap;

import java.io.IOException;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Reads the classic format: one header, then records.
 *
 * <pre>
 *    file    magic 4, version 2 + 2, zone 4, accuracy 4, snap length 4, link type 4
 *    record  seconds 4, fraction 4, captured length 4, original length 4, bytes
 * </pre>
 *
 * The magic determines the byte order of all numbers, and whether the fraction is micro- or nanoseconds.
 */
final class PcapReader extends CaptureReader {
    private static final int MICROSECONDS = 0xA1B2_C3D4;
    private static final int NANOSECONDS = 0xA1B2_3C4D;
    private static final int VERSION_TO_SNAP_LENGTH = 16;
    private static final int LINK_TYPE_MASK = 0xFFFF;
    private static final long NS_PER_SECOND = 1_000_000_000;

    private final CaptureLinkType link;
    private final long nsPerFraction;

    /** @param magic the first four bytes of the file, already read, in big-endian order */
    PcapReader(ByteSource source, int magic) throws IOException {
        super(source);
        boolean bigEndian = magic == MICROSECONDS || magic == NANOSECONDS;
        source.order(bigEndian ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        int inOrder = bigEndian ? magic : Integer.reverseBytes(magic);
        nsPerFraction = inOrder == NANOSECONDS ? 1 : 1_000;
        source.skip(VERSION_TO_SNAP_LENGTH);
        // The upper bits may contain the length of the frame check sequence, which is behind the packet.
        link = requireLinkType(source.int32() & LINK_TYPE_MASK);
    }

    static boolean isMagic(int magic) {
        int swapped = Integer.reverseBytes(magic);
        return magic == MICROSECONDS || magic == NANOSECONDS || swapped == MICROSECONDS || swapped == NANOSECONDS;
    }

    @Override
    public @Nullable CapturedFrame next() throws IOException {
        if (source.atEnd()) {
            return null;
        }
        long timeNs = source.unsigned32() * NS_PER_SECOND;
        timeNs += source.unsigned32() * nsPerFraction;
        long capturedLength = source.unsigned32();
        long originalLength = source.unsigned32();
        return source.frame(link, timeNs, capturedLength, originalLength);
    }
}
