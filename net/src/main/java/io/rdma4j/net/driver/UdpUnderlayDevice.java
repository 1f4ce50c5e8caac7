package io.rdma4j.net.driver;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceFeature;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.wire.Ipv4;
import io.rdma4j.wire.Ipv6;
import io.rdma4j.wire.Udp;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Carries UDP-in-IP packets over a plain UDP socket of the operating system: portable, without privileges.
 *
 * <p>Out, the IP and UDP headers come off and the payload goes to the address and port that they name; in, headers as
 * {@link SyntheticHeader} makes them go in front. So everybody above sees IP packets. The price: all packets leave from
 * the port of the socket ({@link #udpSourcePort}) with the system's time to live and traffic class, and the IPv4
 * identification of a received packet is hidden.
 *
 * <p>Allocates nothing in steady state, except that the JDK makes an address object whenever a packet comes from another
 * peer than the one before.
 */
public final class UdpUnderlayDevice implements NetDeviceOps {
    private static final int RECEIVE_HEADROOM = 64;
    private static final int KNOWN_PEERS = 1024;

    /** How many packets that are too long one poll skips. */
    private static final int SKIPS_PER_POLL = 16;

    private final DatagramChannel channel;
    private final Selector selector;
    private final Gid local;
    private final int port;
    private final int maxDatagramBytes;
    private final PeerCache peers;
    private final SyntheticHeader header;
    private final SkBuffPool pool;
    private final NetDevice netDevice;

    private UdpUnderlayDevice(
            UdpUnderlaySettings settings, DatagramChannel channel, Selector selector, InetSocketAddress bound) {
        LocalInterface link = LocalInterface.of(settings.address());
        this.channel = channel;
        this.selector = selector;
        this.local = Gid.of(settings.address());
        this.port = bound.getPort();
        this.maxDatagramBytes = settings.maxDatagramBytes();
        this.peers = new PeerCache(KNOWN_PEERS, link.scopeId());
        this.header = new SyntheticHeader(local, port);
        this.pool = new SkBuffPool(settings.receiveBuffers(), RECEIVE_HEADROOM + maxDatagramBytes + 1);
        NetDeviceSetup setup = new NetDeviceSetup(
                settings.name(),
                settings.ifindex(),
                link.mtu(),
                link.macAddress(),
                List.of(local),
                EnumSet.of(NetDeviceFeature.HIDDEN_IDENTIFICATION));
        this.netDevice = new NetDevice(setup, this);
    }

    /**
     * Binds the socket and makes the interface, down. {@link NetDevice#unregister} closes it.
     *
     * @throws RdmaException EADDRINUSE if the port is taken, EADDRNOTAVAIL if the address is not this host's, EACCES for a
     *     port that needs privileges, EIO for any other refusal of the system
     */
    public static UdpUnderlayDevice open(UdpUnderlaySettings settings) {
        DatagramChannel channel = UdpSocket.open(settings.address(), settings.port());
        try {
            Selector selector = channel.provider().openSelector();
            channel.register(selector, SelectionKey.OP_READ);
            return new UdpUnderlayDevice(settings, channel, selector, (InetSocketAddress) channel.getLocalAddress());
        } catch (IOException e) {
            UdpSocket.closeQuietly(channel);
            throw new RdmaException(Errno.EIO, settings.name() + ": cannot watch its socket: " + e.getMessage(), e);
        }
    }

    /** The interface over this socket. */
    public NetDevice netDevice() {
        return netDevice;
    }

    /** Bytes that the system granted for the receive buffer. */
    public int receiveBufferBytes() {
        return granted(StandardSocketOptions.SO_RCVBUF);
    }

    /** Bytes that the system granted for the send buffer. */
    public int sendBufferBytes() {
        return granted(StandardSocketOptions.SO_SNDBUF);
    }

    private int granted(SocketOption<Integer> option) {
        return UdpSocket.granted(channel, option);
    }

    @Override
    public int udpSourcePort() {
        return port;
    }

    @Override
    public NetdevTx startXmit(SkBuff skb, NetDevice device) {
        int headerBytes = (local.isIpv4() ? Ipv4.BYTES : Ipv6.BYTES) + Udp.BYTES;
        if (skb.len() < headerBytes || Ipv4.version(skb.memory(), skb.data()) != (local.isIpv4() ? 4 : 6)) {
            return refuse(skb, device);
        }
        ByteBuffer bytes = skb.bytes();
        bytes.clear().position(skb.data() + headerBytes).limit(skb.tail());
        int payload = bytes.remaining();
        try {
            // An empty datagram sends 0 bytes as well: only for the others does 0 mean that the buffer is full.
            if (channel.send(bytes, destination(skb, headerBytes)) == 0 && payload > 0) {
                return NetdevTx.BUSY;
            }
        } catch (IOException | IllegalArgumentException e) {
            // Unreachable, too long for the link, closed: the sender's timers see to it.
            return refuse(skb, device);
        }
        device.stats().countTransmitted(1, skb.len());
        skb.free();
        return NetdevTx.OK;
    }

    private static NetdevTx refuse(SkBuff skb, NetDevice device) {
        device.stats().countTransmitError();
        skb.free();
        return NetdevTx.OK;
    }

    private InetSocketAddress destination(SkBuff skb, int headerBytes) {
        MemorySegment memory = skb.memory();
        int at = skb.data();
        int peerPort = Udp.destinationPort(memory, at + headerBytes - (long) Udp.BYTES);
        return local.isIpv4()
                ? peers.ipv4(Ipv4.destination(memory, at), peerPort)
                : peers.ipv6(Ipv6.destinationPrefix(memory, at), Ipv6.destinationInterfaceId(memory, at), peerPort);
    }

    @Override
    public @Nullable SkBuff pollReceive(NetDevice device) {
        for (int i = 0; i < SKIPS_PER_POLL; i++) {
            SkBuff skb = pool.allocate();
            if (skb == null) {
                // Consumers are behind: packets wait in the socket's buffer.
                return null;
            }
            int length = receive(skb, device);
            if (length <= maxDatagramBytes) {
                return length < 0 ? null : skb;
            }
            device.stats().countReceiveError();
            skb.free();
        }
        return null;
    }

    /** Receives into an empty buffer; returns the bytes of the payload. If negative, there was none: the buffer is free. */
    private int receive(SkBuff skb, NetDevice device) {
        ByteBuffer bytes = skb.bytes();
        // One byte more than is allowed: what fills it was longer, and the channel has cut it silently.
        bytes.clear().position(RECEIVE_HEADROOM).limit(RECEIVE_HEADROOM + maxDatagramBytes + 1);
        SocketAddress source = null;
        try {
            source = channel.receive(bytes);
        } catch (IOException e) {
            // Some systems report here that an earlier packet met no listener (PortUnreachableException).
            device.stats().countReceiveError();
        }
        if (source == null) {
            skb.free();
            return -1;
        }
        int length = bytes.position() - RECEIVE_HEADROOM;
        skb.reserve(RECEIVE_HEADROOM);
        skb.put(length);
        header.push(skb, (InetSocketAddress) source);
        return length;
    }

    /** Rounds the time up to milliseconds, which is what a selector knows. */
    @Override
    public void awaitReadable(long timeoutNs) {
        try {
            if (timeoutNs > 0) {
                selector.select(_ -> {}, timeoutNs / 1_000_000 + 1);
            }
        } catch (IOException | ClosedSelectorException e) {
            // Closed meanwhile; who calls this finds out when it looks at the device.
        }
    }

    @Override
    public void wakeup() {
        selector.wakeup();
    }

    @Override
    public void uninit(NetDevice device) {
        try {
            selector.close();
        } catch (IOException e) {
            // The selector holds nothing that closing the channel would not release.
        }
        UdpSocket.closeQuietly(channel);
        pool.close();
    }
}
