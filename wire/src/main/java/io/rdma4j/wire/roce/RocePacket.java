// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.roce;

import io.rdma4j.wire.Bth;
import io.rdma4j.wire.FieldSink;
import io.rdma4j.wire.FieldText;
import io.rdma4j.wire.Grh;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Udp;
import java.lang.foreign.MemorySegment;

/**
 * The layout of a whole packet, and checks of its format.
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
 * A check examines only lengths and codes. It does not throw, whatever the bytes are. The receiver checks keys, queue
 * pairs, message rules and the ICRC.
 */
public final class RocePacket {
    /** The smallest number of transport bytes. */
    public static final int MIN_TRANSPORT_BYTES = Bth.BYTES + Icrc.BYTES;

    private static final int ALIGNMENT_MASK = 3;

    private RocePacket() {}

    /**
     * {@return the result of a check from the BTH on: length, opcode, version, room for headers, padding and ICRC} For
     * receivers of packets without IP and UDP headers.
     *
     * @param segment the memory of the packet
     * @param bthOffset offset of the BTH
     * @param transportBytes bytes from BTH to ICRC
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
     * {@return the result of a check from the network header on (IPv4, IPv6 or GRH)}
     *
     * @param segment the memory of the packet
     * @param networkOffset offset of the IP header or GRH
     * @param length available bytes from {@code networkOffset} on; bytes after the packet are allowed, because links
     *     pad short frames
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
        // Only the first fragment has a UDP header; the protocol of other fragments is unknown.
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

    /** Checks the port first: a packet to another port is not RoCE, even if it is malformed. */
    private static PacketCheck checkPort(MemorySegment segment, long udpOffset, int there) {
        if (there < Udp.BYTES) {
            return PacketCheck.TRUNCATED;
        }
        return Udp.destinationPort(segment, udpOffset) == Udp.ROCE_V2_PORT ? PacketCheck.OK : PacketCheck.NOT_ROCE;
    }

    /**
     * Checks from the UDP header on. The IP header states {@code granted} bytes, and {@code there} bytes are available.
     */
    private static PacketCheck checkUdp(MemorySegment segment, long udpOffset, int granted, int there) {
        int length = Udp.length(segment, udpOffset);
        if (length < Udp.BYTES || length > granted) {
            return PacketCheck.BAD_LENGTH;
        }
        return granted > there ? PacketCheck.TRUNCATED : check(segment, udpOffset + Udp.BYTES, length - Udp.BYTES);
    }

    /**
     * {@return offset of the BTH of a packet that {@link #checkNetwork} accepted}
     *
     * @param segment the memory of the packet
     * @param networkOffset of the first byte of the IPv4 header, IPv6 header or GRH
     */
    public static long bthOffset(MemorySegment segment, long networkOffset) {
        if (Ipv4.version(segment, networkOffset) == Ipv4.VERSION) {
            return networkOffset + Ipv4.BYTES + Udp.BYTES;
        }
        return networkOffset + Ipv6.BYTES + (isV1(segment, networkOffset) ? 0 : Udp.BYTES);
    }

    /**
     * {@return bytes from BTH to ICRC of a packet that {@link #checkNetwork} accepted}
     *
     * @param segment the memory of the packet
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
     * @param segment the memory of the packet
     * @param networkOffset of the first byte of the IPv4 header, IPv6 header or GRH
     */
    public static boolean isV1(MemorySegment segment, long networkOffset) {
        return Ipv6.version(segment, networkOffset) == Ipv6.VERSION
                && Ipv6.nextHeader(segment, networkOffset) == Grh.NEXT_HEADER_BTH;
    }

    /**
     * {@return bytes of payload without padding; negative if the packet is too short for its headers}
     *
     * @param segment the memory of the packet
     * @param bthOffset of the BTH's first byte in {@code segment}
     * @param transportBytes bytes from BTH to ICRC
     * @param opcode of the BTH
     */
    public static int payloadBytes(MemorySegment segment, long bthOffset, int transportBytes, Opcode opcode) {
        return transportBytes - opcode.headerBytes() - Bth.padCount(segment, bthOffset) - Icrc.BYTES;
    }

    /**
     * Passes the fields of all transport headers of a valid packet to {@code sink}.
     *
     * @param segment the memory of the packet
     * @param bthOffset of the BTH's first byte in {@code segment}
     * @param opcode of the BTH
     * @param sink receives name and value of each field
     */
    public static void describe(MemorySegment segment, long bthOffset, Opcode opcode, FieldSink sink) {
        for (Header header : opcode.headers()) {
            header.describe(segment, bthOffset + opcode.offsetOf(header), sink);
        }
    }

    /**
     * {@return one line of text for logs and traces: opcode, header fields, payload bytes; for a malformed packet the
     * reason} Allocates, never throws.
     *
     * @param segment the memory of the packet
     * @param bthOffset of the BTH's first byte in {@code segment}
     * @param transportBytes bytes from BTH to ICRC
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
