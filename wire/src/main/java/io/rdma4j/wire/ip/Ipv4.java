// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ip;

import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;

/**
 * The IPv4 header (RFC 791), {@code struct iphdr}.
 *
 * <pre>
 *     0                   1                   2                   3
 *     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *    +-------+-------+---------------+-------------------------------+
 *  0 |version|  IHL  |type of service|         total length          |
 *    +-------+-------+---------------+-----+-------------------------+
 *  4 |        identification         |0 D M|     fragment offset     |
 *    +---------------+---------------+-----+-------------------------+
 *  8 | time to live  |   protocol    |        header checksum        |
 *    +---------------+---------------+-------------------------------+
 * 12 |                        source address                         |
 *    +---------------------------------------------------------------+
 * 16 |                      destination address                      |
 *    +---------------------------------------------------------------+
 * 20 |        options, IHL * 4 - 20 bytes (none in RoCEv2)           |
 *    +---------------------------------------------------------------+
 * </pre>
 *
 * An address is an {@code int} with its first byte highest: 10.0.0.1 is {@code 0x0A000001}.
 */
public final class Ipv4 {
    /** Bytes of the header without options. */
    public static final int BYTES = 20;
    /** Value of the version field. */
    public static final int VERSION = 4;
    /** The largest header, with all options. */
    public static final int MAX_HEADER_BYTES = 60;
    /** Offset of the total length. */
    public static final int TOTAL_LENGTH = 2;
    /** Offset of the identification. */
    public static final int IDENTIFICATION = 4;
    /** Offset of the flags and the fragment offset. */
    public static final int FRAGMENT = 6;
    /** Offset of the header checksum. */
    public static final int CHECKSUM = 10;
    /** Offset of the source address. */
    public static final int SOURCE = 12;
    /** Offset of the destination address. */
    public static final int DESTINATION = 16;
    /** {@code IPPROTO_UDP}. */
    public static final int PROTOCOL_UDP = 17;
    /**
     * The highest flag in the word at {@link #FRAGMENT} ({@code IP_CE}); unused, because {@link Ecn} signals
     * congestion.
     */
    public static final int CONGESTION = 0x8000;
    /** The flag "don't fragment" in the word at {@link #FRAGMENT}. */
    public static final int DONT_FRAGMENT = 0x4000;
    /** The flag "more fragments" in the word at {@link #FRAGMENT}. */
    public static final int MORE_FRAGMENTS = 0x2000;

    /** Bytes of the option that {@link #alertRouters} adds. */
    public static final int ROUTER_ALERT_BYTES = 4;

    private static final int ROUTER_ALERT = 0x9404_0000;

    /** Offset of the type of service. */
    public static final int TYPE_OF_SERVICE = 1;
    /** Offset of the time to live. */
    public static final int TIME_TO_LIVE = 8;

    /** Mask of the fragment offset, in units of 8 bytes, in the word at {@link #FRAGMENT}. */
    public static final int FRAGMENT_OFFSET_MASK = 0x1FFF;

    private static final int PROTOCOL = 9;

    /** The first byte of a header without options. */
    private static final int PLAIN = VERSION << 4 | BYTES / 4;

    private static final long WORD_MASK = 0xFFFF_FFFFL;

    private Ipv4() {}

    /**
     * Writes a header of {@link #BYTES} with "don't fragment" set and the checksum filled in.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param totalLength bytes from this header to the end of the packet, 16 bits
     * @param identification 16 bits; covered by the invariant CRC
     * @param typeOfService DSCP and ECN, 8 bits; the GRH's traffic class
     * @param timeToLive 8 bits; the GRH's hop limit
     * @param protocol 8 bits
     * @param source address: 32 bits
     * @param destination address: 32 bits
     */
    public static void write(
            MemorySegment segment,
            long offset,
            int totalLength,
            int identification,
            int typeOfService,
            int timeToLive,
            int protocol,
            int source,
            int destination) {
        long first = (long) PLAIN << 56
                | (typeOfService & 0xFFL) << 48
                | (totalLength & 0xFFFFL) << 32
                | (identification & 0xFFFFL) << 16
                | DONT_FRAGMENT;
        long second = (timeToLive & 0xFFL) << 56 | (protocol & 0xFFL) << 48 | Integer.toUnsignedLong(source);
        long sum = (first >>> 32)
                + (first & WORD_MASK)
                + (second >>> 32)
                + (second & WORD_MASK)
                + Integer.toUnsignedLong(destination);
        BigEndian.put64(segment, offset, first);
        BigEndian.put64(segment, offset + TIME_TO_LIVE, second | (long) complement(sum) << 32);
        BigEndian.put32(segment, offset + DESTINATION, destination);
    }

