// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Udp;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The UDP endpoints by port ({@code struct udp_table}). Belongs to the owner of the stack's loop. */
public final class UdpPorts {
    /** Headroom of a payload for UDP, IP and link headers and a VLAN tag, bytes. */
    public static final int HEADROOM = 80;

    private static final int BUCKETS = 256;
    private static final int FIRST_EPHEMERAL = 32_768;
    private static final int LAST_EPHEMERAL = 60_999;
    private static final int LAST = 0xFFFF;

    private final RouteCache destinations;
    private final SourceAddresses sources;
    private final Interfaces interfaces;
    private final IpOutput output;
    private final SnmpCounters counters;
    private final @Nullable UdpEndpoint[] buckets = new UdpEndpoint[BUCKETS];
    private int groCount;
    private int ephemeral = FIRST_EPHEMERAL;

    UdpPorts(
            RouteCache destinations,
            SourceAddresses sources,
            Interfaces interfaces,
            IpOutput output,
            SnmpCounters counters) {
        this.destinations = destinations;
        this.sources = sources;
        this.interfaces = interfaces;
        this.output = output;
        this.counters = counters;
    }

    RouteCache destinations() {
        return destinations;
    }

    SourceAddresses sources() {
        return sources;
    }

    IpOutput output() {
        return output;
    }

    SnmpCounters counters() {
        return counters;
    }

    /**
     * {@return a new endpoint for datagrams to a port and any address of this host} Errors are those of {@link
     * #bind(Gid, int, int)}.
     *
     * @param port 1..65535; 0 for any free port
     */
    public UdpEndpoint bind(int port) {
        return bind(null, port, IpEndpoint.DEFAULT_RECEIVE_BYTES);
    }

    /**
     * {@return a new endpoint for datagrams to an address and port} Errors are those of {@link #bind(Gid, int, int)}.
     *
     * @param address of this host
     * @param port 1..65535; 0 for any free port
     */
    public UdpEndpoint bind(Gid address, int port) {
        return bind(address, port, IpEndpoint.DEFAULT_RECEIVE_BYTES);
    }

    /**
     * {@return a new endpoint for datagrams to an address and port ({@code bind})}
     *
     * @param address of this host; null for any
     * @param port 1..65535; 0 for any free port
     * @param receiveBytes memory of datagrams that wait to be received, bytes ({@code SO_RCVBUF})
     * @throws RdmaException EADDRNOTAVAIL if the address does not belong to this host; EADDRINUSE if another endpoint
     *     has the port, or no port is free; EINVAL for other ports
     */
    public UdpEndpoint bind(@Nullable Gid address, int port, int receiveBytes) {
        if (port < 0 || port > LAST) {
            throw new RdmaException(Errno.EINVAL, "UDP port " + port + " is not in 0..65535");
        }
        if (address != null && !interfaces.isOwn(address.prefix(), address.interfaceId())) {
            throw new RdmaException(Errno.EADDRNOTAVAIL, address + " is no address of this host");
        }
        if (port != 0 && isTaken(address, port)) {
            throw new RdmaException(Errno.EADDRINUSE, "UDP port " + port + " is taken");
        }
        UdpEndpoint one = new UdpEndpoint(this, address, port == 0 ? ephemeral(address) : port, receiveBytes);
        int bucket = bucket(one.port());
        one.next = buckets[bucket];
        buckets[bucket] = one;
        return one;
    }

    private int ephemeral(@Nullable Gid address) {
        for (int tries = FIRST_EPHEMERAL; tries <= LAST_EPHEMERAL; tries++) {
            int port = ephemeral;
            ephemeral = port == LAST_EPHEMERAL ? FIRST_EPHEMERAL : port + 1;
            if (!isTaken(address, port)) {
                return port;
            }
        }
        throw new RdmaException(
                Errno.EADDRINUSE, "UDP ports " + FIRST_EPHEMERAL + ".." + LAST_EPHEMERAL + " are all taken");
    }

    private boolean isTaken(@Nullable Gid address, int port) {
        for (UdpEndpoint one = buckets[bucket(port)]; one != null; one = one.next) {
            if (one.port() == port && (address == null || one.address() == null || address.equals(one.address()))) {
                return true;
            }
        }
        return false;
    }

    private static int bucket(int port) {
        return port % BUCKETS;
    }

    /** Number of endpoints that accept merged datagrams. */
    int groCount() {
        return groCount;
    }

    void countGro(int more) {
        groCount += more;
    }

    /**
     * Returns the endpoint that matches a datagram best ({@code __udp4_lib_lookup}); null if none does. The transport
     * header must be set.
     */
    @Nullable
    UdpEndpoint find(SkBuff skb) {
        int port = Udp.destinationPort(skb.memory(), skb.transportHeader());
        UdpEndpoint best = null;
        int most = -1;
        for (UdpEndpoint one = buckets[bucket(port)]; one != null; one = one.next) {
            int score = one.port() == port ? one.score(skb) : -1;
            if (score > most) {
                most = score;
                best = one;
            }
        }
        return best;
    }

    /** Reports an ICMP error to the endpoint that sent the datagram; addresses are given by their halves. */
    void onError(
            IcmpError error,
            long prefix,
            long interfaceId,
            int port,
            long peerPrefix,
            long peerInterfaceId,
            int peerPort) {
        for (UdpEndpoint one = buckets[bucket(port)]; one != null; one = one.next) {
            Gid bound = one.address();
            if (one.port() == port && (bound == null || IpEndpoint.is(bound, prefix, interfaceId))) {
                one.onError(error, peerPrefix, peerInterfaceId, peerPort);
            }
        }
    }

    @SuppressWarnings("ReferenceEquality") // an endpoint is itself
    void remove(UdpEndpoint gone) {
        int bucket = bucket(gone.port());
        UdpEndpoint before = null;
        for (UdpEndpoint one = buckets[bucket]; one != null; one = one.next) {
            if (one == gone) {
                if (before == null) {
                    buckets[bucket] = one.next;
                } else {
                    before.next = one.next;
                }
                return;
            }
            before = one;
        }
    }

    /** Drops all endpoints and the datagrams in their queues. */
    void close() {
        for (UdpEndpoint head : buckets) {
            for (UdpEndpoint one = head; one != null; one = one.next) {
                one.discardAll();
            }
        }
        Arrays.fill(buckets, null);
    }
}
