package io.rdma4j.wire;

import io.rdma4j.base.Mtu;

/**
 * Finds the IPv4 identification that a UDP socket hides, from what the ICRC says about it.
 *
 * <p>The ICRC covers the identification, but a receiver with an ordinary socket never sees it. It computes the ICRC with
 * identification 0 in its place; if that differs from the ICRC received, the difference tells the identification:
 *
 * <p><b>The algebra.</b> A CRC is linear but for its constants, and these cancel when two CRCs of equally long data are
 * added (in GF(2): xor). The sum is the bare CRC of the sum of the data, and the data differ in the two bytes of the
 * identification only, {@code M} bytes before the ICRC. Let {@code I(x)} be the polynomial of those 16 bits, of a degree
 * below 16, and {@code P} the polynomial of the CRC, of degree 32. Then
 *
 * <pre>    difference = I(x) * x^(8M) * x^32  mod P        and so        I(x) = difference * x^(-8(M+4))  mod P</pre>
 *
 * {@code x} has an inverse because {@code P} has a constant term. So one multiplication by a constant of the length brings
 * back {@code I(x)}; the constants of all lengths are in a table. {@code I(x)} must have nothing at degrees 16 to 31: if
 * it has, the packets differ by more than an identification.
 *
 * <p><b>Order of bits.</b> The CRC is reflected: the first bit of a byte on the way in is its lowest, and the coefficient of
 * {@code x^0} is bit 31 of an {@code int}, that of {@code x^31} bit 0. The identification's first byte thus has the degrees 15 (its
 * lowest bit) to 8, its second 7 to 0; in the {@code int} these are bits 16..23 and 24..31, each byte in its usual order.
 *
 * <p><b>What strength remains.</b> Any identification is accepted, so of the 2^32 possible differences 2^16 pass: a random
 * corruption goes unnoticed with probability 2^-16 instead of 2^-32, and short bursts, which the CRC by itself always finds,
 * are no exception. The UDP checksum, where the sender fills it in, still stands. A receiver that knows its peer sends 0
 * should insist on 0; IPv6 has no such field.
 */
public final class IcrcIdentification {
    /** The result for a difference that no identification explains. */
    public static final int NONE = -1;

    /** The most bytes an ICRC covers, from the IPv4 header on: more is no RoCE packet and has no solution. */
    public static final int MAX_COVERED_BYTES = Ipv4.BYTES + Udp.BYTES + Opcode.MAX_HEADER_BYTES + Mtu.MTU_4096.bytes();

    private static final int POLYNOMIAL = 0xEDB8_8320;
    private static final int ONE = 0x8000_0000;
    private static final int BYTES_BEFORE = Ipv4.IDENTIFICATION + 2;

    /** {@code x^(-8(M+4)) mod P} by M. Never written after it is made. */
    private static final int[] INVERSE = inverses(MAX_COVERED_BYTES - BYTES_BEFORE);

    private IcrcIdentification() {}

    /**
     * Solves for the identification.
     *
     * @param received the ICRC that the packet carries
     * @param computed the ICRC of the packet with identification 0, all other header fields as they were sent; with another identification in
     *     its place the result is the one sent, xor that
     * @param coveredBytes bytes from the first of the IPv4 header to the first of the ICRC
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

    /** {@code a * b mod P}: adds up {@code b * x^n} for every {@code x^n} of {@code a}, highest bit first. */
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
     * {@code a * x^(-times) mod P}. Multiplying by {@code x} shifts right and, if {@code x^31} fell out, adds {@code P}, whose
     * constant term then is the only source of an {@code x^0}: so a one there tells that it has to be taken back.
     */
    private static int divideByX(int a, int times) {
        int value = a;
        for (int i = 0; i < times; i++) {
            value = value < 0 ? (value ^ POLYNOMIAL) << 1 | 1 : value << 1;
        }
        return value;
    }
}
