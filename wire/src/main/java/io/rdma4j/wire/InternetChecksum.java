package io.rdma4j.wire;

import java.lang.foreign.MemorySegment;

/** The checksum of the Internet (RFC 1071): the one's complement of the one's complement sum of 16-bit words. */
public final class InternetChecksum {
    private InternetChecksum() {}

    /**
     * Adds bytes to a sum that was begun with 0.
     *
     * @param sum as the call before returned it, first 0
     * @param segment the memory that the packet lies in
     * @param offset of the header's first byte in {@code segment}
     * @param length bytes
     * @param odd true if an odd number of bytes was added before
     * @return to be added to, or to be finished by {@link #of}; good for 2^15 pieces
     */
    public static int add(int sum, MemorySegment segment, long offset, int length, boolean odd) {
        long words = 0;
        int at = 0;
        for (; at <= length - Integer.BYTES; at += Integer.BYTES) {
            words += Integer.toUnsignedLong(BigEndian.get32(segment, offset + at));
        }
        for (; at <= length - Short.BYTES; at += Short.BYTES) {
            words += BigEndian.get16(segment, offset + at);
        }
        if (at < length) {
            words += (long) BigEndian.get8(segment, offset + at) << Byte.SIZE;
        }
        int folded = fold(words);
        return sum + (odd ? Integer.reverseBytes(folded) >>> Short.SIZE : folded);
    }

    /**
     * {@return the sum with a number of 32 bits, added as the two words that it has on the wire}
     *
     * @param sum as the call before returned it, first 0
     * @param value 32 bits
     */
    public static int add(int sum, int value) {
        return sum + (value >>> Short.SIZE) + (value & 0xFFFF);
    }

    /**
     * {@return the checksum of what was added, 16 bits: 0 if its own checksum was among it, and is right}
     *
     * @param sum as the last call of {@code add} returned it
     */
    public static int of(int sum) {
        return ~fold(Integer.toUnsignedLong(sum)) & 0xFFFF;
    }

    private static int fold(long words) {
        long sum = words;
        while (sum >>> Short.SIZE != 0) {
            sum = (sum & 0xFFFF) + (sum >>> Short.SIZE);
        }
        return (int) sum;
    }
}
