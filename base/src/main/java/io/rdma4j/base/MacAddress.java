// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base;

import java.util.HexFormat;
import java.util.random.RandomGenerator;

/**
 * Functions on 48-bit link addresses (IEEE 802) of Ethernet interfaces or groups of them. An address is a {@code long},
 * the first octet highest, so that the data path allocates nothing.
 */
public final class MacAddress {
    /** The address of all stations of the link ({@code ff:ff:ff:ff:ff:ff}). */
    public static final long BROADCAST = 0xFFFF_FFFF_FFFFL;

    private static final int BYTES = 6;
    private static final int TEXT_LENGTH = 3 * BYTES - 1;
    private static final long GROUP_BIT = 1L << 40;
    private static final long LOCAL_BIT = 1L << 41;
    private static final long IPV4_GROUPS = 0x0100_5E00_0000L;
    private static final long IPV4_GROUP_MASK = 0x7F_FFFFL;
    private static final long IPV6_GROUPS = 0x3333_0000_0000L;
    private static final long IPV6_GROUP_MASK = 0xFFFF_FFFFL;
    private static final HexFormat BY_COLONS = HexFormat.ofDelimiter(":");

    private MacAddress() {}

    /**
     * {@return true for 0, which no station has ({@code is_zero_ether_addr})}
     *
     * @param mac 48 bits, the first octet on the wire highest
     */
    public static boolean isZero(long mac) {
        return mac == 0;
    }

    /**
     * {@return true for a group of stations or the broadcast address ({@code is_multicast_ether_addr})}
     *
     * @param mac 48 bits, the first octet on the wire highest
     */
    public static boolean isMulticast(long mac) {
        return (mac & GROUP_BIT) != 0;
    }

    /**
     * {@return true for the broadcast address ({@code is_broadcast_ether_addr})}
     *
     * @param mac 48 bits, the first octet on the wire highest
     */
    public static boolean isBroadcast(long mac) {
        return mac == BROADCAST;
    }

    /**
     * {@return true for the address of a single station other than 0 ({@code is_valid_ether_addr})}
     *
     * @param mac 48 bits, the first octet on the wire highest
     */
    public static boolean isValid(long mac) {
        return (mac & ~BROADCAST) == 0 && !isZero(mac) && !isMulticast(mac);
    }

    /**
     * {@return a random valid address, marked as locally administered ({@code eth_random_addr})}
     *
     * @param random source of its 46 free bits
     */
    public static long random(RandomGenerator random) {
        return random.nextLong() & BROADCAST & ~GROUP_BIT | LOCAL_BIT;
    }

    /**
     * {@return the group address for a multicast IP address: 23 bits of an IPv4 address (RFC 1112), 32 bits of an IPv6
     * address (RFC 2464); {@code ip_eth_mc_map}, {@code ipv6_eth_mc_map}}
     *
     * @param group a multicast GID
     */
    public static long ofGroup(Gid group) {
        return group.isIpv4()
                ? IPV4_GROUPS | group.interfaceId() & IPV4_GROUP_MASK
                : IPV6_GROUPS | group.interfaceId() & IPV6_GROUP_MASK;
    }

    /**
     * Parses an address such as {@code 52:54:00:77:00:01}.
     *
     * @param text six pairs of hexadecimal digits, separated by colons
     * @return the address, 48 bits
     * @throws RdmaException EINVAL for invalid text
     */
    public static long parse(String text) {
        if (text.length() == TEXT_LENGTH) {
            try {
                long mac = 0;
                for (byte part : BY_COLONS.parseHex(text)) {
                    mac = mac << Byte.SIZE | Byte.toUnsignedLong(part);
                }
                return mac;
            } catch (IllegalArgumentException e) {
                throw invalid(text);
            }
        }
        throw invalid(text);
    }

    private static RdmaException invalid(String text) {
        return new RdmaException(Errno.EINVAL, "\"" + text + "\" is no address like 52:54:00:77:00:01");
    }

    /**
     * {@return the text {@code 52:54:00:77:00:01}}
     *
     * @param mac 48 bits, the first octet on the wire highest
     */
    public static String toString(long mac) {
        byte[] bytes = new byte[BYTES];
        for (int i = 0; i < BYTES; i++) {
            bytes[i] = (byte) (mac >>> (BYTES - 1 - i) * Byte.SIZE);
        }
        return BY_COLONS.formatHex(bytes);
    }
}
