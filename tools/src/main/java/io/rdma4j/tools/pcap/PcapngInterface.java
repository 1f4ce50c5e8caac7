// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pcap;

import java.io.IOException;

/**
 * An interface description block of pcapng.
 *
 * @param linkType number of the {@link CaptureLinkType}
 * @param snapLength maximum number of bytes captured of a frame; 0: no limit
 * @param resolution {@code if_tsresol}: ticks in a second are 10 to its lower 7 bits, or 2 to them if bit 7 is set
 * @param offsetSeconds {@code if_tsoffset}: seconds to add to every time
 */
record PcapngInterface(int linkType, long snapLength, int resolution, long offsetSeconds) {
    private static final int END_OF_OPTIONS = 0;
    private static final int RESOLUTION = 9;
    private static final int OFFSET = 14;
    private static final int OPTION_HEADER = 4;
    private static final int MICROSECONDS = 6;
    private static final int BINARY = 0x80;
    private static final double NS_PER_SECOND = 1e9;

    /** Reads the options at the end of the block, {@code optionBytes} of them. */
    static PcapngInterface read(ByteSource source, int linkType, long snapLength, long optionBytes) throws IOException {
        int resolution = MICROSECONDS;
        long offsetSeconds = 0;
        long left = optionBytes;
        while (left >= OPTION_HEADER) {
            int code = source.unsigned16();
            int length = source.unsigned16();
            left -= OPTION_HEADER;
            int padded = (length + 3) & ~3;
            if (code == END_OF_OPTIONS || padded > left) {
                break;
            }
            left -= padded;
            if (code == RESOLUTION && length == Byte.BYTES) {
                resolution = source.unsigned8();
                source.skip(padded - Byte.BYTES);
            } else if (code == OFFSET && length == Long.BYTES) {
                offsetSeconds = source.int64();
            } else {
                source.skip(padded);
            }
        }
        source.skip(left);
        return new PcapngInterface(linkType, snapLength, resolution, offsetSeconds);
    }

    /** Converts a time in ticks (64 bits, unsigned) to nanoseconds since 1970. */
    long timeNs(long ticks) {
        int exponent = resolution & ~BINARY;
        double perSecond = Math.pow((resolution & BINARY) == 0 ? 10 : 2, exponent);
        long seconds = perSecond >= 0x1p63 ? 0 : Long.divideUnsigned(ticks, (long) perSecond);
        double rest = perSecond >= 0x1p63 ? ticks : Long.remainderUnsigned(ticks, (long) perSecond);
        return (seconds + offsetSeconds) * (long) NS_PER_SECOND + Math.round(rest * NS_PER_SECOND / perSecond);
    }
}
