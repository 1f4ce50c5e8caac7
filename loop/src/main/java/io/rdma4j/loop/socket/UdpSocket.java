// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop.socket;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.io.IOException;
import java.net.BindException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ProtocolFamily;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.util.Locale;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/**
 * Opens the socket of an underlay: bound, unconnected, non-blocking, don't-fragment.
 *
 * <p>On an unconnected don't-fragment socket, Linux sends IPv4 identification 0. The sender of a RoCE packet must know
 * this value because the CRC covers the field; on a connected socket the value increments. Observed with AF_PACKET on
 * the loopback of Linux 6.18: identification 0x0000, flags 0x4000 on every captured packet.
 */
public final class UdpSocket {
    private static final int MAX_PORT = 0xFFFF;
    private static final int WANTED_BUFFER_BYTES = 4 << 20;

    private UdpSocket() {}

    /**
     * @throws RdmaException EADDRINUSE, EADDRNOTAVAIL, EACCES if it cannot be bound, EAFNOSUPPORT without IPv6, EIO for
     *     any other failure
     */
    public static DatagramChannel open(InetAddress address, int port) {
        return open(address, port, true);
    }

    /**
     * Opens a socket for frames that may be longer than the path MTU: the system may fragment its packets.
     *
     * @throws RdmaException as {@link #open(InetAddress, int)}
     */
    public static DatagramChannel openFragmenting(InetAddress address, int port) {
        return open(address, port, false);
    }

    private static DatagramChannel open(InetAddress address, int port, boolean dontFragment) {
        @Nullable DatagramChannel channel = null;
        try {
            channel = DatagramChannel.open(family(address));
            channel.configureBlocking(false);
            if (dontFragment) {
                channel.setOption(ExtendedSocketOptions.IP_DONTFRAGMENT, true);
            }
            // The system may grant less; RoCE recovers from packets lost by a buffer overrun.
            channel.setOption(StandardSocketOptions.SO_RCVBUF, WANTED_BUFFER_BYTES);
            channel.setOption(StandardSocketOptions.SO_SNDBUF, WANTED_BUFFER_BYTES);
            return channel.bind(new InetSocketAddress(address, port));
        } catch (IOException | UnsupportedOperationException e) {
            closeQuietly(channel);
            throw refusal(address, port, e);
        }
    }

    /**
     * Opens a socket that receives packets sent to a group; other sockets of this host may receive them as well.
     *
     * @param group with the scope of the interface, if it is an IPv6 address
     * @throws RdmaException as {@link #open}; EIO if the interface cannot join the group
     */
    public static DatagramChannel openMulticast(InetAddress group, int port, NetworkInterface link) {
        @Nullable DatagramChannel channel = null;
        try {
            channel = DatagramChannel.open(family(group));
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            channel.setOption(StandardSocketOptions.SO_RCVBUF, WANTED_BUFFER_BYTES);
            channel.bind(new InetSocketAddress(group, port));
            channel.join(group, link);
            return channel;
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            closeQuietly(channel);
            throw refusal(group, port, e);
        }
    }

    /**
     * Sends multicast packets through {@code link} from now on, instead of the interface of the route to the group.
     *
     * @throws RdmaException EIO if the system cannot set the option
     */
    public static void multicastInterface(DatagramChannel channel, NetworkInterface link) {
        try {
            channel.setOption(StandardSocketOptions.IP_MULTICAST_IF, link);
        } catch (IOException e) {
            throw new RdmaException(Errno.EIO, "cannot send multicast through " + link.getName(), e);
        }
    }

    private static ProtocolFamily family(InetAddress address) {
        return address instanceof Inet6Address ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET;
    }

    /** Returns the buffer size that the system granted, bytes. */
    public static int granted(DatagramChannel channel, SocketOption<Integer> option) {
        try {
            return channel.getOption(option);
        } catch (IOException e) {
            throw new RdmaException(Errno.EIO, "cannot read " + option, e);
        }
    }

    /** Returns the port that the socket is bound to. */
    public static int port(DatagramChannel channel) {
        return channel.socket().getLocalPort();
    }

    public static void closeQuietly(@Nullable DatagramChannel channel) {
        if (channel == null) {
            return;
        }
        try {
            channel.close();
        } catch (IOException e) {
            // Delivery is not guaranteed, and no other cleanup is possible.
        }
    }

    /**
     * {@return an example value of {@code RDMA4J_DEVICES} for a device with this address and a port next to one that is
     * in use}
     *
     * @param address of the device
     * @param port that is in use, 16 bits
     */
    public static String withOtherPort(InetAddress address, int port) {
        String host = address.getHostAddress();
        int other = port == MAX_PORT ? port - 1 : port + 1;
        return "rxe0=udp:" + (address instanceof Inet6Address ? "[" + host + "]" : host) + ":" + other;
    }

    private static RdmaException refusal(InetAddress address, int port, Exception e) {
        if (e instanceof UnsupportedOperationException && address instanceof Inet6Address) {
            return new RdmaException(
                    Errno.EAFNOSUPPORT,
                    "this system or JVM has no IPv6, which " + address.getHostAddress() + " needs",
                    e);
        }
        String where = "UDP " + address.getHostAddress() + " port " + port;
        String reason = String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
        if (reason.contains("permission")) {
            return new RdmaException(Errno.EACCES, where + ": not permitted; ports below 1024 need privileges", e);
        }
        if (e instanceof BindException && reason.contains("assign")) {
            return new RdmaException(
                    Errno.EADDRNOTAVAIL, where + ": not an address of this host; choose one that it has", e);
        }
        if (e instanceof BindException) {
            return new RdmaException(
                    Errno.EADDRINUSE,
                    where
                            + " is in use by another process, such as the kernel's rdma_rxe or another program: use"
                            + " another port on all hosts, for example"
                            + " RDMA4J_DEVICES=" + withOtherPort(address, port),
                    e);
        }
        return new RdmaException(Errno.EIO, where + ": cannot open a socket: " + e.getMessage(), e);
    }
}
