// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.udp;

import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.linux.call.Kernel;
import io.rdma4j.linux.call.Libc;
import io.rdma4j.linux.call.LinuxError;
import io.rdma4j.linux.call.MessageBatch;
import io.rdma4j.linux.call.SocketBuffers;
import io.rdma4j.loop.socket.UdpSocket;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * A UDP socket of Linux ({@code udp(7)}): bound, unconnected, non-blocking. It sets don't-fragment, so Linux sends
 * identification 0 in IPv4. It accepts IPv6 datagrams without checksum, as Linux's own RoCE device sends them. For one
 * thread at a time.
 */
final class NativeUdpSocket implements AutoCloseable {
    static final int SOL_UDP = 17;
    /** Type of the ancillary data of a sent message: bytes of each datagram except the last, 16 bits. */
    static final int UDP_SEGMENT = 103;

    static final int UDP_GRO = 104;
    private static final int UDP_NO_CHECK6_RX = 102;

    private static final int SOL_SOCKET = 1;
    private static final int SO_REUSEADDR = 2;
    private static final int SO_SNDBUF = 7;
    private static final int SO_RCVBUF = 8;
    private static final int IPPROTO_IP = 0;
    private static final int IP_MTU_DISCOVER = 10;
    private static final int IP_MULTICAST_IF = 32;
    private static final int IP_ADD_MEMBERSHIP = 35;
    private static final int IPPROTO_IPV6 = 41;
    private static final int IPV6_MULTICAST_IF = 17;
    private static final int IPV6_ADD_MEMBERSHIP = 20;
    private static final int IPV6_MTU_DISCOVER = 23;
    private static final int PMTUDISC_DO = 2;
    private static final int WANTED_BUFFER_BYTES = 4 << 20;

    /** {@code struct ip_mreqn}: group, own address, index; and {@code struct ipv6_mreq}: group, index. */
    private static final int MREQN_BYTES = 12;

    private static final int MREQN_INDEX = 8;
    private static final int MREQ6_BYTES = 20;
    private static final int MREQ6_INDEX = 16;

    private static final ValueLayout.OfInt NETWORK_INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong NETWORK_LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final Libc libc = new Libc();
    private final Arena arena = Arena.ofAuto();
    private final Gid local;
    private final int fd;
    private final int port;

    private NativeUdpSocket(Gid local, int port, int scopeId, boolean isGroup) {
        this.local = local;
        int family = local.isIpv4() ? SocketAddress.AF_INET : SocketAddress.AF_INET6;
        int result = libc.socket(family, Kernel.SOCK_DGRAM | Kernel.NONBLOCK | Kernel.CLOEXEC, 0);
        if (result < 0) {
            throw refusal(result, port);
        }
        this.fd = result;
        try {
            if (local.isIpv4()) {
                require(IPPROTO_IP, IP_MTU_DISCOVER, "IP_MTU_DISCOVER", number(PMTUDISC_DO));
            } else {
                require(IPPROTO_IPV6, IPV6_MTU_DISCOVER, "IPV6_MTU_DISCOVER", number(PMTUDISC_DO));
                set(SOL_UDP, UDP_NO_CHECK6_RX, number(1));
            }
            if (isGroup) {
                require(SOL_SOCKET, SO_REUSEADDR, "SO_REUSEADDR", number(1));
            }
            SocketBuffers.enlarge(libc, fd, WANTED_BUFFER_BYTES);
            this.port = bind(port, scopeId);
        } catch (RuntimeException e) {
            libc.close(fd);
            throw e;
        }
    }

    /**
     * Opens and binds a socket.
     *
     * @param port 0 selects a free port
     * @param scopeId index of the interface, for link-local addresses and multicast; 0 if it is not known
     * @throws RdmaException EADDRINUSE, EADDRNOTAVAIL, EACCES if it cannot be bound, EAFNOSUPPORT without IPv6
     */
    static NativeUdpSocket open(Gid local, int port, int scopeId) {
        NativeUdpSocket socket = new NativeUdpSocket(local, port, scopeId, false);
        if (scopeId != 0) {
            socket.multicastInterface(scopeId);
        }
        return socket;
    }

