// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.address;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.wire.ip.Ipv4;

/**
 * A range of IP addresses of one version with common leading bits: {@code 10.0.0.0/8}, {@code fd00::/64}.
 *
 * @param network the lowest address; IPv4 mapped into IPv6
 * @param length number of common bits: 0..32 for IPv4, 0..128 for IPv6
 */
public record IpPrefix(Gid network, int length) {
    /** All of IPv4 ({@code 0.0.0.0/0}). */
    public static final IpPrefix ALL_IPV4 = new IpPrefix(Gid.ofIpv4(0), 0);

    /** All of IPv6 ({@code ::/0}). */
    public static final IpPrefix ALL_IPV6 = new IpPrefix(Gid.ZERO, 0);

    private static final int IPV4_BITS = 32;
    private static final int IPV6_BITS = 128;
    private static final int MAPPED_BITS = IPV6_BITS - IPV4_BITS;

    /**
     * Checks the length, and that all bits after it are 0.
     *
     * @throws RdmaException EINVAL if the length is out of range, or bits after it are not 0
     */
    public IpPrefix {
        checkLength(network, length);
        if (!network.equals(networkOf(network, length))) {
            throw new RdmaException(Errno.EINVAL, network + " has bits behind the first " + length);
        }
    }

    private static void checkLength(Gid address, int length) {
        int most = bits(address);
        if (length < 0 || length > most) {
            throw new RdmaException(
                    Errno.EINVAL, "prefix length " + length + " of " + address + " is not in 0.." + most);
        }
    }

    /**
     * {@return the prefix that contains an address}
     *
     * @param address any address; its bits after the prefix are cleared
     * @param length number of bits: 0..32 for IPv4, 0..128 for IPv6
     * @throws RdmaException EINVAL if the length is out of range
     */
    public static IpPrefix of(Gid address, int length) {
        checkLength(address, length);
        return new IpPrefix(networkOf(address, length), length);
    }

    /**
     * {@return the prefix of a single address}
     *
     * @param address any address
     */
    public static IpPrefix of(Gid address) {
        return new IpPrefix(address, bits(address));
    }

    /**
     * Parses {@code 10.0.0.0/8}, or an address alone.
     *
     * @param text an address, optionally followed by a slash and the length
     * @return the prefix
     * @throws RdmaException EINVAL for any other format
     */
    public static IpPrefix parse(String text) {
        int slash = text.indexOf('/');
        if (slash < 0) {
            return of(Gid.parse(text));
        }
        try {
            return new IpPrefix(Gid.parse(text.substring(0, slash)), Integer.parseInt(text.substring(slash + 1)));
        } catch (NumberFormatException e) {
            throw new RdmaException(Errno.EINVAL, "\"" + text + "\" is no prefix like 10.0.0.0/8", e);
        }
    }

    /** Returns the number of bits of an address: 32 for IPv4, 128 for IPv6. */
    static int bits(Gid address) {
        return address.isIpv4() ? IPV4_BITS : IPV6_BITS;
    }

    private static Gid networkOf(Gid address, int length) {
        int bits = totalBits(address.isIpv4(), length);
        return new Gid(address.prefix() & highMask(bits), address.interfaceId() & lowMask(bits));
    }

    private static int totalBits(boolean ipv4, int length) {
        return ipv4 ? MAPPED_BITS + length : length;
    }

    private static long highMask(int bits) {
        return bits == 0 ? 0 : bits >= Long.SIZE ? -1 : -1L << Long.SIZE - bits;
    }

    private static long lowMask(int bits) {
        return bits <= Long.SIZE ? 0 : -1L << IPV6_BITS - bits;
    }

    /**
     * {@return true if the prefix contains an address, given by its halves as in a {@link Gid}} Allocates nothing.
     *
     * @param prefix upper half, big-endian
     * @param interfaceId lower half, big-endian
     */
    public boolean contains(long prefix, long interfaceId) {
        boolean ipv4 = network.isIpv4();
        int bits = totalBits(ipv4, length);
        return ((prefix ^ network.prefix()) & highMask(bits)) == 0
                && ((interfaceId ^ network.interfaceId()) & lowMask(bits)) == 0
                && ipv4 == (prefix == 0 && interfaceId >>> 32 == 0xFFFF);
    }

    /**
     * {@return true if the prefix contains an address}
     *
     * @param address any address
     */
    public boolean contains(Gid address) {
        return contains(address.prefix(), address.interfaceId());
    }

    /** {@return the highest address, for IPv4 the broadcast address of the link ({@code ifa_broadcast})} */
    public Gid last() {
        int bits = totalBits(network.isIpv4(), length);
        return new Gid(network.prefix() | ~highMask(bits), network.interfaceId() | ~lowMask(bits));
    }

    /** {@return true if the prefix contains only one address} */
    public boolean isSingle() {
        return length == bits(network);
    }

    /** {@return the network's address in the format of IP tools, IPv4 in dotted decimals} */
    public String text() {
        return text(network);
    }

    static String text(Gid address) {
        return address.isIpv4() ? Ipv4.toString(address.ipv4()) : address.toString();
    }

    @Override
    public String toString() {
        return text() + "/" + length;
    }
}
