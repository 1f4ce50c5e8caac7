package io.rdma4j.net;

import io.rdma4j.base.Gid;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Udp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.Random;

/** UDP-in-IP packets for tests. */
public final class Packets {
    private static final int HEADROOM = 64;

    private Packets() {}

    /** Allocates a buffer; the pool must not be empty. */
    public static SkBuff allocate(SkBuffPool pool) {
        return Objects.requireNonNull(pool.allocate(), "the pool is empty");
    }

    /** Returns bytes that depend on {@code seed}. */
    public static byte[] random(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    /** Returns a packet with {@code payload}. */
    public static SkBuff udp(SkBuffPool pool, Gid from, int fromPort, Gid to, int toPort, byte[] payload) {
        SkBuff skb = allocate(pool);
        skb.reserve(HEADROOM);
        int at = skb.put(payload.length);
        MemorySegment.copy(payload, 0, skb.memory(), ValueLayout.JAVA_BYTE, at, payload.length);
        pushHeaders(skb, from, fromPort, to, toPort, payload.length);
        return skb;
    }

    /** Prepends headers for a payload of {@code payloadBytes}. */
    public static void pushHeaders(SkBuff skb, Gid from, int fromPort, Gid to, int toPort, int payloadBytes) {
        int udp = payloadBytes + Udp.BYTES;
        Udp.write(skb.memory(), skb.push(Udp.BYTES), fromPort, toPort, udp);
        if (to.isIpv4()) {
            int at = skb.push(Ipv4.BYTES);
            Ipv4.write(skb.memory(), at, udp + Ipv4.BYTES, 0, 0, 64, Ipv4.PROTOCOL_UDP, from.ipv4(), to.ipv4());
        } else {
            int at = skb.push(Ipv6.BYTES);
            Ipv6.write(
                    skb.memory(),
                    at,
                    0,
                    0,
                    udp,
                    Ipv6.NEXT_HEADER_UDP,
                    64,
                    from.prefix(),
                    from.interfaceId(),
                    to.prefix(),
                    to.interfaceId());
        }
    }

    /** Returns all bytes of a buffer, with its fragments. */
    public static byte[] bytes(SkBuff skb) {
        MemorySegment bytes = Arena.ofAuto().allocate(skb.len());
        skb.copyBits(0, bytes, 0, skb.len());
        return bytes.toArray(ValueLayout.JAVA_BYTE);
    }
}
