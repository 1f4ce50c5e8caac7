package io.rdma4j.net.ip;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.Udp;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Which endpoint has which UDP port ({@code struct udp_table}). Belongs to the owner of the stack's loop. */
public final class UdpPorts {
    /** Bytes in front of a payload that headers need: UDP, IP, link and tag. */
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
     * {@return an endpoint that takes datagrams to a port, whatever address of this host they are sent to}
     *
     * @param port 1..65535; 0 for any that is free
     */
    public UdpEndpoint bind(int port) {
        return bind(null, port, Endpoint.DEFAULT_RECEIVE_BYTES);
    }

    /**
     * {@return an endpoint that takes datagrams to an address and port}
     *
     * @param address of this host
     * @param port 1..65535; 0 for any that is free
     */
    public UdpEndpoint bind(Gid address, int port) {
        return bind(address, port, Endpoint.DEFAULT_RECEIVE_BYTES);
    }

    /**
     * {@return an endpoint that takes datagrams to an address and port ({@code bind})}
     *
     * @param address of this host; null: any
     * @param port 1..65535; 0: one that nobody has
     * @param receiveBytes memory of datagrams that wait to be received, bytes ({@code SO_RCVBUF})
     * @throws RdmaException EADDRNOTAVAIL if the address is not of this host; EADDRINUSE if somebody has the port; EINVAL for
     *     other ports
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

    /** Endpoints that take merged datagrams. */
    int groCount() {
        return groCount;
    }

    void countGro(int more) {
        groCount += more;
    }

    /** Who is to have a datagram, whose UDP header's place is known ({@code __udp4_lib_lookup}); null: nobody. */
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

    /** Tells who has sent a datagram what became of it; addresses are given by their halves. */
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
            if (one.port() == port && (bound == null || Endpoint.is(bound, prefix, interfaceId))) {
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

    /** Closes all endpoints. */
    void close() {
        for (UdpEndpoint head : buckets) {
            for (UdpEndpoint one = head; one != null; one = one.next) {
                one.discardAll();
            }
        }
        Arrays.fill(buckets, null);
    }
}
