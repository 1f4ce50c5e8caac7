package io.rdma4j.net.shm;

import io.rdma4j.base.Gid;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/**
 * The addresses of this machine. A datagram from one of them was sent here: Linux drops what comes from the network with such a source. For one
 * thread; allocates only when it reads the addresses.
 */
final class MachineAddresses {
    /** An address that was not there is looked for again after that time; so datagrams from the network do not cost more than one look. */
    static final long REREAD_NS = TimeUnit.SECONDS.toNanos(1);

    private static final long IPV4_MAPPED = 0xFFFF;
    private static final long IPV4_LOOPBACK = 127;
    private static final long IPV6_LOOPBACK = 1;

    /** First and second half of each address in turn; an IPv4 address is mapped into IPv6. */
    private long[] halves = {};

    private boolean read;
    private long readNs;

    /** True if a process of this machine may have this address. */
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

    /** False if the addresses were read a short time ago. */
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
            // This machine has no network but loopback.
            halves = new long[0];
        }
        return true;
    }

    private static LongStream halves(InetAddress address) {
        Gid gid = Gid.of(address);
        return Arrays.stream(new long[] {gid.prefix(), gid.interfaceId()});
    }
}
