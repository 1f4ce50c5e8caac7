// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ip;

import io.rdma4j.base.Gid;
import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;

/**
 * Neighbour solicitation and advertisement (RFC 4861, 4.3 and 4.4), {@code struct nd_msg}: requests and announces the
 * link address of an IPv6 address.
 *
 * <pre>
 *     0                   1                   2                   3
 *     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *    +---------------+---------------+-------------------------------+
 *  0 |     type      |   code (0)    |           checksum            |
 *    +-+-+-+---------+---------------+-------------------------------+
 *  4 |R|S|O|                        reserved                         |
 *    +-+-+-+---------------------------------------------------------+
 *  8 |                    target address, 16 bytes                   |
 *    +---------------+---------------+-------------------------------+
 * 24 |    option     |  8 bytes (1)  |         link address          |
 *    +---------------+---------------+-------------------------------+
 * 28 |                      link address (cont.)                     |
 *    +---------------------------------------------------------------+
 * </pre>
 *
 * Flags of an advertisement: R, the sender is a router; S, the message answers a solicitation; O, it overrides a cached
 * address. Any number of options may follow the target; these accessors support the link address options.
 */
public final class NeighbourMessage {
    /** Bytes without options. */
    public static final int BYTES = 24;
    /** Bytes with a link address. */
    public static final int BYTES_WITH_LINK = 32;
    /** Flag: the advertisement answers a solicitation. */
    public static final int SOLICITED = 0x4000_0000;
    /** Flag: the advertisement replaces a cached link address. */
    public static final int OVERRIDE = 0x2000_0000;
    /** {@code ND_OPT_SOURCE_LL_ADDR}: of the sender, in a solicitation. */
    public static final int SOURCE_LINK = 1;
    /** {@code ND_OPT_TARGET_LL_ADDR}: of the target, in an advertisement. */
    public static final int TARGET_LINK = 2;

    /** Result of {@link #link} if there is no such option. */
    public static final long NO_LINK = -1;
    /** Result of {@link #link} if the lengths of the options are inconsistent. */
    public static final long MALFORMED = -2;

    private static final int FLAGS = 4;
    private static final int TARGET = 8;
    private static final int OPTION_UNIT = 8;
    private static final int ETHERNET_OPTION_BYTES = 8;

    private NeighbourMessage() {}

    /**
     * Writes a message of {@link #BYTES_WITH_LINK} for Ethernet; the caller updates the checksum
     * ({@link Icmpv6#updateChecksum}).
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param type of {@link Icmpv6}
     * @param flags of an advertisement, otherwise 0
     * @param targetPrefix upper 64 bits of the address
     * @param targetInterfaceId lower 64 bits of the address
     * @param option {@link #SOURCE_LINK} or {@link #TARGET_LINK}
     * @param link 48 bits
     */
    public static void write(
            MemorySegment segment,
            long offset,
            int type,
            int flags,
            long targetPrefix,
            long targetInterfaceId,
            int option,
            long link) {
        write(segment, offset, type, flags, targetPrefix, targetInterfaceId);
        writeOption(segment, offset, option, ETHERNET_OPTION_BYTES);
        BigEndian.put48(segment, offset + BYTES + 2, link);
    }

    /**
     * Writes a message of {@link #BYTES}, without options; the caller updates the checksum.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param type of {@link Icmpv6}
     * @param flags of an advertisement, otherwise 0
     * @param targetPrefix upper 64 bits of the address
     * @param targetInterfaceId lower 64 bits of the address
     */
    public static void write(
            MemorySegment segment, long offset, int type, int flags, long targetPrefix, long targetInterfaceId) {
        Icmpv6.write(segment, offset, type);
        BigEndian.put32(segment, offset + FLAGS, flags);
        BigEndian.put64(segment, offset + TARGET, targetPrefix);
        BigEndian.put64(segment, offset + TARGET + 8, targetInterfaceId);
    }

