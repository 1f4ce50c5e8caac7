package io.rdma4j.net.skb;

import io.rdma4j.packet.GsoType;
import io.rdma4j.packet.PacketType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.Ipv4;
import io.rdma4j.wire.Ipv6;
import io.rdma4j.wire.Udp;
import java.lang.foreign.MemorySegment;

/**
 * Received UDP datagrams of one flow in one buffer ({@code udp_gro_receive}, {@code udp_gro_complete}): the first one with its
 * headers, of the others only the payload, in its list of buffers. All have the size of the first but the last, which may be shorter.
 *
 * <p>Nothing is allocated. Packets begin with their IP header.
 */
public final class UdpTrain {
    /** The most datagrams of a train ({@code UDP_GRO_CNT_MAX}). */
    public static final int MAX_SEGMENTS = 64;

    /** The largest IP packet that its header can tell of. */
    private static final int MAX_BYTES = 0xFFFF;

    private UdpTrain() {}

    /**
     * {@return true for a datagram that could be part of a train, which is cut to its length, and whose UDP header's
     * place is set: all in one piece, for this host, no IP options or extensions, with payload and checksum}
     *
     * @param skb a datagram
     */
    public static boolean isDatagram(SkBuff skb) {
        int headerBytes = isPlain(skb) ? ipHeaderBytes(skb) : 0;
        if (headerBytes == 0) {
            return false;
        }
        MemorySegment memory = skb.memory();
        int udp = skb.data() + headerBytes;
        int length = Udp.length(memory, udp);
        if (length <= Udp.BYTES || length != ipPayload(skb, headerBytes) || Udp.checksum(memory, udp) == 0) {
            return false;
        }
        PacketChecksum.trim(skb, headerBytes + length);
        skb.setTransportHeader(headerBytes);
        return true;
    }

    private static boolean isPlain(SkBuff skb) {
        return skb.packetType() == PacketType.HOST
                && !skb.isNonlinear()
                && !skb.isShared()
                && !skb.isCloned()
                && !skb.isGso()
                && skb.offload() == null
                && !skb.vlanTagPresent()
                && !skb.noFcs();
    }

    /** 0 if this is no packet for a train. */
    private static int ipHeaderBytes(SkBuff skb) {
        MemorySegment memory = skb.memory();
        int at = skb.data();
        int length = skb.headLen();
        if (length < Ipv4.BYTES + Udp.BYTES) {
            return 0;
        }
        if (isIpv4(skb)) {
            boolean fits = Ipv4.headerBytes(memory, at) == Ipv4.BYTES
                    && Ipv4.protocol(memory, at) == Ipv4.PROTOCOL_UDP
                    && Ipv4.totalLength(memory, at) <= length
                    && !Ipv4.isFragment(memory, at)
                    && Ipv4.isIntact(memory, at);
            return fits ? Ipv4.BYTES : 0;
        }
        boolean fits = Ipv6.version(memory, at) == Ipv6.VERSION
                && length >= Ipv6.BYTES + Udp.BYTES
                && Ipv6.nextHeader(memory, at) == Ipv6.NEXT_HEADER_UDP
                && Ipv6.BYTES + Ipv6.payloadLength(memory, at) <= length;
        return fits ? Ipv6.BYTES : 0;
    }

    private static boolean isIpv4(SkBuff skb) {
        return Ipv4.version(skb.memory(), skb.data()) == Ipv4.VERSION;
    }

    private static int ipPayload(SkBuff skb, int headerBytes) {
        return headerBytes == Ipv4.BYTES
                ? Ipv4.totalLength(skb.memory(), skb.data()) - headerBytes
                : Ipv6.payloadLength(skb.memory(), skb.data());
    }

    /**
     * {@return true if the checksum of a datagram is right; what was verified is not summed again}
     *
     * @param skb a datagram
     */
    public static boolean isIntact(SkBuff skb) {
        int headerBytes = skb.transportHeader() - skb.data();
        PacketChecksum.pull(skb, headerBytes);
        boolean intact = PacketChecksum.validate(skb, Ipv4.PROTOCOL_UDP);
        PacketChecksum.push(skb, headerBytes);
        return intact;
    }