    /**
     * Opens a socket that joins a multicast group. Several sockets of this machine may join the same group.
     *
     * @param interfaceIndex of the interface that joins
     * @throws RdmaException as {@link #open}; ENODEV, EADDRNOTAVAIL if the interface cannot join it
     */
    static NativeUdpSocket join(Gid group, int port, int interfaceIndex) {
        NativeUdpSocket socket = new NativeUdpSocket(group, port, interfaceIndex, true);
        try {
            socket.join(interfaceIndex);
            return socket;
        } catch (RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    private MemorySegment number(int value) {
        MemorySegment number = arena.allocate(ValueLayout.JAVA_INT);
        number.set(ValueLayout.JAVA_INT, 0, value);
        return number;
    }

    private int set(int level, int option, MemorySegment value) {
        return libc.setsockopt(fd, level, option, value);
    }

    private void require(int level, int option, String name, MemorySegment value) {
        LinuxError.check(set(level, option, value), "UDP " + local, name, "this Linux has it not");
    }

    private int bind(int wanted, int scopeId) {
        MemorySegment address = arena.allocate(SocketAddress.bytes(local.isIpv4()), Long.BYTES);
        SocketAddress.write(address, local, wanted, scopeId);
        int result = libc.bind(fd, address);
        if (result < 0) {
            throw refusal(result, wanted);
        }
        libc.getsockname(fd, address, number((int) address.byteSize()));
        return SocketAddress.port(address, 0);
    }

    private RdmaException refusal(int result, int wanted) {
        String advice = switch (result) {
            case LinuxError.EADDRINUSE ->
                "in use by another process, such as the kernel's rdma_rxe or another program: use another port on all"
                        + " hosts, for example RDMA4J_DEVICES="
                        + UdpSocket.withOtherPort(local.toInetAddress(), wanted);
            case LinuxError.EADDRNOTAVAIL -> "not an address of this host; choose one that it has";
            case LinuxError.EACCES -> "ports below 1024 need privileges";
            default -> "cannot open a socket";
        };
        return LinuxError.of(result, "UDP " + local + " port " + wanted, "bind", advice);
    }

    /** Sends multicast packets through this interface; by default the system would use its route to the group. */
    private void multicastInterface(int interfaceIndex) {
        if (local.isIpv4()) {
            MemorySegment request = arena.allocate(MREQN_BYTES, Integer.BYTES);
            request.set(ValueLayout.JAVA_INT, MREQN_INDEX, interfaceIndex);
            require(IPPROTO_IP, IP_MULTICAST_IF, "IP_MULTICAST_IF", request);
        } else {
            require(IPPROTO_IPV6, IPV6_MULTICAST_IF, "IPV6_MULTICAST_IF", number(interfaceIndex));
        }
    }

    private void join(int interfaceIndex) {
        if (local.isIpv4()) {
            MemorySegment request = arena.allocate(MREQN_BYTES, Integer.BYTES);
            request.set(NETWORK_INT, 0, local.ipv4());
            request.set(ValueLayout.JAVA_INT, MREQN_INDEX, interfaceIndex);
            require(IPPROTO_IP, IP_ADD_MEMBERSHIP, "IP_ADD_MEMBERSHIP", request);
        } else {
            MemorySegment request = arena.allocate(MREQ6_BYTES, Integer.BYTES);
            request.set(NETWORK_LONG, 0, local.prefix());
            request.set(NETWORK_LONG, Long.BYTES, local.interfaceId());
            request.set(ValueLayout.JAVA_INT, MREQ6_INDEX, interfaceIndex);
            require(IPPROTO_IPV6, IPV6_ADD_MEMBERSHIP, "IPV6_ADD_MEMBERSHIP", request);
        }
    }

    /**
     * Enables {@code UDP_GRO}: Linux delivers consecutive datagrams of one size as one message. Returns false if Linux
     * does not support it.
     */
    boolean receiveTrains() {
        return set(SOL_UDP, UDP_GRO, number(1)) >= 0;
    }

    Gid local() {
        return local;
    }

    int port() {
        return port;
    }

    int descriptor() {
        return fd;
    }

    /** Returns the size of the receive buffer that the system has granted, bytes. */
    int receiveBufferBytes() {
        return get(SO_RCVBUF);
    }

    /** Returns the size of the send buffer that the system has granted, bytes. */
    int sendBufferBytes() {
        return get(SO_SNDBUF);
    }

    private int get(int option) {
        MemorySegment value = number(0);
        libc.getsockopt(fd, SOL_SOCKET, option, value, number(Integer.BYTES));
        return value.get(ValueLayout.JAVA_INT, 0);
    }

    /** Sends a message; returns the bytes sent, or a negative error number. */
    long send(OutgoingMessage message) {
        return libc.sendmsg(fd, message.memory(), 0);
    }

    /** Receives up to {@code most} messages; returns their number, or -1. */
    int receive(MessageBatch batch, int most) {
        return Libc.recvmmsg(fd, batch.messages(), most, 0);
    }

    @Override
    public void close() {
        libc.close(fd);
    }
}
