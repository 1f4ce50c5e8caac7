// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ip;

import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;

/** The Internet checksum (RFC 1071): the one's complement of the one's complement sum of 16-bit words. */
public final class InternetChecksum {
    private InternetChecksum() {}

    /**
     * Adds bytes to a sum; the initial sum is 0.
     *
     * @param sum result of the previous call, or 0
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param length bytes
     * @param odd true if the number of bytes added before is odd
     * @return the sum, for further calls or for {@link #of}; valid for up to 2^15 pieces
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
     * {@return the sum with a 32-bit number added as two 16-bit words}
     *
     * @param sum result of the previous call, or 0
     * @param value 32 bits
     */
    public static int add(int sum, int value) {
        return sum + (value >>> Short.SIZE) + (value & 0xFFFF);
    }

    /**
     * {@return the checksum, 16 bits; 0 if the added bytes contain their own correct checksum}
     *
     * @param sum result of the last call of {@code add}
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