    /**
     * Writes the header of an option with a link address behind the message; the caller writes the address, at the end
     * of the option.
     *
     * @param segment the memory of the packet
     * @param offset of the message's first byte in {@code segment}
     * @param option {@link #SOURCE_LINK} or {@link #TARGET_LINK}
     * @param optionBytes length of the option: a multiple of 8
     */
    public static void writeOption(MemorySegment segment, long offset, int option, int optionBytes) {
        BigEndian.put64(segment, offset + BYTES, 0);
        BigEndian.put8(segment, offset + BYTES, option);
        BigEndian.put8(segment, offset + BYTES + 1, optionBytes / OPTION_UNIT);
    }

    /**
     * {@return length of an option with a link address (RFC 4861, 4.6.1): 8 bytes on Ethernet, 24 on InfiniBand (RFC
     * 4391, 9.3)}
     *
     * @param linkBytes length of a link address
     */
    public static int optionBytes(int linkBytes) {
        return (2 + linkBytes + OPTION_UNIT - 1) / OPTION_UNIT * OPTION_UNIT;
    }

    /**
     * {@return true for an advertisement that answers a solicitation}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static boolean isSolicited(MemorySegment segment, long offset) {
        return (BigEndian.get32(segment, offset + FLAGS) & SOLICITED) != 0;
    }

    /**
     * {@return true for an advertisement that replaces a cached link address}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static boolean overrides(MemorySegment segment, long offset) {
        return (BigEndian.get32(segment, offset + FLAGS) & OVERRIDE) != 0;
    }

    /**
     * {@return upper 64 bits of the target's address}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static long targetPrefix(MemorySegment segment, long offset) {
        return BigEndian.get64(segment, offset + TARGET);
    }

    /**
     * {@return lower 64 bits of the target's address}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static long targetInterfaceId(MemorySegment segment, long offset) {
        return BigEndian.get64(segment, offset + TARGET + 8);
    }

    /**
     * Returns the link address of an option on Ethernet.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param length bytes of the message, at least {@link #BYTES}
     * @param option {@link #SOURCE_LINK} or {@link #TARGET_LINK}
     * @return 48 bits, or {@link #NO_LINK}, or {@link #MALFORMED}
     */
    public static long link(MemorySegment segment, long offset, int length, int option) {
        int at = linkOffset(segment, offset, length, option, ETHERNET_OPTION_BYTES);
        return at < 0 ? at : BigEndian.get48(segment, offset + at + 2);
    }

    /**
     * Returns where the option with a link address begins.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param length bytes of the message, at least {@link #BYTES}
     * @param option {@link #SOURCE_LINK} or {@link #TARGET_LINK}
     * @param optionBytes length of the option on this link
     * @return offset from the header's first byte, or {@link #NO_LINK}; {@link #MALFORMED} if the lengths of the
     *     options are inconsistent, or the option has another length
     */
    public static int linkOffset(MemorySegment segment, long offset, int length, int option, int optionBytes) {
        int found = (int) NO_LINK;
        int at = BYTES;
        while (at < length) {
            int bytes = length - at < 2 ? 0 : BigEndian.get8(segment, offset + at + 1) * OPTION_UNIT;
            if (bytes == 0 || bytes > length - at) {
                return (int) MALFORMED;
            }
            if (BigEndian.get8(segment, offset + at) == option && found == NO_LINK) {
                if (bytes < optionBytes) {
                    return (int) MALFORMED;
                }
                found = at;
            }
            at += bytes;
        }
        return found;
    }

    /**
     * {@return one line of text} Allocates.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static String format(MemorySegment segment, long offset) {
        Gid target = new Gid(targetPrefix(segment, offset), targetInterfaceId(segment, offset));
        return Icmpv6.type(segment, offset) == Icmpv6.NEIGHBOUR_SOLICITATION
                ? "ND who has " + target
                : "ND " + target + " is here" + (isSolicited(segment, offset) ? " solicited" : "")
                        + (overrides(segment, offset) ? " override" : "");
    }
}
