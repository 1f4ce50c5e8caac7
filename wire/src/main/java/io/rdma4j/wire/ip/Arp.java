// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ip;

import io.rdma4j.base.MacAddress;
import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;

/**
 * A packet of the Address Resolution Protocol (RFC 826) for IPv4 over Ethernet: {@code struct arphdr} and the
 * addresses.
 *
 * <pre>
 *     0                   1                   2                   3
 *     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *    +-------------------------------+-------------------------------+
 *  0 |     type of the link (1)      |      protocol (0x0800)        |
 *    +---------------+---------------+-------------------------------+
 *  4 | link addr. (6)| address len(4)|           operation           |
 *    +---------------+---------------+-------------------------------+
 *  8 |                     sender's link address                     |
 *    +-------------------------------+-------------------------------+
 * 12 | sender's link address (cont.) |        sender's address       |
 *    +-------------------------------+-------------------------------+
 * 16 |   sender's address (cont.)    |     target's link address     |
 *    +-------------------------------+-------------------------------+
 * 20 |                 target's link address (cont.)                 |
 *    +---------------------------------------------------------------+
 * 24 |                        target's address                       |
 *    +---------------------------------------------------------------+
 * </pre>
 *
 * Addresses have the format of {@link Ethernet} and {@link Ipv4}.
 */
public final class Arp {
    /** Bytes of the packet; Ethernet may append padding. */
    public static final int BYTES = 28;
    /** {@code ARPOP_REQUEST}: requests the link address of the target. */
    public static final int REQUEST = 1;
    /** {@code ARPOP_REPLY}: contains the link address of the sender. */
    public static final int REPLY = 2;

    private static final int LINK_ETHERNET = 1;
    private static final int LINK_ADDRESS_BYTES = 6;
    private static final int ADDRESS_BYTES = 4;
    private static final int PROTOCOL = 2;
    private static final int LENGTHS = 4;
    private static final int OPERATION = 6;
    private static final int SENDER_LINK = 8;
    private static final int SENDER = 14;
    private static final int TARGET_LINK = 18;
    private static final int TARGET = 24;

    private Arp() {}

    /**
     * Writes a packet.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param operation {@link #REQUEST} or {@link #REPLY}
     * @param senderLink 48 bits
     * @param sender IPv4 address: 32 bits
     * @param targetLink 48 bits; 0 in a request
     * @param target IPv4 address: 32 bits
     */
    public static void write(
            MemorySegment segment,
            long offset,
            int operation,
            long senderLink,
            int sender,
            long targetLink,
            int target) {
        BigEndian.put16(segment, offset, LINK_ETHERNET);
        BigEndian.put16(segment, offset + PROTOCOL, Ethernet.TYPE_IPV4);
        BigEndian.put16(segment, offset + LENGTHS, LINK_ADDRESS_BYTES << Byte.SIZE | ADDRESS_BYTES);
        BigEndian.put16(segment, offset + OPERATION, operation);
        BigEndian.put48(segment, offset + SENDER_LINK, senderLink);
        BigEndian.put32(segment, offset + SENDER, sender);
        BigEndian.put48(segment, offset + TARGET_LINK, targetLink);
        BigEndian.put32(segment, offset + TARGET, target);
    }

    /**
     * {@return true for IPv4 addresses on Ethernet; otherwise the other fields are undefined}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static boolean isIpv4OverEthernet(MemorySegment segment, long offset) {
        return BigEndian.get16(segment, offset) == LINK_ETHERNET
                && BigEndian.get16(segment, offset + PROTOCOL) == Ethernet.TYPE_IPV4
                && BigEndian.get16(segment, offset + LENGTHS) == (LINK_ADDRESS_BYTES << Byte.SIZE | ADDRESS_BYTES);
    }

    /**
     * {@return {@link #REQUEST}, {@link #REPLY} or another operation, 16 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int operation(MemorySegment segment, long offset) {
        return BigEndian.get16(segment, offset + OPERATION);
    }

    /**
     * {@return link address of the sender, 48 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static long senderLink(MemorySegment segment, long offset) {
        return BigEndian.get48(segment, offset + SENDER_LINK);
    }

    /**
     * {@return IPv4 address of the sender; 0 in a probe for duplicate addresses}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int sender(MemorySegment segment, long offset) {
        return BigEndian.get32(segment, offset + SENDER);
    }

    /**
     * {@return link address of the target, 48 bits; undefined in a request}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static long targetLink(MemorySegment segment, long offset) {
        return BigEndian.get48(segment, offset + TARGET_LINK);
    }

    /**
     * {@return IPv4 address of the target: 32 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int target(MemorySegment segment, long offset) {
        return BigEndian.get32(segment, offset + TARGET);
    }

    /**
     * {@return one line of text} Allocates.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static String format(MemorySegment segment, long offset) {
        String sender = Ipv4.toString(sender(segment, offset));
        String target = Ipv4.toString(target(segment, offset));
        return switch (operation(segment, offset)) {
            case REQUEST -> "ARP who has " + target + "? tell " + sender;
            case REPLY -> "ARP " + sender + " is at " + MacAddress.toString(senderLink(segment, offset));
            default -> "ARP operation " + operation(segment, offset);
        };
    }
}