    /**
     * {@return the IP version, 4 bits; valid for IPv4 and IPv6 headers}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int version(MemorySegment segment, long offset) {
        return BigEndian.get8(segment, offset) >>> 4;
    }

    /**
     * {@return the first word of a header, for {@link #versionOf}, {@link #headerBytesOf} and {@link #totalLengthOf}:
     * one memory access for three fields}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int firstWord(MemorySegment segment, long offset) {
        return BigEndian.get32(segment, offset);
    }

    /**
     * {@return the IP version, 4 bits; valid for IPv4 and IPv6 headers}
     *
     * @param firstWord of the header
     */
    public static int versionOf(int firstWord) {
        return firstWord >>> 28;
    }

    /**
     * {@return as {@link #headerBytes}}
     *
     * @param firstWord of the header
     */
    public static int headerBytesOf(int firstWord) {
        return (firstWord >>> 24 & 0xF) * 4;
    }

    /**
     * {@return as {@link #totalLength}}
     *
     * @param firstWord of the header
     */
    public static int totalLengthOf(int firstWord) {
        return firstWord & 0xFFFF;
    }

    /**
     * {@return true for an IPv4 header without options; one memory access}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static boolean isPlain(MemorySegment segment, long offset) {
        return BigEndian.get8(segment, offset) == PLAIN;
    }

    /**
     * {@return bytes of the header with its options: 0..60, less than 20 only if malformed}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int headerBytes(MemorySegment segment, long offset) {
        return (BigEndian.get8(segment, offset) & 0xF) * 4;
    }

    /**
     * {@return DSCP (upper 6 bits) and ECN (lower 2), 8 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int typeOfService(MemorySegment segment, long offset) {
        return BigEndian.get8(segment, offset + TYPE_OF_SERVICE);
    }

    /**
     * Sets DSCP and ECN, 8 bits; the caller updates the checksum ({@link #updateChecksum}).
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param typeOfService 8 bits
     */
    public static void typeOfService(MemorySegment segment, long offset, int typeOfService) {
        BigEndian.put8(segment, offset + TYPE_OF_SERVICE, typeOfService);
    }

    /**
     * {@return bytes from the start of this header to the end of the packet, 16 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int totalLength(MemorySegment segment, long offset) {
        return BigEndian.get16(segment, offset + TOTAL_LENGTH);
    }

    /**
     * Sets the total length, 16 bits; the caller updates the checksum ({@link #updateChecksum}).
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param bytes 16 bits, unsigned
     */
    public static void totalLength(MemorySegment segment, long offset, int bytes) {
        BigEndian.put16(segment, offset + TOTAL_LENGTH, bytes);
    }

    /**
     * {@return number of the datagram, 16 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int identification(MemorySegment segment, long offset) {
        return BigEndian.get16(segment, offset + IDENTIFICATION);
    }

    /**
     * Sets the identification, 16 bits; the caller updates the checksum ({@link #updateChecksum}).
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param identification 16 bits
     */
    public static void identification(MemorySegment segment, long offset, int identification) {
        BigEndian.put16(segment, offset + IDENTIFICATION, identification);
    }

    /**
     * Sets flags and fragment offset, 16 bits; the caller updates the checksum ({@link #updateChecksum}).
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param flagsAndOffset 16 bits: three flags, and the offset in units of 8 bytes
     */
    public static void fragment(MemorySegment segment, long offset, int flagsAndOffset) {
        BigEndian.put16(segment, offset + FRAGMENT, flagsAndOffset);
    }

    /**
     * {@return flags and fragment offset, 16 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int fragment(MemorySegment segment, long offset) {
        return BigEndian.get16(segment, offset + FRAGMENT);
    }

    /**
     * Sets the time to live, 8 bits; the caller updates the checksum ({@link #updateChecksum}).
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param hops 8 bits
     */
    public static void timeToLive(MemorySegment segment, long offset, int hops) {
        BigEndian.put8(segment, offset + TIME_TO_LIVE, hops);
    }

