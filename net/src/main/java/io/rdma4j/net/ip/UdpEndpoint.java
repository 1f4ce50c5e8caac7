package io.rdma4j.net.ip;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.FlowOwner;
import io.rdma4j.net.FlowQueue;
import io.rdma4j.net.NetDevice;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.Ipv4;
import io.rdma4j.wire.Udp;
import org.jspecify.annotations.Nullable;

/**
 * Sends and receives UDP datagrams from a port of this host ({@code struct udp_sock}), of both IP versions unless it is bound to an
 * address of one. Allocates nothing per datagram, but for the first to a new destination.
 */
public final class UdpEndpoint extends Endpoint implements FlowOwner {
    private static final int MAX_BYTES = 0xFFFF;
    private static final int NO_CHECKSUM = 0;
    private static final int NO_FIT = -1;

    private final UdpPorts ports;
    private final @Nullable Gid address;
    private final int port;
    private final FlowQueue flowQueue = new FlowQueue();
    private @Nullable NetDevice device;
    private @Nullable Gid peer;
    private int peerPort;
    private boolean gro;

    /** In the same bucket of the port table. */
    @Nullable
    UdpEndpoint next;

    UdpEndpoint(UdpPorts ports, @Nullable Gid address, int port, int receiveBytes) {
        super(receiveBytes);
        this.ports = ports;
        this.address = address;
        this.port = port;
    }

    /** {@return the address that it is bound to; null: any of this host} */
    public @Nullable Gid address() {
        return address;
    }

    /** {@return its port, 1..65535} */
    public int port() {
        return port;
    }

    /** The transmit queue of what is sent from here, unless the sender named another owner of its packets. */
    @Override
    public FlowQueue flowQueue() {
        return flowQueue;
    }

    /**
     * Sends only out of one device, and receives only from it ({@code SO_BINDTODEVICE}); null: any.
     *
     * @param only the device, or null
     */
    public void bindToDevice(@Nullable NetDevice only) {
        device = only;
    }

    /**
     * Takes datagrams of one sender that arrive together as one ({@code UDP_GRO}), if the device merges them; {@link #segmentBytes} says
     * where they are to be cut. At first, and for whoever does not ask, each comes alone. Those that wait already stay as they are.
     *
     * @param merged true to take them as one
     */
    public void gro(boolean merged) {
        if (merged != gro) {
            gro = merged;
            ports.countGro(merged ? 1 : -1);
        }
    }

    /** {@return true if it takes merged datagrams} */
    public boolean gro() {
        return gro;
    }

    /**
     * {@return payload bytes of each datagram in what was received here, the last one perhaps shorter; the length of a
     * datagram that is alone} What was merged lies in several buffers: {@link SkBuff#copyBits} finds it.
     *
     * @param received what was received here
     */
    public static int segmentBytes(SkBuff received) {
        return received.isGso() ? received.gsoSize() : received.len();
    }

    /**
     * Talks with one peer only ({@code connect}): {@link #send} goes there, others are not heard, and errors of the path are told.
     *
     * @param to address of the peer
     * @param toPort its port, 1..65535
     * @throws RdmaException EINVAL for a port out of 1..65535; ENETUNREACH and the like if no route leads there
     */
    public void connect(Gid to, int toPort) {
        if (toPort < 1 || toPort > MAX_BYTES) {
            throw new RdmaException(Errno.EINVAL, "UDP port " + toPort + " is not in 1..65535");
        }
        Errno error = ports.destinations().find(to, device).type().error();
        if (error != null) {
            throw new RdmaException(error, "no route to " + to);
        }
        peer = to;
        peerPort = toPort;
    }

    /** Talks with everybody again. */
    public void disconnect() {
        peer = null;
        peerPort = 0;
    }

    /**
     * {@return largest packet that the path to the peer is known to carry, bytes, IP header included ({@code IP_MTU});
     * 0 without a peer}
     *
     * @param clock of the host
     */
    public int pathMtu(NanoClock clock) {
        Gid to = peer;
        return to == null ? 0 : ports.destinations().find(to, device).mtu(clock.nanoTime());
    }

