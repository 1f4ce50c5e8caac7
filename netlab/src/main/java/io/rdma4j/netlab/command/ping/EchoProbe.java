// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.ping;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.ip.Destination;
import io.rdma4j.ip.IpPacket;
import io.rdma4j.ip.IpStack;
import io.rdma4j.ip.PingEndpoint;
import io.rdma4j.ip.PmtuDiscovery;
import io.rdma4j.ip.UdpPorts;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.netlab.Machine;
import io.rdma4j.netlab.command.shell.ShellSession;
import io.rdma4j.netlab.command.shell.Wait;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.wire.ip.Icmp;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** Sends ICMP echo requests to a host and waits for the result of each. One thread. */
final class EchoProbe implements AutoCloseable {
    /** Maximum number of requests whose packets are in flight. */
    private static final int BUFFERS = 64;

    private static final int MAX_PACKET_BYTES = 0xFFFF;
    private static final int ALPHABET = 0x10;

    private final Machine machine;
    private final NetLoop loop;
    private final IpStack stack;
    private final Gid to;
    private final SkBuffPool pool;
    private final PingEndpoint endpoint;

    /**
     * Result of a request.
     *
     * @param from sender of the reply or of the error; null for a local error or if there was no reply
     * @param error null if there was a reply or nothing
     * @param hopLimit hop limit of the reply
     */
    record Outcome(@Nullable Gid from, @Nullable Errno error, int hopLimit, long elapsedNs) {
        boolean isAnswer() {
            return from != null && error == null;
        }
    }

    /** @throws RdmaException ENETUNREACH or another error of the route; EOPNOTSUPP if the machine is in manual mode */
    EchoProbe(ShellSession session, Gid to, PmtuDiscovery discovery) {
        this.machine = session.machine();
        Wait.check(machine);
        this.loop = machine.loop();
        this.stack = machine.stack(session.namespace());
        this.to = to;
        Errno error = loop.exclusively(() -> route().type().error());
        if (error != null) {
            throw new RdmaException(error, "no route leads to " + text(to));
        }
        this.pool = new SkBuffPool(BUFFERS, UdpPorts.HEADROOM + MAX_PACKET_BYTES);
        this.endpoint = loop.exclusively(stack::openPing);
        endpoint.options().mtuDiscover(discovery);
    }

    private Destination route() {
        return stack.destinations().find(to);
    }

    /** Size of the IP and ICMP headers, bytes. */
    int headerBytes() {
        return (to.isIpv4() ? Ipv4.BYTES : Ipv6.BYTES) + Icmp.BYTES;
    }

    /** Known MTU of the path, bytes. */
    int pathMtu() {
        return Math.min(
                MAX_PACKET_BYTES,
                loop.exclusively(() -> route().mtu(loop.clock().nanoTime())));
    }

    /**
     * Sends a request and waits for its result.
     *
     * @param sequence number of the request, 16 bits
     * @param hopLimit 0 for the default
     */
    Outcome ask(int sequence, int payloadBytes, int hopLimit, long timeoutNs) {
        long sentNs = loop.clock().nanoTime();
        Errno refused = loop.exclusively(() -> send(sequence, payloadBytes, hopLimit));
        if (refused != null) {
            return new Outcome(null, refused, 0, 0);
        }
        Outcome outcome = Wait.until(machine, timeoutNs, () -> loop.exclusively(() -> look(sequence, sentNs)));
        return outcome == null ? new Outcome(null, null, 0, timeoutNs) : outcome;
    }

    private @Nullable Errno send(int sequence, int payloadBytes, int hopLimit) {
        SkBuff skb = pool.allocate();
        if (skb == null) {
            return Errno.ENOMEM;
        }
        skb.reserve(UdpPorts.HEADROOM);
        int at = skb.put(payloadBytes);
        for (int i = 0; i < payloadBytes; i++) {
            skb.memory().set(ValueLayout.JAVA_BYTE, at + (long) i, (byte) (ALPHABET + i));
        }
        endpoint.takeError();
        endpoint.options().hopLimit(hopLimit);
        return endpoint.send(skb, to, sequence);
    }

    /** Late replies are ignored. */
    private @Nullable Outcome look(int sequence, long sentNs) {
        Errno error = endpoint.takeError();
        if (error != null) {
            return new Outcome(endpoint.errorSource(), error, 0, elapsedNs(sentNs));
        }
        Outcome outcome = null;
        for (SkBuff answer = endpoint.receive(); answer != null; answer = endpoint.receive()) {
            if (PingEndpoint.sequence(answer) == sequence) {
                outcome = new Outcome(PingEndpoint.source(answer), null, IpPacket.hopLimit(answer), elapsedNs(sentNs));
            }
            answer.free();
        }
        return outcome;
    }

    private long elapsedNs(long sentNs) {
        return loop.clock().nanoTime() - sentNs;
    }

    /** Formats an address; a mapped IPv4 address is shown as IPv4. */
    static String text(Gid address) {
        return address.isIpv4() ? Ipv4.toString(address.ipv4()) : address.toString();
    }

    /**
     * Closes the pool if all packets are back within 1 ms. Otherwise the memory of the packets in flight is not freed.
     */
    @Override
    public void close() {
        loop.exclusively(endpoint::close);
        Wait.until(machine, 1_000_000, () -> pool.available() == pool.count() ? pool : null);
        if (pool.available() == pool.count()) {
            pool.close();
        }
    }
}
