// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.udp;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import org.jspecify.annotations.Nullable;

/**
 * Attributes of the operating system's interface that has a given address.
 *
 * @param mtu bytes
 * @param macAddress 48 bits, 0 if it has none
 * @param scopeId for link-local IPv6 addresses, 0 if there is none
 * @param index of the interface, 0 if it is not known
 */
record LocalInterface(int mtu, long macAddress, int scopeId, int index) {
    /** MTU of Ethernet, used if the system does not report one. */
    private static final int DEFAULT_MTU = 1500;

    /**
     * {@return the interface that has an address, with default values if the system reports none}
     *
     * @param address of this host
     */
    static LocalInterface of(InetAddress address) {
        int scopeId = address instanceof Inet6Address ipv6 ? ipv6.getScopeId() : 0;
        try {
            NetworkInterface found = find(address);
            if (found == null) {
                return new LocalInterface(DEFAULT_MTU, 0, scopeId, 0);
            }
            return new LocalInterface(
                    found.getMTU(),
                    mac(found.getHardwareAddress()),
                    scopeId != 0 ? scopeId : found.getIndex(),
                    found.getIndex());
        } catch (SocketException e) {
            return new LocalInterface(DEFAULT_MTU, 0, scopeId, 0);
        }
    }

    /**
     * {@return the interface that has an address; null if there is none} All of 127.0.0.0/8 belongs to the loopback
     * interface, although the system lists only 127.0.0.1 there.
     *
     * @param address any
     * @throws SocketException if the system cannot list its interfaces
     */
    static @Nullable NetworkInterface find(InetAddress address) throws SocketException {
        NetworkInterface named = NetworkInterface.getByInetAddress(address);
        if (named != null || !address.isLoopbackAddress()) {
            return named;
        }
        for (NetworkInterface candidate : (Iterable<NetworkInterface>) NetworkInterface.networkInterfaces()::iterator) {
            if (candidate.isLoopback()) {
                return candidate;
            }
        }
        return null;
    }

    private static long mac(byte @Nullable [] bytes) {
        long mac = 0;
        if (bytes != null && bytes.length == 6) {
            for (byte b : bytes) {
                mac = mac << 8 | (b & 0xFF);
            }
        }
        return mac;
    }
}
