package io.rdma4j.wire;

import java.lang.foreign.MemorySegment;

/**
 * The shape of a whole packet: where its parts lie, and whether they fit.
 *
 * <pre>
 *   network offset       BTH offset                                    ICRC offset
 *   |                    |                                             |
 *   +----------+---------+-----+------------------+---------+---------+------+
 *   | IP       | UDP     | BTH | extended headers | payload | pad 0-3 | ICRC |     RoCEv2
 *   +----------+---------+-----+------------------+---------+---------+------+
 *   | GRH                | BTH | extended headers | payload | pad 0-3 | ICRC |     RoCEv1
 *   +--------------------+-----+------------------+---------+---------+------+
 *                        |------------------ transport bytes -----------------|
 * </pre>
 *
 * A check looks at lengths and codes only; it never throws whatever the bytes are. Keys, queue pairs, message rules and
 * the ICRC are the receiver's business.
 */
public final class RocePacket {
    /** The smallest number of transport bytes. */
    public static final int MIN_TRANSPORT_BYTES = Bth.BYTES + Icrc.BYTES;

    private static final int ALIGNMENT_MASK = 3;

    private RocePacket() {}

    /**
     * {@return what a look at a packet from its BTH on finds wrong with it: length, opcode, version, room for headers, pad and ICRC} What a receiver calls
     * once IP and UDP are off.
     *
     * @param segment the memory that the packet lies in
     * @param bthOffset offset of the BTH
     * @param transportBytes bytes from the BTH through the ICRC
     */
    public static PacketCheck check(MemorySegment segment, long bthOffset, int transportBytes) {
        if (transportBytes > segment.byteSize() - bthOffset) {
            return PacketCheck.TRUNCATED;
        }
        if (transportBytes < MIN_TRANSPORT_BYTES) {
            return PacketCheck.TOO_SHORT;
        }
        Opcode opcode = Bth.opcode(segment, bthOffset);
        if (opcode == null) {
            return PacketCheck.UNKNOWN_OPCODE;
        }
        if (Bth.transportVersion(segment, bthOffset) != 0) {
            return PacketCheck.BAD_VERSION;
        }
        if (payloadBytes(segment, bthOffset, transportBytes, opcode) < 0) {
            return PacketCheck.TOO_SHORT;
        }
        return (transportBytes & ALIGNMENT_MASK) == 0 ? PacketCheck.OK : PacketCheck.UNALIGNED;
    }

    /**
     * {@return what a look at a packet from its network header on (IPv4, IPv6 or GRH) finds wrong with it}
     *
     * @param segment the memory that the packet lies in
     * @param networkOffset offset of the IP header or GRH
     * @param length bytes that are there from {@code networkOffset} on; trailing bytes beyond the packet are allowed, links pad
     *     short frames
     */
    public static PacketCheck checkNetwork(MemorySegment segment, long networkOffset, int length) {
        if (length < 1) {
            return PacketCheck.TRUNCATED;
        }
        return switch (Ipv4.version(segment, networkOffset)) {
            case Ipv4.VERSION -> checkIpv4(segment, networkOffset, length);
            case Ipv6.VERSION -> checkIpv6(segment, networkOffset, length);
            default -> PacketCheck.NOT_ROCE;
        };
    }

    private static PacketCheck checkIpv4(MemorySegment segment, long offset, int length) {
        if (length < Ipv4.BYTES) {
            return PacketCheck.TRUNCATED;
        }
        int header = Ipv4.headerBytes(segment, offset);
        // Only the first fragment has a UDP header; the others can't be told from any other traffic.
        if (Ipv4.protocol(segment, offset) != Ipv4.PROTOCOL_UDP
                || Ipv4.fragmentOffset(segment, offset) != 0
                || header < Ipv4.BYTES) {
            return PacketCheck.NOT_ROCE;
        }
        PacketCheck port = checkPort(segment, offset + header, length - header);
        if (!port.isOk()) {
            return port;
        }
        if (header != Ipv4.BYTES) {
            return PacketCheck.IPV4_OPTIONS;
        }
        if (Ipv4.isFragment(segment, offset)) {
            return PacketCheck.FRAGMENT;
        }
        return checkUdp(segment, offset + header, Ipv4.totalLength(segment, offset) - header, length - header);
    }

    private static PacketCheck checkIpv6(MemorySegment segment, long offset, int length) {
        if (length < Ipv6.BYTES) {
            return PacketCheck.TRUNCATED;
        }
        long next = offset + Ipv6.BYTES;
        int granted = Ipv6.payloadLength(segment, offset);
        int there = length - Ipv6.BYTES;
        return switch (Ipv6.nextHeader(segment, offset)) {
            case Ipv6.NEXT_HEADER_UDP -> {
                PacketCheck port = checkPort(segment, next, there);
                yield port.isOk() ? checkUdp(segment, next, granted, there) : port;
            }
            case Grh.NEXT_HEADER_BTH -> granted > there ? PacketCheck.TRUNCATED : check(segment, next, granted);
            default -> PacketCheck.NOT_ROCE;
        };
    }

