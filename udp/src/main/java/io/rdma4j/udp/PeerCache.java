// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.udp;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Cache of peers' socket addresses, so that sending to a known peer allocates nothing.
 *
 * <p>Open addressing with a bounded probe sequence. If all probed slots are taken, a new entry replaces another one,
 * which is created again when needed. For one thread.
 */
final class PeerCache {
    private static final int PROBES = 8;
    private static final long IPV4_MAPPED = 0xFFFFL << 32;

    private final int scopeId;
    private final int mask;
    private final @Nullable InetSocketAddress[] peers;
    private final long[] prefixes;
    private final long[] interfaceIds;

    /**
     * @param capacity a power of two, at least {@link #PROBES}
     * @param scopeId of the local interface, for link-local addresses; 0 if it has none
     */
    PeerCache(int capacity, int scopeId) {
        this.scopeId = scopeId;
        this.mask = capacity - 1;
        this.peers = new InetSocketAddress[capacity];
        this.prefixes = new long[capacity];
        this.interfaceIds = new long[capacity];
    }

    /** Returns the peer at an IPv4 address; the first byte of the address is the most significant one. */
    InetSocketAddress ipv4(int address, int port) {
        return peer(0, IPV4_MAPPED | Integer.toUnsignedLong(address), port);
    }

    /** Returns the peer at an IPv6 address. */
    InetSocketAddress ipv6(long prefix, long interfaceId, int port) {
        return peer(prefix, interfaceId, port);
    }

    private InetSocketAddress peer(long prefix, long interfaceId, int port) {
        int home = hash(prefix, interfaceId, port);
        int place = home;
        for (int i = 0; i < PROBES; i++) {
            int at = (home + i) & mask;
            InetSocketAddress peer = peers[at];
            if (peer == null) {
                place = at;
                break;
            }
            if (prefixes[at] == prefix && interfaceIds[at] == interfaceId && peer.getPort() == port) {
                return peer;
            }
        }
        InetSocketAddress peer = create(prefix, interfaceId, port);
        peers[place] = peer;
        prefixes[place] = prefix;
        interfaceIds[place] = interfaceId;
        return peer;
    }

    private int hash(long prefix, long interfaceId, int port) {
        long mixed = (prefix * 31 + interfaceId) * 31 + port;
        // Fibonacci hashing: the upper bits of the product depend on all bits below.
        return (int) ((mixed * 0x9E37_79B9_7F4A_7C15L) >>> 40) & mask;
    }

    private InetSocketAddress create(long prefix, long interfaceId, int port) {
        try {
            if (prefix == 0 && interfaceId >>> 32 == 0xFFFF) {
                byte[] bytes = ByteBuffer.allocate(4).putInt((int) interfaceId).array();
                return new InetSocketAddress(InetAddress.getByAddress(bytes), port);
            }
            byte[] bytes =
                    ByteBuffer.allocate(16).putLong(prefix).putLong(interfaceId).array();
            boolean linkLocal = prefix >>> 54 == 0xFE80 >>> 6;
            return new InetSocketAddress(Inet6Address.getByAddress(null, bytes, linkLocal ? scopeId : 0), port);
        } catch (UnknownHostException e) {
            throw new AssertionError("4 and 16 bytes are legal lengths", e);
        }
    }
}
