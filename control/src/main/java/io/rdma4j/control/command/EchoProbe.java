package io.rdma4j.control.command;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.control.Machine;
import io.rdma4j.net.ip.Destination;
import io.rdma4j.net.ip.IpPacket;
import io.rdma4j.net.ip.IpStack;
import io.rdma4j.net.ip.PingEndpoint;
import io.rdma4j.net.ip.PmtuDiscovery;
import io.rdma4j.net.ip.UdpPorts;
import io.rdma4j.net.loop.NetLoop;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.wire.Icmp;
import io.rdma4j.wire.Ipv4;
import io.rdma4j.wire.Ipv6;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** Asks a host for echoes, and waits for what comes of each. One thread. */
final class EchoProbe implements AutoCloseable {
    /** Questions that may be on their way, answered or not. */
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
     * What came of a question.
     *
     * @param from who answered, or told of the error; null if nobody did: it was never sent, or is lost
     * @param error null if it was answered, or nothing came
     * @param hopLimit that the answer had left
     */
    record Outcome(@Nullable Gid from, @Nullable Errno error, int hopLimit, long elapsedNs) {
        boolean isAnswer() {
            return from != null && error == null;
        }
    }

    /** @throws RdmaException ENETUNREACH and the like if no route leads there; EOPNOTSUPP if nobody could wait */
    EchoProbe(Session session, Gid to, PmtuDiscovery discovery) {
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

    /** Bytes of headers in front of what is asked. */
    int headerBytes() {
        return (to.isIpv4() ? Ipv4.BYTES : Ipv6.BYTES) + Icmp.BYTES;
    }

    /** Largest packet that the path is known to carry, bytes. */
    int pathMtu() {
        return Math.min(
                MAX_PACKET_BYTES,
                loop.exclusively(() -> route().mtu(loop.clock().nanoTime())));
    }

    /**
     * Asks once.
     *
     * @param sequence which question, 16 bits
     * @param payloadBytes of it
     * @param hopLimit 0: the usual one
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

    /** Answers that come too late are passed over. */
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

    /** An address as tools write it, IPv4 without what maps it. */
    static String text(Gid address) {
        return address.isIpv4() ? Ipv4.toString(address.ipv4()) : address.toString();
    }

    /** Questions that are under way still keep their memory, until they come to an end. */
    @Override
    public void close() {
        loop.exclusively(endpoint::close);
        Wait.until(machine, 1_000_000, () -> pool.available() == pool.count() ? pool : null);
        if (pool.available() == pool.count()) {
            pool.close();
        }
    }
}
