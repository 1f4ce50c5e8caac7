// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.udp;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.wire.ip.Udp;
import java.net.InetAddress;
import java.util.List;

/**
 * Configuration of a UDP underlay.
 *
 * @param name of the interface
 * @param ifindex of the interface, from 1
 * @param addresses local addresses, one socket each; not the wildcard, because packets carry them
 * @param port local UDP port, 0 lets the system choose
 * @param maxDatagramBytes largest UDP payload received; longer ones are dropped and counted
 * @param receiveBuffers maximum number of received packets that are not freed yet
 * @param sharedMemory whether packets to other processes of the same user on this machine bypass the sockets
 */
public record UdpUnderlaySettings(
        String name,
        int ifindex,
        List<InetAddress> addresses,
        int port,
        int maxDatagramBytes,
        int receiveBuffers,
        boolean sharedMemory) {
    /** Default of {@code maxDatagramBytes}: 4096 bytes of payload plus all headers of a RoCE packet. */
    public static final int DEFAULT_MAX_DATAGRAM_BYTES = 4096 + 128;

    /** Default of {@code receiveBuffers}; further packets wait in the receive buffer of the socket. */
    public static final int DEFAULT_RECEIVE_BUFFERS = 256;

    /** The largest payload of a UDP datagram over IPv4. */
    static final int LARGEST_DATAGRAM_BYTES = 65_507;

    /**
     * Checks the addresses and the numbers.
     *
     * @throws RdmaException EINVAL if the address is the wildcard or a group, or a number is out of bounds
     */
    public UdpUnderlaySettings {
        addresses = List.copyOf(addresses);
        if (addresses.isEmpty()) {
            throw new RdmaException(Errno.EINVAL, name + ": no address to bind");
        }
        for (InetAddress address : addresses) {
            if (address.isAnyLocalAddress() || address.isMulticastAddress()) {
                throw new RdmaException(
                        Errno.EINVAL, address.getHostAddress() + " is not one address of this host: name a single one");
            }
        }
        if (port < 0 || port > 0xFFFF) {
            throw new RdmaException(Errno.EINVAL, "UDP port " + port + " is not in 0..65535");
        }
        if (maxDatagramBytes < 1 || maxDatagramBytes > LARGEST_DATAGRAM_BYTES) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "datagrams of " + maxDatagramBytes + " bytes are not in 1.." + LARGEST_DATAGRAM_BYTES);
        }
        if (receiveBuffers < 1) {
            throw new RdmaException(Errno.EINVAL, "receiveBuffers " + receiveBuffers + " is less than 1");
        }
    }

    /**
     * {@return settings with the RoCEv2 port and buffers for a path MTU of 4096, without shared memory}
     *
     * @param name or a pattern, as {@code eth%d}
     * @param ifindex its number; 0 for the next that is free
     * @param addresses of this host, at least one
     */
    public static UdpUnderlaySettings of(String name, int ifindex, InetAddress... addresses) {
        return new UdpUnderlaySettings(
                name,
                ifindex,
                List.of(addresses),
                Udp.ROCE_V2_PORT,
                DEFAULT_MAX_DATAGRAM_BYTES,
                DEFAULT_RECEIVE_BUFFERS,
                false);
    }

    /**
     * {@return these settings with another port}
     *
     * @param other UDP port of the device and of its peers
     */
    public UdpUnderlaySettings withPort(int other) {
        return new UdpUnderlaySettings(name, ifindex, addresses, other, maxDatagramBytes, receiveBuffers, sharedMemory);
    }

    /**
     * {@return these settings with shared memory enabled or disabled}
     *
     * @param wanted true to enable it
     */
    public UdpUnderlaySettings withSharedMemory(boolean wanted) {
        return new UdpUnderlaySettings(name, ifindex, addresses, port, maxDatagramBytes, receiveBuffers, wanted);
    }
}