    /** Looks at the port first: what goes elsewhere is no malformed RoCE packet, whatever else is wrong with it. */
    private static PacketCheck checkPort(MemorySegment segment, long udpOffset, int there) {
        if (there < Udp.BYTES) {
            return PacketCheck.TRUNCATED;
        }
        return Udp.destinationPort(segment, udpOffset) == Udp.ROCE_V2_PORT ? PacketCheck.OK : PacketCheck.NOT_ROCE;
    }

    /** Checks from the UDP header on, for which the IP header grants {@code granted} bytes and {@code there} are there. */
    private static PacketCheck checkUdp(MemorySegment segment, long udpOffset, int granted, int there) {
        int length = Udp.length(segment, udpOffset);
        if (length < Udp.BYTES || length > granted) {
            return PacketCheck.BAD_LENGTH;
        }
        return granted > there ? PacketCheck.TRUNCATED : check(segment, udpOffset + Udp.BYTES, length - Udp.BYTES);
    }

    /**
     * {@return offset of the BTH of a packet that {@link #checkNetwork} found OK}
     *
     * @param segment the memory that the packet lies in
     * @param networkOffset of the first byte of the IPv4 header, IPv6 header or GRH
     */
    public static long bthOffset(MemorySegment segment, long networkOffset) {
        if (Ipv4.version(segment, networkOffset) == Ipv4.VERSION) {
            return networkOffset + Ipv4.BYTES + Udp.BYTES;
        }
        return networkOffset + Ipv6.BYTES + (isV1(segment, networkOffset) ? 0 : Udp.BYTES);
    }

    /**
     * {@return bytes from the BTH through the ICRC of a packet that {@link #checkNetwork} found OK}
     *
     * @param segment the memory that the packet lies in
     * @param networkOffset of the first byte of the IPv4 header, IPv6 header or GRH
     */
    public static int transportBytes(MemorySegment segment, long networkOffset) {
        if (isV1(segment, networkOffset)) {
            return Ipv6.payloadLength(segment, networkOffset);
        }
        return Udp.length(segment, bthOffset(segment, networkOffset) - Udp.BYTES) - Udp.BYTES;
    }

    /**
     * {@return true for RoCEv1: the network header is a GRH that a BTH follows}
     *
     * @param segment the memory that the packet lies in
     * @param networkOffset of the first byte of the IPv4 header, IPv6 header or GRH
     */
    public static boolean isV1(MemorySegment segment, long networkOffset) {
        return Ipv6.version(segment, networkOffset) == Ipv6.VERSION
                && Ipv6.nextHeader(segment, networkOffset) == Grh.NEXT_HEADER_BTH;
    }

    /**
     * {@return bytes of payload, pad not counted; negative if the packet is too short for its headers}
     *
     * @param segment the memory that the packet lies in
     * @param bthOffset of the BTH's first byte in {@code segment}
     * @param transportBytes bytes from the BTH through the ICRC
     * @param opcode that of the BTH
     */
    public static int payloadBytes(MemorySegment segment, long bthOffset, int transportBytes, Opcode opcode) {
        return transportBytes - opcode.headerBytes() - Bth.padCount(segment, bthOffset) - Icrc.BYTES;
    }

    /**
     * Hands the fields of all transport headers of a packet that was found OK to {@code sink}.
     *
     * @param segment the memory that the packet lies in
     * @param bthOffset of the BTH's first byte in {@code segment}
     * @param opcode that of the BTH
     * @param sink gets name and value of each field
     */
    public static void describe(MemorySegment segment, long bthOffset, Opcode opcode, FieldSink sink) {
        for (Header header : opcode.headers()) {
            header.describe(segment, bthOffset + opcode.offsetOf(header), sink);
        }
    }

    /**
     * {@return one line for logs and traces: opcode, header fields, payload bytes; the reason instead if it is malformed}
     * Allocates, never throws.
     *
     * @param segment the memory that the packet lies in
     * @param bthOffset of the BTH's first byte in {@code segment}
     * @param transportBytes bytes from the BTH through the ICRC
     */
    public static String format(MemorySegment segment, long bthOffset, int transportBytes) {
        PacketCheck check = check(segment, bthOffset, transportBytes);
        Opcode opcode = check.isOk() ? Bth.opcode(segment, bthOffset) : null;
        if (opcode == null) {
            return "malformed: " + check.text();
        }
        FieldText text = new FieldText(opcode.text());
        describe(segment, bthOffset, opcode, text);
        text.decimal("payload", payloadBytes(segment, bthOffset, transportBytes, opcode));
        return text.toString();
    }
}
