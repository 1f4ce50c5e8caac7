// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pcap;

import java.io.IOException;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the block format: sections, each of one byte order, with interfaces and packets.
 *
 * <pre>
 *    any block         type 4, total length 4, body padded to 4, total length 4
 *    section header    byte-order magic 4, version 2 + 2, section length 8, options
 *    interface         link type 2, reserved 2, snap length 4, options
 *    enhanced packet   interface 4, time 4 + 4, captured length 4, original length 4, bytes, options
 *    packet (old)      interface 2, drops 2, then as the enhanced one
 *    simple packet     original length 4, bytes: of interface 0, without time
 * </pre>
 *
 * Blocks of other types are skipped.
 */
final class PcapngReader extends CaptureReader {
    /** Type of the section header, the same in both byte orders: the first four bytes of a file. */
    static final int SECTION_HEADER = 0x0A0D_0D0A;

    private static final int INTERFACE = 1;
    private static final int PACKET = 2;
    private static final int SIMPLE_PACKET = 3;
    private static final int ENHANCED_PACKET = 6;
    private static final int BYTE_ORDER_MAGIC = 0x1A2B_3C4D;

    /** Bytes of a block around its body. */
    private static final int FRAME_BYTES = 12;

    private static final int SECTION_BYTES = 4;
    private static final int INTERFACE_BYTES = 8;
    private static final int PACKET_BYTES = 20;
    private static final int SIMPLE_PACKET_BYTES = 4;

    private final List<PcapngInterface> interfaces = new ArrayList<>();

    /** Begins after the section header's type, which has been read. */
    PcapngReader(ByteSource source) throws IOException {
        super(source);
        startSection();
    }

    @Override
    public @Nullable CapturedFrame next() throws IOException {
        while (!source.atEnd()) {
            int type = source.int32();
            if (type == SECTION_HEADER) {
                startSection();
                continue;
            }
            long body = bodyBytes(source.unsigned32());
            switch (type) {
                case INTERFACE -> addInterface(body);
                case ENHANCED_PACKET, PACKET -> {
                    return packet(type, body);
                }
                case SIMPLE_PACKET -> {
                    return simplePacket(body);
                }
                default -> endBlock(body);
            }
        }
        return null;
    }

    /** Reads the section header. Its length field is before the magic that defines its byte order. */
    private void startSection() throws IOException {
        source.order(ByteOrder.BIG_ENDIAN);
        int length = source.int32();
        int magic = source.int32();
        if (magic == Integer.reverseBytes(BYTE_ORDER_MAGIC)) {
            source.order(ByteOrder.LITTLE_ENDIAN);
            length = Integer.reverseBytes(length);
        } else if (magic != BYTE_ORDER_MAGIC) {
            throw new CaptureException(String.format("section without byte-order magic: 0x%08x", magic));
        }
        interfaces.clear();
        endBlock(rest(bodyBytes(Integer.toUnsignedLong(length)), SECTION_BYTES));
    }

    private void addInterface(long body) throws IOException {
        long options = rest(body, INTERFACE_BYTES);
        int link = source.unsigned16();
        source.skip(Short.BYTES);
        long snapLength = source.unsigned32();
        interfaces.add(PcapngInterface.read(source, link, snapLength, options));
        endBlock(0);
    }

    private CapturedFrame packet(int type, long body) throws IOException {
        long rest = rest(body, PACKET_BYTES);
        long number;
        if (type == PACKET) {
            number = source.unsigned16();
            source.skip(Short.BYTES);
        } else {
            number = source.unsigned32();
        }
        PcapngInterface from = requireInterface(number);
        long ticks = source.unsigned32() << 32;
        ticks |= source.unsigned32();
        long capturedLength = source.unsigned32();
        long originalLength = source.unsigned32();
        return frame(from, from.timeNs(ticks), capturedLength, originalLength, rest);
    }

    private CapturedFrame simplePacket(long body) throws IOException {
        long rest = rest(body, SIMPLE_PACKET_BYTES);
        PcapngInterface from = requireInterface(0);
        long originalLength = source.unsigned32();
        long limit = from.snapLength() == 0 ? originalLength : from.snapLength();
        return frame(from, 0, Math.min(originalLength, limit), originalLength, rest);
    }

    private CapturedFrame frame(PcapngInterface from, long timeNs, long capturedLength, long originalLength, long room)
            throws IOException {
        CaptureLinkType link = requireLinkType(from.linkType());
        long after = rest(room, capturedLength);
        CapturedFrame frame = source.frame(link, timeNs, capturedLength, originalLength);
        endBlock(after);
        return frame;
    }

    private PcapngInterface requireInterface(long number) throws CaptureException {
        if (number >= interfaces.size()) {
            throw new CaptureException("packet of interface " + number + ", but the section has " + interfaces.size());
        }
        return interfaces.get((int) number);
    }

    private static long bodyBytes(long totalLength) throws CaptureException {
        if (totalLength < FRAME_BYTES || totalLength % 4 != 0) {
            throw new CaptureException("block of " + totalLength + " bytes: the file is damaged");
        }
        return totalLength - FRAME_BYTES;
    }

    /** Bytes of a block behind {@code part}. */
    private static long rest(long bytes, long part) throws CaptureException {
        if (part > bytes) {
            throw new CaptureException("block too short for what it holds: the file is damaged");
        }
        return bytes - part;
    }

    /** Skips the rest of the body and the repeated length. */
    private void endBlock(long left) throws IOException {
        source.skip(left + Integer.BYTES);
    }
}