    /**
     * {@return true if routers must not fragment this packet}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static boolean dontFragment(MemorySegment segment, long offset) {
        return (BigEndian.get16(segment, offset + FRAGMENT) & DONT_FRAGMENT) != 0;
    }

    /**
     * {@return true if this is a fragment of a datagram: more fragments follow, or its offset is not 0}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static boolean isFragment(MemorySegment segment, long offset) {
        return (BigEndian.get16(segment, offset + FRAGMENT) & (MORE_FRAGMENTS | FRAGMENT_OFFSET_MASK)) != 0;
    }

    /**
     * {@return the fragment offset in units of 8 bytes, 13 bits; 0 for the first fragment and for a whole datagram}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int fragmentOffset(MemorySegment segment, long offset) {
        return BigEndian.get16(segment, offset + FRAGMENT) & FRAGMENT_OFFSET_MASK;
    }

    /**
     * {@return the time to live, 8 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int timeToLive(MemorySegment segment, long offset) {
        return BigEndian.get8(segment, offset + TIME_TO_LIVE);
    }

    /**
     * {@return the protocol after this header, 8 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int protocol(MemorySegment segment, long offset) {
        return BigEndian.get8(segment, offset + PROTOCOL);
    }

    /**
     * {@return the checksum in the header, 16 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int storedChecksum(MemorySegment segment, long offset) {
        return BigEndian.get16(segment, offset + CHECKSUM);
    }

    /**
     * {@return the source address: 32 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int source(MemorySegment segment, long offset) {
        return BigEndian.get32(segment, offset + SOURCE);
    }

    /**
     * {@return the destination address: 32 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int destination(MemorySegment segment, long offset) {
        return BigEndian.get32(segment, offset + DESTINATION);
    }

    /**
     * {@return true if the packet has this source and this destination; one memory access for both}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param source 32 bits
     * @param destination 32 bits
     */
    public static boolean isBetween(MemorySegment segment, long offset, int source, int destination) {
        long addresses = (long) source << 32 | Integer.toUnsignedLong(destination);
        return BigEndian.get64(segment, offset + SOURCE) == addresses;
    }

    /**
     * {@return the correct checksum of this header, options included (RFC 1071), 16 bits: the one's complement of the
     * one's complement sum of all its words except the checksum}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int checksum(MemorySegment segment, long offset) {
        return complement(sum(segment, offset) - storedChecksum(segment, offset));
    }

    /** Returns the sum of the 32-bit words of a header; few memory accesses. */
    private static long sum(MemorySegment segment, long offset) {
        long first = BigEndian.get64(segment, offset);
        long second = BigEndian.get64(segment, offset + TIME_TO_LIVE);
        long sum = (first >>> 32)
                + (first & WORD_MASK)
                + (second >>> 32)
                + (second & WORD_MASK)
                + Integer.toUnsignedLong(BigEndian.get32(segment, offset + DESTINATION));
        int end = (int) (first >>> 56 & 0xF) * 4;
        for (int at = BYTES; at < end; at += Integer.BYTES) {
            sum += Integer.toUnsignedLong(BigEndian.get32(segment, offset + at));
        }
        return sum;
    }

    /** Returns the one's complement of a sum of up to 2^16 words of 32 bits; each word counts as two 16-bit words. */
    private static int complement(long sum) {
        long folded = (sum & WORD_MASK) + (sum >>> 32);
        folded = (folded & 0xFFFF) + (folded >>> 16);
        folded = (folded & 0xFFFF) + (folded >>> 16);
        return (int) ~folded & 0xFFFF;
    }

    /**
     * Adds the router alert option (RFC 2113) to a header of {@link #BYTES} and updates the checksum. The caller
     * reserves {@link #ROUTER_ALERT_BYTES} after the header and includes them in the total length.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static void alertRouters(MemorySegment segment, long offset) {
        BigEndian.put8(segment, offset, VERSION << 4 | (BYTES + ROUTER_ALERT_BYTES) / 4);
        BigEndian.put32(segment, offset + BYTES, ROUTER_ALERT);
        updateChecksum(segment, offset);
    }

    /**
     * {@return true if the checksum of this header, options included, is correct}
     *
     * <p>The header has at least {@link #BYTES}.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static boolean isIntact(MemorySegment segment, long offset) {
        return complement(sum(segment, offset)) == 0;
    }

    /**
     * Computes and stores the checksum; to be called after a field was changed.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static void updateChecksum(MemorySegment segment, long offset) {
        BigEndian.put16(segment, offset + CHECKSUM, checksum(segment, offset));
    }

    /**
     * {@return the address in dotted notation} Allocates.
     *
     * @param address 32 bits
     */
    public static String toString(int address) {
        return (address >>> 24) + "." + ((address >>> 16) & 0xFF) + "." + ((address >>> 8) & 0xFF) + "."
                + (address & 0xFF);
    }

    /**
     * {@return one line of text} Allocates.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static String format(MemorySegment segment, long offset) {
        return "IPv4 " + toString(source(segment, offset)) + " > " + toString(destination(segment, offset)) + " len "
                + totalLength(segment, offset) + " id " + identification(segment, offset) + " tos "
                + typeOfService(segment, offset) + " ttl " + timeToLive(segment, offset) + " proto "
                + protocol(segment, offset);
    }
}
