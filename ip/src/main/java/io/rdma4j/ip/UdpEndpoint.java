// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.transmit.FlowOwner;
import io.rdma4j.net.transmit.FlowQueue;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Udp;
import org.jspecify.annotations.Nullable;

/**
 * Sends and receives UDP datagrams from a port of this host ({@code struct udp_sock}). It handles both IP versions,
 * unless it is bound to an address. Allocates nothing per datagram, except for the first one to a new destination.
 * Belongs to the owner of the stack's loop.
 */
public final class UdpEndpoint extends IpEndpoint implements FlowOwner {
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

    /** Next endpoint in the same bucket of the port table. */
    @Nullable
    UdpEndpoint next;

    UdpEndpoint(UdpPorts ports, @Nullable Gid address, int port, int receiveBytes) {
        super(receiveBytes);
        this.ports = ports;
        this.address = address;
        this.port = port;
    }

    /** {@return the address to which it is bound; null for any address of this host} */
    public @Nullable Gid address() {
        return address;
    }

    /** {@return its port, 1..65535} */
    public int port() {
        return port;
    }

    /** {@return the flow queue of packets that are sent from here, unless their sender sets another owner} */
    @Override
    public FlowQueue flowQueue() {
        return flowQueue;
    }

    /**
     * Binds the endpoint to one device: it sends and receives only through that ({@code SO_BINDTODEVICE}).
     *
     * @param only the device, or null for any
     */
    public void bindToDevice(@Nullable NetDevice only) {
        device = only;
    }

    /**
     * Makes the endpoint accept datagrams of one sender that the device has merged into one buffer ({@code UDP_GRO}).
     * {@link #segmentBytes} returns where to split them. The default is false. Datagrams that wait already are not
     * changed.
     *
     * @param merged true to accept merged datagrams
     */
    public void gro(boolean merged) {
        if (merged != gro) {
            gro = merged;
            ports.countGro(merged ? 1 : -1);
        }
    }

    /** {@return true if the endpoint accepts merged datagrams} */
    public boolean gro() {
        return gro;
    }

    /**
     * {@return payload bytes of each datagram in a received buffer; the last datagram may be shorter} For a single
     * datagram this is its length. Merged datagrams have several fragments: {@link SkBuff#copyBits} reads them.
     *
     * @param received packet that was received here
     */
    public static int segmentBytes(SkBuff received) {
        return received.shinfo().isGso() ? received.shinfo().gsoSize() : received.len();
    }

    /**
     * Sets the peer ({@code connect}): {@link #send} sends to it, datagrams of other stations are not received, and
     * errors of the path are reported.
     *
     * @param to address of the peer
     * @param toPort port of the peer, 1..65535
     * @throws RdmaException EINVAL for a port out of 1..65535; the error of the route, such as ENETUNREACH, if there is
     *     none
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

    /** Removes the peer. */
    public void disconnect() {
        peer = null;
        peerPort = 0;
    }

    /**
     * {@return known path MTU to the peer, bytes with the IP header ({@code IP_MTU}); 0 without a peer}
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
     * @return null if it was passed on; else EINVAL without a peer, or an error as in {@link #sendTo}
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
     * Sends a datagram to an address.
     *
     * @param payload with {@link UdpPorts#HEADROOM} bytes of headroom; no longer the caller's
     * @param to address of the receiver
     * @param toPort port of the receiver, 1..65535
     * @return null if it was passed on; else a pending error, or the error of this datagram: that of the route,
     *     EMSGSIZE, EADDRNOTAVAIL without a source address, or EPERM if a filter dropped it
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
        if (payload.meta().owner() == null) {
            payload.meta().owner(this);
        }
        int at = payload.push(Udp.BYTES);
        Udp.write(payload.memory(), at, port, toPort, payload.len());
        int sum = SendChecksum.of(payload, source, to, Ipv4.PROTOCOL_UDP);
        Udp.checksum(payload.memory(), at, sum == NO_CHECKSUM ? MAX_BYTES : sum);
        ports.counters().count(to.isIpv4(), SnmpCounter.UDP_OUT_DATAGRAMS);
        return ports.output().send(payload, route, source, Ipv4.PROTOCOL_UDP, options());
    }

    /**
     * {@return the sender's address of a received datagram} Allocates.
     *
     * @param datagram packet that was received here
     */
    public static Gid source(SkBuff datagram) {
        return IpPacket.source(datagram);
    }

    /**
     * {@return the sender's port of a received datagram, 1..65535 or 0}
     *
     * @param datagram packet that was received here
     */
    public static int sourcePort(SkBuff datagram) {
        return Udp.sourcePort(datagram.memory(), datagram.transportHeader());
    }

    /**
     * Returns how specifically the endpoint matches a datagram whose UDP header is set; negative if it does not ({@code
     * compute_score}).
     */
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
            if (device != skb.meta().device()) {
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

    /**
     * Handles an ICMP error about a datagram that was sent from here ({@code udp_err}). Only an endpoint with a peer
     * reports it.
     */
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