    /**
     * Sends a datagram to the peer.
     *
     * @param payload with {@link UdpPorts#HEADROOM} bytes of headroom; no longer the caller's
     * @return null if it is on its way; else the error that has happened before, or what keeps it from being sent
     */
    public @Nullable Errno send(SkBuff payload) {
        Gid to = peer;
        if (to == null) {
            payload.free();
            return Errno.EINVAL;
        }
        return sendTo(payload, to, peerPort);
    }

    /**
     * Sends a datagram to somebody.
     *
     * @param payload as for {@link #send}
     * @param to address of the receiver
     * @param toPort its port, 1..65535
     * @return as {@link #send}
     */
    public @Nullable Errno sendTo(SkBuff payload, Gid to, int toPort) {
        Errno error = takeError();
        if (error == null && payload.len() > MAX_BYTES - Udp.BYTES - Ipv4.BYTES) {
            error = Errno.EMSGSIZE;
        }
        Destination route = ports.destinations().find(to, device);
        if (error == null) {
            error = route.type().error();
        }
        Gid source = address == null ? ports.sources().select(route) : address;
        if (error == null && (source == null || source.isIpv4() != to.isIpv4())) {
            error = Errno.EADDRNOTAVAIL;
        }
        if (error != null || source == null) {
            payload.free();
            return error;
        }
        if (payload.owner() == null) {
            payload.owner(this);
        }
        int at = payload.push(Udp.BYTES);
        Udp.write(payload.memory(), at, port, toPort, payload.len());
        int sum = SendChecksum.of(payload, source, to, Ipv4.PROTOCOL_UDP);
        Udp.checksum(payload.memory(), at, sum == NO_CHECKSUM ? MAX_BYTES : sum);
        ports.counters().count(to.isIpv4(), SnmpCounter.UDP_OUT_DATAGRAMS);
        return ports.output().send(payload, route, source, Ipv4.PROTOCOL_UDP, options());
    }

    /**
     * {@return who sent a datagram that was received here} Allocates.
     *
     * @param datagram what was received here
     */
    public static Gid source(SkBuff datagram) {
        return IpPacket.source(datagram);
    }

    /**
     * {@return the port that a datagram which was received here was sent from}
     *
     * @param datagram what was received here
     */
    public static int sourcePort(SkBuff datagram) {
        return Udp.sourcePort(datagram.memory(), datagram.transportHeader());
    }

    /** How well a datagram, whose UDP header's place is known, fits; negative: not at all ({@code compute_score}). */
    @SuppressWarnings("ReferenceEquality") // a device is itself
    int score(SkBuff skb) {
        int score = 0;
        if (address != null) {
            if (!is(address, IpPacket.destinationPrefix(skb), IpPacket.destinationInterfaceId(skb))) {
                return NO_FIT;
            }
            score++;
        }
        if (device != null) {
            if (device != skb.device()) {
                return NO_FIT;
            }
            score++;
        }
        Gid to = peer;
        if (to != null) {
            if (Udp.sourcePort(skb.memory(), skb.transportHeader()) != peerPort
                    || !is(to, IpPacket.sourcePrefix(skb), IpPacket.sourceInterfaceId(skb))) {
                return NO_FIT;
            }
            score += 2;
        }
        return score;
    }

    /** An error about a datagram that was sent from here to somebody ({@code udp_err}); only who has a peer is told. */
    void onError(IcmpError error, long peerPrefix, long peerInterfaceId, int toPort) {
        Gid to = peer;
        boolean isOurs = to != null && toPort == peerPort && is(to, peerPrefix, peerInterfaceId);
        boolean isWanted = error == IcmpError.TOO_BIG ? options().mtuDiscover() != PmtuDiscovery.DONT : error.isFatal();
        if (isOurs && isWanted) {
            fail(error.errno());
        }
    }

    @Override
    public void close() {
        gro(false);
        ports.remove(this);
        discardAll();
    }
}
