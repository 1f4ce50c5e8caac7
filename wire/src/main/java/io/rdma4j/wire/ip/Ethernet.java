// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ip;

import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;

/**
 * The Ethernet header (IEEE 802.3), {@code struct ethhdr}; VLAN tags ({@link VlanTag}) may follow.
 *
 * <pre>
 *     0                   1                   2                   3
 *     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *    +---------------------------------------------------------------+
 *  0 |                      destination address                      |
 *    +-------------------------------+-------------------------------+
 *  4 |  destination address (cont.)  |         source address        |
 *    +-------------------------------+-------------------------------+
 *  8 |                    source address (cont.)                     |
 *    +-------------------------------+-------------------------------+
 * 12 |          ether type           |
 *    +-------------------------------+
 * </pre>
 *
 * An address is a {@code long} with its 48 bits at the low end, first byte highest.
 */
public final class Ethernet {
    /** Bytes of the header without tags. */
    public static final int BYTES = 14;
    /** Offset of the ether type. */
    public static final int ETHER_TYPE = 12;
    /** {@code ETH_P_IP}. */
    public static final int TYPE_IPV4 = 0x0800;
    /** {@code ETH_P_ARP}: an {@link Arp} packet follows. */
    public static final int TYPE_ARP = 0x0806;
    /** {@code ETH_P_IPV6}. */
    public static final int TYPE_IPV6 = 0x86DD;
    /** {@code ETH_P_IBOE}: RoCEv1, a {@code Grh} follows. */
    public static final int TYPE_ROCE_V1 = 0x8915;
    /** {@code ETH_P_8021Q}: a {@link VlanTag} follows. */
    public static final int TYPE_VLAN = 0x8100;
    /** {@code ETH_P_8021AD}: an outer {@link VlanTag} follows. */
    public static final int TYPE_SERVICE_VLAN = 0x88A8;

    private static final int SOURCE = 6;

    private Ethernet() {}

    /**
     * Writes a header.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param destination address: 48 bits
     * @param source address: 48 bits
     * @param etherType 16 bits
     */
    public static void write(MemorySegment segment, long offset, long destination, long source, int etherType) {
        BigEndian.put48(segment, offset, destination);
        BigEndian.put48(segment, offset + SOURCE, source);
        BigEndian.put16(segment, offset + ETHER_TYPE, etherType);
    }

    /**
     * {@return destination address, 48 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static long destination(MemorySegment segment, long offset) {
        return BigEndian.get48(segment, offset);
    }

    /**
     * {@return source address, 48 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static long source(MemorySegment segment, long offset) {
        return BigEndian.get48(segment, offset + SOURCE);
    }

    /**
     * {@return the protocol after this header, 16 bits; may be a VLAN tag}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int etherType(MemorySegment segment, long offset) {
        return BigEndian.get16(segment, offset + ETHER_TYPE);
    }

    /**
     * Sets the protocol after this header, 16 bits.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param etherType 16 bits
     */
    public static void etherType(MemorySegment segment, long offset, int etherType) {
        BigEndian.put16(segment, offset + ETHER_TYPE, etherType);
    }

    /**
     * {@return true for the ether types of a {@link VlanTag}}
     *
     * @param etherType 16 bits
     */
    public static boolean isVlan(int etherType) {
        return etherType == TYPE_VLAN || etherType == TYPE_SERVICE_VLAN;
    }
}
