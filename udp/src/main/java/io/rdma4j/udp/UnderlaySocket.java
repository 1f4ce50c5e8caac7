// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.udp;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.loop.socket.SocketWatch;
import io.rdma4j.loop.socket.UdpSocket;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Udp;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import org.jspecify.annotations.Nullable;

/**
 * Socket of one local address of a UDP underlay, or of one joined group. Removes and adds the headers. Only the owner
 * of the loop calls it.
 */
final class UnderlaySocket {
    /** Bytes reserved in front of a received payload for its headers. */
    static final int HEADROOM = 64;

    /** No datagram has arrived. */
    static final int NONE = -1;

    private static final int KNOWN_PEERS = 256;

    private final DatagramChannel channel;
    private final Gid local;
    private final int port;
    private final PeerCache peers;
    private final SyntheticHeader header;

    private UnderlaySocket(DatagramChannel channel, InetAddress address, int port, int scopeId) {
        this.channel = channel;
        this.local = Gid.of(address);
        this.port = port;
        this.peers = new PeerCache(KNOWN_PEERS, scopeId);
        this.header = new SyntheticHeader(local, port);
    }

    /**
     * Binds the socket; throws as {@link UdpSocket#open}.
     *
     * @param scopeId of the interface, for link-local peers
     */
    static UnderlaySocket open(InetAddress address, int port, int scopeId) {
        DatagramChannel channel = UdpSocket.open(address, port);
        return new UnderlaySocket(channel, address, UdpSocket.port(channel), scopeId);
    }

    /**
     * Joins a group: this socket receives packets sent to the group and sends none. Throws as
     * {@link UdpSocket#openMulticast}.
     *
     * @param link the interface that joins
     */
    static UnderlaySocket join(Gid group, int port, NetworkInterface link) {
        InetAddress address = group.toInetAddress();
        if (!address.isMulticastAddress()) {
            throw new RdmaException(Errno.EINVAL, group + " is no multicast group: 224.0.0.0/4 and ff00::/8 are");
        }
        if (address instanceof Inet6Address) {
            try {
                address = Inet6Address.getByAddress(null, group.toBytes(), link);
            } catch (UnknownHostException e) {
                throw new RdmaException(
                        Errno.EADDRNOTAVAIL, link.getName() + " has no IPv6 address to join " + group, e);
            }
        }
        return new UnderlaySocket(UdpSocket.openMulticast(address, port, link), address, port, link.getIndex());
    }

    void watch(SocketWatch watch) throws IOException {
        watch.add(channel, SelectionKey.OP_READ);
    }

    Gid local() {
        return local;
    }

    int port() {
        return port;
    }

    DatagramChannel channel() {
        return channel;
    }

    /** True if this address is the source of a packet that starts with its IP header. */
    boolean isSourceOf(SkBuff skb) {
        return header.isSourceOf(skb);
    }

    /**
     * Sends the payload of a packet to the destination in its headers.
     *
     * @return BUSY if the socket's buffer is full, with nothing changed
     * @throws IOException if the destination cannot be reached, or the payload is too long for the link
     */
    NetdevTx send(SkBuff skb) throws IOException {
        ByteBuffer bytes = skb.bytes();
        bytes.clear().position(skb.data() + header.bytes()).limit(skb.tail());
        int payload = bytes.remaining();
        // An empty datagram also returns 0; only for a non-empty one does 0 mean that the buffer is full.
        return channel.send(bytes, destination(skb)) == 0 && payload > 0 ? NetdevTx.BUSY : NetdevTx.OK;
    }

    private InetSocketAddress destination(SkBuff skb) {
        MemorySegment memory = skb.memory();
        int at = skb.data();
        int peerPort = Udp.destinationPort(memory, at + header.bytes() - (long) Udp.BYTES);
        return local.isIpv4()
                ? peers.ipv4(Ipv4.destination(memory, at), peerPort)
                : peers.ipv6(Ipv6.destinationPrefix(memory, at), Ipv6.destinationInterfaceId(memory, at), peerPort);
    }

    /**
     * Receives into an empty buffer and prepends headers to the payload.
     *
     * @param maxBytes largest payload that is expected; one byte more is read, because the channel silently truncates
     *     longer ones
     * @return bytes of the payload, {@link #NONE} if there was none; if more than {@code maxBytes}, the buffer is still
     *     empty
     */
    int receive(SkBuff skb, int maxBytes, NetDevice device) {
        ByteBuffer bytes = skb.bytes();
        bytes.clear().position(HEADROOM).limit(HEADROOM + maxBytes + 1);
        SocketAddress source = receive(bytes, device);
        if (source == null) {
            return NONE;
        }
        int length = bytes.position() - HEADROOM;
        if (length <= maxBytes) {
            skb.reserve(HEADROOM);
            skb.put(length);
            header.push(skb, (InetSocketAddress) source);
        }
        return length;
    }

    private @Nullable SocketAddress receive(ByteBuffer bytes, NetDevice device) {
        try {
            return channel.receive(bytes);
        } catch (IOException e) {
            // Some systems report here that an earlier packet was sent to a port without listener
            // (PortUnreachableException).
            device.stats().countReceiveError();
            return null;
        }
    }

    void close() {
        UdpSocket.closeQuietly(channel);
    }
}
