// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.state;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.Arguments;
import io.rdma4j.verbs.local.ServedDevice;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds devices by their address, and the local address by the routing table of the operating system
 * ({@code cma_acquire_dev}). Any thread.
 */
public final class DeviceRoutes {
    /** The UDP port that a socket is connected to in order to look up a route; no packet is sent. */
    private static final int DISCARD = 9;

    private DeviceRoutes() {}

    /**
     * The local address of packets to a peer.
     *
     * @throws RdmaException ENETUNREACH if there is no route
     */
    public static InetAddress sourceTo(InetAddress peer) {
        Arguments.present("peer", peer);
        StandardProtocolFamily family =
                peer instanceof Inet4Address ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6;
        try (DatagramChannel channel = DatagramChannel.open(family)) {
            channel.connect(new InetSocketAddress(peer, DISCARD));
            return ((InetSocketAddress) channel.getLocalAddress()).getAddress();
        } catch (IOException | UnsupportedOperationException e) {
            throw new RdmaException(
                    Errno.ENETUNREACH,
                    "this machine has no route to " + peer.getHostAddress() + ": " + e.getMessage(),
                    e);
        }
    }

    /**
     * The first device that has an address. For a loopback address that no device has, the first device with any
     * loopback address.
     *
     * @throws RdmaException ENODEV if no device matches
     */
    public static <D extends ServedDevice> D withAddress(List<D> devices, InetAddress local) {
        Arguments.present("local", local);
        for (D device : devices) {
            if (addresses(device).anyMatch(local::equals)) {
                return device;
            }
        }
        if (local.isLoopbackAddress()) {
            for (D device : devices) {
                if (addresses(device).anyMatch(InetAddress::isLoopbackAddress)) {
                    return device;
                }
            }
        }
        String known = devices.stream()
                .map(device -> device.name() + " "
                        + addresses(device).map(InetAddress::getHostAddress).toList())
                .collect(Collectors.joining(", "));
        throw new RdmaException(
                Errno.ENODEV,
                "no device has the address " + local.getHostAddress() + "; there "
                        + (devices.isEmpty() ? "are none" : "is " + known));
    }

    private static Stream<InetAddress> addresses(ServedDevice device) {
        return device.endpoints().stream().map(InetSocketAddress::getAddress);
    }
}