    /**
     * {@return true if two datagrams have the same addresses and ports}
     *
     * @param train a datagram, or several that were joined
     * @param skb a datagram
     */
    public static boolean isSameFlow(SkBuff train, SkBuff skb) {
        int headerBytes = train.transportHeader() - train.data();
        if (headerBytes != skb.transportHeader() - skb.data()) {
            return false;
        }
        // What a header ends with: its addresses. The ports follow.
        int from = headerBytes == Ipv4.BYTES ? Ipv4.SOURCE : Ipv6.SOURCE;
        return isEqual(train, skb, from, headerBytes + Udp.LENGTH);
    }

    private static boolean isEqual(SkBuff train, SkBuff skb, int from, int to) {
        int a = train.data();
        int b = skb.data();
        return MemorySegment.mismatch(train.memory(), a + from, a + to, skb.memory(), b + from, b + to) < 0;
    }

    /**
     * {@return true if a datagram of the flow can be the next of the train}
     *
     * @param train a datagram, or several that were joined
     * @param skb a datagram
     */
    public static boolean fits(SkBuff train, SkBuff skb) {
        int payload = payload(skb);
        return payload <= payload(train)
                && segments(train) < MAX_SEGMENTS
                && train.len() + payload <= MAX_BYTES
                && hasSameWay(train, skb);
    }

    /** Type of service, hops left and "don't fragment"; the flow label, too. */
    private static boolean hasSameWay(SkBuff train, SkBuff skb) {
        MemorySegment memory = train.memory();
        int at = train.data();
        if (isIpv4(train)) {
            return Ipv4.typeOfService(memory, at) == Ipv4.typeOfService(skb.memory(), skb.data())
                    && Ipv4.timeToLive(memory, at) == Ipv4.timeToLive(skb.memory(), skb.data())
                    && Ipv4.fragment(memory, at) == Ipv4.fragment(skb.memory(), skb.data());
        }
        return isEqual(train, skb, 0, Ipv6.PAYLOAD_LENGTH)
                && Ipv6.hopLimit(memory, at) == Ipv6.hopLimit(skb.memory(), skb.data());
    }

    /** Payload bytes of the first datagram, whose header does not yet tell of others. */
    private static int payload(SkBuff skb) {
        return Udp.length(skb.memory(), skb.transportHeader()) - Udp.BYTES;
    }

    private static int segments(SkBuff train) {
        return train.isGso() ? train.gsoSegs() : 1;
    }

    /**
     * Appends a datagram that {@link #fits}, and takes it over.
     *
     * @param train a datagram, or several that were joined
     * @param skb a datagram
     * @return true if no other one can follow
     */
    public static boolean append(SkBuff train, SkBuff skb) {
        int size = payload(train);
        int segments = segments(train) + 1;
        boolean isLast = payload(skb) < size || segments == MAX_SEGMENTS;
        skb.pull(skb.transportHeader() - skb.data() + Udp.BYTES);
        skb.device(null);
        train.addFragList(skb);
        train.gso(size, segments);
        train.gsoType(GsoType.UDP_L4);
        return isLast;
    }

    /**
     * Makes the headers tell of all datagrams. The checksum is left ({@link PacketChecksum#leave}): each had a right one. Nothing
     * happens to a datagram that stayed alone.
     *
     * @param train a datagram, or several that were joined
     */
    public static void finish(SkBuff train) {
        if (!train.isGso()) {
            return;
        }
        MemorySegment memory = train.memory();
        int at = train.data();
        if (isIpv4(train)) {
            Ipv4.totalLength(memory, at, train.len());
            Ipv4.updateChecksum(memory, at);
        } else {
            Ipv6.payloadLength(memory, at, train.len() - Ipv6.BYTES);
        }
        int udp = train.transportHeader();
        Udp.length(memory, udp, train.len() - (udp - at));
        PacketChecksum.leave(train, Ipv4.PROTOCOL_UDP, Udp.CHECKSUM);
    }

    /**
     * {@return bytes of the headers that a received train had on the link and has no more; 0 for any other packet}
     *
     * @param skb a datagram
     */
    public static int headersLeftOut(SkBuff skb) {
        if (!skb.isGso() || skb.gsoType() != GsoType.UDP_L4 || !skb.transportHeaderWasSet()) {
            return 0;
        }
        return (skb.gsoSegs() - 1) * (skb.macLen() + skb.transportHeader() - skb.networkHeader() + Udp.BYTES);
    }
}
