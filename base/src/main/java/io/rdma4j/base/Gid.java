// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A 128-bit global identifier of a port or a multicast group: a valid IPv6 address (IBA 4.1.1).
 *
 * <p>On RoCEv2 it is the IP address: an IPv6 address unchanged, an IPv4 address mapped to {@code ::ffff:a.b.c.d}.
 * Corresponds to {@code union ibv_gid}.
 *
 * @param prefix the first eight bytes, big-endian: the subnet prefix
 * @param interfaceId the last eight bytes, big-endian
 */
public record Gid(long prefix, long interfaceId) {
    /** All bytes zero: no GID. */
    public static final Gid ZERO = new Gid(0, 0);

    /** The prefix {@code fe80::/64} of link-local GIDs. */
    public static final long LINK_LOCAL_PREFIX = 0xFE80_0000_0000_0000L;

    /** Bytes of a GID. */
    public static final int BYTES = 16;

    private static final long IPV4_MAPPED = 0x0000_FFFFL << 32;

    /**
     * {@return the GID of an IPv4 or IPv6 address}
     *
     * @param address any address, also of another host; the scope is ignored
     */
    public static Gid of(InetAddress address) {
        byte[] bytes = address.getAddress();
        return bytes.length == 4 ? ofIpv4(ByteBuffer.wrap(bytes).getInt()) : ofBytes(bytes);
    }

    /**
     * {@return the GID {@code ::ffff:a.b.c.d} of an IPv4 address}
     *
     * @param address 32 bits in network order, {@code a} in the top byte
     */
    public static Gid ofIpv4(int address) {
        return new Gid(0, IPV4_MAPPED | Integer.toUnsignedLong(address));
    }

    /**
     * {@return the GID with these bytes}
     *
     * @param bytes the sixteen bytes in network order; not kept
     * @throws RdmaException EINVAL unless {@code bytes} has 16 bytes
     */
    public static Gid ofBytes(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new RdmaException(Errno.EINVAL, "a GID has 16 bytes, not " + bytes.length);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new Gid(buffer.getLong(), buffer.getLong());
    }

    /**
     * Parses 32 hexadecimal digits, the format in which the ping-pong programs send a GID over TCP.
     *
     * @param digits upper or lower case
     * @return the GID
     * @throws RdmaException EINVAL for invalid text
     */
    public static Gid ofHex(String digits) {
        if (digits.length() != 2 * BYTES || !digits.chars().allMatch(c -> Character.digit(c, 16) >= 0 && c < 128)) {
            throw new RdmaException(Errno.EINVAL, "\"" + digits + "\" is not a GID of 32 hexadecimal digits");
        }
        return new Gid(Long.parseUnsignedLong(digits, 0, 16, 16), Long.parseUnsignedLong(digits, 16, 32, 16));
    }

    /**
     * Parses an IP address, such as {@code fe80::1} or {@code 10.0.0.1}.
     *
     * @param text an IPv4 or IPv6 address
     * @return the GID; for an IPv4 address the mapped one
     * @throws RdmaException EINVAL for invalid text; host names are not resolved
     */
    public static Gid parse(String text) {
        try {
            return of(InetAddress.ofLiteral(text));
        } catch (IllegalArgumentException e) {
            throw new RdmaException(Errno.EINVAL, "\"" + text + "\" is not an IP address", e);
        }
    }

    /** {@return true for {@link #ZERO}} */
    public boolean isZero() {
        return prefix == 0 && interfaceId == 0;
    }

    /** {@return true for {@code ::ffff:a.b.c.d}: packets to this GID use IPv4} */
    public boolean isIpv4() {
        return prefix == 0 && (interfaceId >>> 32) == 0xFFFF;
    }

    /** {@return the IPv4 address in network order; meaningful only if {@link #isIpv4()}} */
    public int ipv4() {
        return (int) interfaceId;
    }

    /** {@return true for an IPv6 multicast address ({@code ff00::/8}) or a mapped IPv4 one (224.0.0.0/4)} */
    public boolean isMulticast() {
        return isIpv4() ? (ipv4() >>> 28) == 0xE : (prefix >>> 56) == 0xFF;
    }

    /** {@return the sixteen bytes in network order, in a new array} */
    public byte[] toBytes() {
        return ByteBuffer.allocate(BYTES).putLong(prefix).putLong(interfaceId).array();
    }

    /** {@return the IP address: {@link Inet4Address} for a mapped GID, otherwise {@link Inet6Address}} */
    public InetAddress toInetAddress() {
        try {
            return InetAddress.getByAddress(
                    isIpv4() ? ByteBuffer.allocate(4).putInt(ipv4()).array() : toBytes());
        } catch (UnknownHostException e) {
            throw new AssertionError("4 and 16 bytes are legal lengths", e);
        }
    }

    /** {@return the 32 digits of {@link #ofHex}, lower case} */
    public String toHex() {
        return String.format("%016x%016x", prefix, interfaceId);
    }

    /**
     * Same result as the record's default, but faster: messages are compared with the addresses of their connection.
     */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Gid(long otherPrefix, long otherId) && prefix == otherPrefix && interfaceId == otherId;
    }

    /**
     * {@return the text of {@code inet_ntop}: the longest run of at least two zero groups compressed, IPv4 in dots (RFC
     * 5952)}
     */
    @Override
    public String toString() {
        if (isIpv4()) {
            int a = ipv4();
            return "::ffff:" + (a >>> 24) + "." + ((a >>> 16) & 255) + "." + ((a >>> 8) & 255) + "." + (a & 255);
        }
        int[] groups = new int[8];
        for (int i = 0; i < 4; i++) {
            groups[i] = (int) (prefix >>> (48 - 16 * i)) & 0xFFFF;
            groups[i + 4] = (int) (interfaceId >>> (48 - 16 * i)) & 0xFFFF;
        }
        return compress(groups);
    }

    private static String compress(int[] groups) {
        int bestStart = -1;
        int bestLength = 1;
        for (int i = 0; i < groups.length; i++) {
            int length = 0;
            while (i + length < groups.length && groups[i + length] == 0) {
                length++;
            }
            if (length > bestLength) {
                bestStart = i;
                bestLength = length;
            }
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < groups.length; i++) {
            if (i == bestStart) {
                text.append("::");
                i += bestLength - 1;
                continue;
            }
            if (i > 0 && text.charAt(text.length() - 1) != ':') {
                text.append(':');
            }
            text.append(Integer.toHexString(groups[i]));
        }
        return text.toString();
    }
}
