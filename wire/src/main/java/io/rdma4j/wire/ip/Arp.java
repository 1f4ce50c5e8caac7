// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ip;

import io.rdma4j.base.MacAddress;
import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;

/**
 * A packet of the Address Resolution Protocol (RFC 826) for IPv4: {@code struct arphdr} and the addresses. The picture
 * shows Ethernet; on other links the link addresses have another length {@code n} (RFC 4391: 20 bytes on InfiniBand).
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
 * The link addresses are written and read by the caller, at {@link #SENDER_LINK} and {@link #targetLinkOffset}.
 */
public final class Arp {
    /** Bytes of a packet on Ethernet; the link may append padding. */
    public static final int BYTES = 28;
    /** {@code ARPOP_REQUEST}: requests the link address of the target. */
    public static final int REQUEST = 1;
    /** {@code ARPOP_REPLY}: contains the link address of the sender. */
    public static final int REPLY = 2;
    /** Offset of the sender's link address. */
    public static final int SENDER_LINK = 8;

    private static final int LINK_ETHERNET = 1;
    private static final int ETHERNET_BYTES = 6;
    private static final int ADDRESS_BYTES = 4;
    private static final int PROTOCOL = 2;
    private static final int LENGTHS = 4;
    private static final int OPERATION = 6;

    private Arp() {}

    /**
     * {@return bytes of a packet}
     *
     * @param linkBytes length of a link address
     */
    public static int bytes(int linkBytes) {
        return SENDER_LINK + 2 * (linkBytes + ADDRESS_BYTES);
    }

    /**
     * {@return offset of the target's link address}
     *
     * @param linkBytes length of a link address
     */
    public static int targetLinkOffset(int linkBytes) {
        return SENDER_LINK + linkBytes + ADDRESS_BYTES;
    }

    /**
     * Writes a packet without its link addresses.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param linkType type of the link ({@code ARPHRD_ETHER}, {@code ARPHRD_INFINIBAND}), 16 bits
     * @param linkBytes length of a link address
     * @param operation {@link #REQUEST} or {@link #REPLY}
     * @param sender IPv4 address: 32 bits
     * @param target IPv4 address: 32 bits
     */
    public static void write(
            MemorySegment segment, long offset, int linkType, int linkBytes, int operation, int sender, int target) {
        BigEndian.put16(segment, offset, linkType);
        BigEndian.put16(segment, offset + PROTOCOL, Ethernet.TYPE_IPV4);
        BigEndian.put16(segment, offset + LENGTHS, linkBytes << Byte.SIZE | ADDRESS_BYTES);
        BigEndian.put16(segment, offset + OPERATION, operation);
        BigEndian.put32(segment, offset + SENDER_LINK + linkBytes, sender);
        BigEndian.put32(segment, offset + targetLinkOffset(linkBytes) + linkBytes, target);
    }

    /**
     * {@return true for IPv4 addresses on a link of this type; otherwise the other fields are undefined}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param linkType type of the link, 16 bits
     * @param linkBytes length of a link address
     */
    public static boolean isIpv4Over(MemorySegment segment, long offset, int linkType, int linkBytes) {
        return BigEndian.get16(segment, offset) == linkType
                && BigEndian.get16(segment, offset + PROTOCOL) == Ethernet.TYPE_IPV4
                && BigEndian.get16(segment, offset + LENGTHS) == (linkBytes << Byte.SIZE | ADDRESS_BYTES);
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
     * {@return IPv4 address of the sender; 0 in a probe for duplicate addresses}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param linkBytes length of a link address
     */
    public static int sender(MemorySegment segment, long offset, int linkBytes) {
        return BigEndian.get32(segment, offset + SENDER_LINK + linkBytes);
    }

    /**
     * {@return IPv4 address of the target: 32 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param linkBytes length of a link address
     */
    public static int target(MemorySegment segment, long offset, int linkBytes) {
        return BigEndian.get32(segment, offset + targetLinkOffset(linkBytes) + linkBytes);
    }

    /**
     * Writes a packet with its link addresses for Ethernet.
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
        write(segment, offset, LINK_ETHERNET, ETHERNET_BYTES, operation, sender, target);
        BigEndian.put48(segment, offset + SENDER_LINK, senderLink);
        BigEndian.put48(segment, offset + targetLinkOffset(ETHERNET_BYTES), targetLink);
    }

    /**
     * {@return true for IPv4 addresses on Ethernet}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static boolean isIpv4OverEthernet(MemorySegment segment, long offset) {
        return isIpv4Over(segment, offset, LINK_ETHERNET, ETHERNET_BYTES);
    }

    /**
     * {@return link address of the sender on Ethernet, 48 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static long senderLink(MemorySegment segment, long offset) {
        return BigEndian.get48(segment, offset + SENDER_LINK);
    }

    /**
     * {@return link address of the target on Ethernet, 48 bits; undefined in a request}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static long targetLink(MemorySegment segment, long offset) {
        return BigEndian.get48(segment, offset + targetLinkOffset(ETHERNET_BYTES));
    }

    /**
     * {@return one line of text for a packet on Ethernet} Allocates.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static String format(MemorySegment segment, long offset) {
        String sender = Ipv4.toString(sender(segment, offset, ETHERNET_BYTES));
        String target = Ipv4.toString(target(segment, offset, ETHERNET_BYTES));
        return switch (operation(segment, offset)) {
            case REQUEST -> "ARP who has " + target + "? tell " + sender;
            case REPLY -> "ARP " + sender + " is at " + MacAddress.toString(senderLink(segment, offset));
            default -> "ARP operation " + operation(segment, offset);
        };
    }
}
