// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import io.rdma4j.base.Gid;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/**
 * The IP addresses of this machine. A datagram with such a source address was sent on this machine, because Linux drops
 * datagrams from the network with a local source. For one thread. Allocates only when it reads the addresses.
 */
final class MachineAddresses {
    /**
     * Minimum time between two reads of the system's addresses, ns. It bounds the cost of datagrams with unknown
     * sources.
     */
    static final long REREAD_NS = TimeUnit.SECONDS.toNanos(1);

    private static final long IPV4_MAPPED = 0xFFFF;
    private static final long IPV4_LOOPBACK = 127;
    private static final long IPV6_LOOPBACK = 1;

    /** Upper and lower half of each address in turn. An IPv4 address is mapped into IPv6. */
    private long[] halves = {};

    private boolean read;
    private long readNs;

    /** Returns true if the address belongs to this machine. */
    boolean contains(long prefix, long interfaceId) {
        return isLoopback(prefix, interfaceId)
                || isKnown(prefix, interfaceId)
                || reread() && isKnown(prefix, interfaceId);
    }

    private static boolean isLoopback(long prefix, long interfaceId) {
        boolean isIpv4 = interfaceId >>> Integer.SIZE == IPV4_MAPPED;
        return prefix == 0 && (interfaceId == IPV6_LOOPBACK || isIpv4 && (interfaceId >>> 24 & 0xFF) == IPV4_LOOPBACK);
    }

    private boolean isKnown(long prefix, long interfaceId) {
        long[] all = halves;
        for (int i = 0; i < all.length; i += 2) {
            if (all[i + 1] == interfaceId && all[i] == prefix) {
                return true;
            }
        }
        return false;
    }

    /** Reads the addresses again; returns false if the last read was less than {@link #REREAD_NS} ago. */
    private boolean reread() {
        long nowNs = System.nanoTime();
        if (read && nowNs - readNs < REREAD_NS) {
            return false;
        }
        read = true;
        readNs = nowNs;
        try {
            halves = NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .flatMapToLong(MachineAddresses::halves)
                    .toArray();
        } catch (SocketException e) {
            // The machine has no network interface except loopback.
            halves = new long[0];
        }
        return true;
    }

    private static LongStream halves(InetAddress address) {
        Gid gid = Gid.of(address);
        return Arrays.stream(new long[] {gid.prefix(), gid.interfaceId()});
    }
}
