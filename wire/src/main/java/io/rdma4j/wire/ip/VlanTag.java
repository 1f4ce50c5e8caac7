// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ip;

import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;

/**
 * The VLAN tag after an ether type of 0x8100 (IEEE 802.1Q) or 0x88A8 (802.1ad), {@code struct vlan_hdr}.
 *
 * <pre>
 *     0                   1                   2                   3
 *     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *    +-----+-+-----------------------+-------------------------------+
 *  0 | pri |D|         VLAN          |          ether type           |
 *    +-----+-+-----------------------+-------------------------------+
 * </pre>
 *
 * D: drop eligible.
 */
public final class VlanTag {
    /** Bytes from one ether type to the next. */
    public static final int BYTES = 4;

    private static final int ETHER_TYPE = 2;
    private static final int PRIORITY_SHIFT = 13;
    private static final int DROP_ELIGIBLE = 0x1000;
    private static final int VLAN_MASK = 0xFFF;

    private VlanTag() {}

    /**
     * Writes a tag.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param priority 3 bits
     * @param dropEligible 1 bit
     * @param vlan 12 bits
     * @param etherType protocol after the tag, 16 bits
     */
    public static void write(
            MemorySegment segment, long offset, int priority, boolean dropEligible, int vlan, int etherType) {
        BigEndian.put16(
                segment, offset, priority << PRIORITY_SHIFT | (dropEligible ? DROP_ELIGIBLE : 0) | (vlan & VLAN_MASK));
        BigEndian.put16(segment, offset + ETHER_TYPE, etherType);
    }

    /**
     * {@return the tag control information (TCI), 16 bits: priority, drop eligibility and VLAN}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int tci(MemorySegment segment, long offset) {
        return BigEndian.get16(segment, offset);
    }

    /**
     * Sets the tag control information; the ether type is not changed.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param tci 16 bits: priority, eligibility and VLAN
     */
    public static void tci(MemorySegment segment, long offset, int tci) {
        BigEndian.put16(segment, offset, tci);
    }

    /**
     * {@return priority code point, 3 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int priority(MemorySegment segment, long offset) {
        return BigEndian.get16(segment, offset) >>> PRIORITY_SHIFT;
    }

    /**
     * {@return true if the frame is drop eligible}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static boolean dropEligible(MemorySegment segment, long offset) {
        return (BigEndian.get16(segment, offset) & DROP_ELIGIBLE) != 0;
    }

    /**
     * {@return number of the virtual LAN, 12 bits; 0 for a tag with a priority only}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int vlan(MemorySegment segment, long offset) {
        return BigEndian.get16(segment, offset) & VLAN_MASK;
    }

    /**
     * {@return the protocol after this tag, 16 bits; may be another tag}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int etherType(MemorySegment segment, long offset) {
        return BigEndian.get16(segment, offset + ETHER_TYPE);
    }
}
