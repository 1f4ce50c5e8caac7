// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.roce;

import io.rdma4j.base.Mtu;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Udp;

/**
 * Computes the IPv4 identification that a UDP socket does not report, from the ICRC of the packet.
 *
 * <p>The ICRC covers the identification, but a receiver with an ordinary socket cannot read it. The receiver computes
 * the ICRC with identification 0 instead. If the result differs from the received ICRC, the difference determines the
 * identification:
 *
 * <p><b>The algebra.</b> A CRC is linear except for its constants, which cancel when two CRCs of data of equal length
 * are added (in GF(2): xor). The sum is the bare CRC of the sum of the data. The data differ only in the two bytes of
 * the identification, {@code M} bytes before the ICRC. Let {@code I(x)} be the polynomial of these 16 bits, of a degree
 * below 16, and {@code P} the polynomial of the CRC, of degree 32. Then
 *
 * <pre>    difference = I(x) * x^(8M) * x^32  mod P        and so        I(x) = difference * x^(-8(M+4))  mod P</pre>
 *
 * {@code x} has an inverse because {@code P} has a constant term. Therefore one multiplication by a constant yields
 * {@code I(x)}. The constant depends on the length; a table holds the constants of all lengths. {@code I(x)} must have
 * no terms of degree 16 to 31: otherwise the packets differ in more than the identification.
 *
 * <p><b>Order of bits.</b> The CRC is reflected: the first input bit of a byte is its lowest. The coefficient of
 * {@code x^0} is bit 31 of an {@code int}, that of {@code x^31} is bit 0. Therefore the first byte of the
 * identification has the degrees 15 (its lowest bit) to 8, the second byte 7 to 0. In the {@code int} these are bits
 * 16..23 and 24..31, each byte in its usual order.
 *
 * <p><b>Remaining strength.</b> Any identification is accepted, so 2^16 of the 2^32 possible differences pass. A random
 * corruption is undetected with probability 2^-16 instead of 2^-32. This includes short bursts, which the full CRC
 * always detects. The UDP checksum still protects the packet if the sender fills it in. A receiver whose peer is known
 * to send 0 should require 0. IPv6 has no such field.
 */
public final class IcrcIdentification {
    /** The result if no identification explains the difference. */
    public static final int NONE = -1;

    /**
     * Maximum number of bytes that an ICRC covers, from the IPv4 header on; a longer packet is not RoCE and has no
     * solution.
     */
    public static final int MAX_COVERED_BYTES = Ipv4.BYTES + Udp.BYTES + Opcode.MAX_HEADER_BYTES + Mtu.MTU_4096.bytes();

    private static final int POLYNOMIAL = 0xEDB8_8320;
    private static final int ONE = 0x8000_0000;
    private static final int BYTES_BEFORE = Ipv4.IDENTIFICATION + 2;

    /** {@code x^(-8(M+4)) mod P} for each M; constant. */
    private static final int[] INVERSE = inverses(MAX_COVERED_BYTES - BYTES_BEFORE);

    private IcrcIdentification() {}

    /**
     * Computes the identification.
     *
     * @param received the ICRC in the packet
     * @param computed the ICRC of the packet with identification 0 and all other header fields as sent. If it was
     *     computed with identification {@code i}, the result is the sent identification xor {@code i}
     * @param coveredBytes bytes from the IPv4 header to the ICRC
     * @return the identification, 0..65535, or {@link #NONE} if the packet is corrupt; 0 if the CRCs are equal
     */
    public static int solve(int received, int computed, int coveredBytes) {
        int distance = coveredBytes - BYTES_BEFORE;
        if (distance < 0 || distance >= INVERSE.length) {
            return NONE;
        }
        int product = multiply(received ^ computed, INVERSE[distance]);
        if ((product & 0xFFFF) != 0) {
            return NONE;
        }
        return (product >>> 8 & 0xFF00) | product >>> 24;
    }

    /** Returns {@code a * b mod P}: adds {@code b * x^n} for every {@code x^n} of {@code a}, highest bit first. */
    private static int multiply(int a, int b) {
        int sum = 0;
        int shifted = b;
        for (int bits = a; bits != 0; bits <<= 1) {
            sum ^= shifted & (bits >> 31);
            shifted = shifted >>> 1 ^ POLYNOMIAL & -(shifted & 1);
        }
        return sum;
    }

    private static int[] inverses(int maxDistance) {
        int[] table = new int[maxDistance + 1];
        int power = divideByX(ONE, 8 * Icrc.BYTES);
        for (int distance = 0; distance < table.length; distance++) {
            table[distance] = power;
            power = divideByX(power, 8);
        }
        return table;
    }

    /**
     * Returns {@code a * x^(-times) mod P}. A multiplication by {@code x} shifts right and, if {@code x^31} is shifted
     * out, adds {@code P}. Only this addition can set {@code x^0}. So if {@code x^0} is set, the addition must be
     * undone.
     */
    private static int divideByX(int a, int times) {
        int value = a;
        for (int i = 0; i < times; i++) {
            value = value < 0 ? (value ^ POLYNOMIAL) << 1 | 1 : value << 1;
        }
        return value;
    }
}
