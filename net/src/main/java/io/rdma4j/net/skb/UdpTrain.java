// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.skb;

import io.rdma4j.packet.GsoType;
import io.rdma4j.packet.PacketType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Udp;
import java.lang.foreign.MemorySegment;

/**
 * Merges received UDP datagrams of one flow into one buffer ({@code udp_gro_receive}, {@code udp_gro_complete}). The
 * buffer contains the first datagram with its headers; its fragment list contains the payloads of the others. All have
 * the size of the first one, except the last, which may be shorter.
 *
 * <p>Nothing is allocated. Packets begin with their IP header.
 */
public final class UdpTrain {
    /** Maximum number of datagrams in a train ({@code UDP_GRO_CNT_MAX}). */
    public static final int MAX_SEGMENTS = 64;

    /** Maximum size of an IP packet, by its length field. */
    private static final int MAX_BYTES = 0xFFFF;

    private UdpTrain() {}

    /**
     * {@return true for a datagram that can be part of a train} It must be linear, for this host, without IP options or
     * extensions, and with payload and checksum. Trims it to its length and sets the offset of its UDP header.
     *
     * @param skb a packet that begins with its IP header
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
        return skb.meta().packetType() == PacketType.HOST
                && !skb.isNonlinear()
                && !skb.isShared()
                && !skb.isCloned()
                && !skb.shinfo().isGso()
                && skb.shinfo().offload() == null
                && !skb.meta().vlanTagPresent()
                && !skb.meta().noFcs();
    }

    /** Returns the length of the IP header, 0 if the packet cannot be part of a train. */
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
     * {@return true if the checksum of a datagram is correct; a verified datagram is not summed again}
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
     * @param train a datagram or a train
     * @param skb a datagram
     */
    public static boolean isSameFlow(SkBuff train, SkBuff skb) {
        int headerBytes = train.transportHeader() - train.data();
        if (headerBytes != skb.transportHeader() - skb.data()) {
            return false;
        }
        // The IP header ends with the addresses; the ports follow.
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
     * @param train a datagram or a train
     * @param skb a datagram
     */
    public static boolean fits(SkBuff train, SkBuff skb) {
        int payload = payload(skb);
        return payload <= payload(train)
                && segments(train) < MAX_SEGMENTS
                && train.len() + payload <= MAX_BYTES
                && hasSameWay(train, skb);
    }

    /** Compares type of service, hop limit and "don't fragment", for IPv6 also the flow label. */
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

    /** Payload bytes of the first datagram; its UDP length does not include the others yet. */
    private static int payload(SkBuff skb) {
        return Udp.length(skb.memory(), skb.transportHeader()) - Udp.BYTES;
    }

    private static int segments(SkBuff train) {
        return train.shinfo().isGso() ? train.shinfo().gsoSegs() : 1;
    }

    /**
     * Appends a datagram for which {@link #fits} is true. The train owns it from now on.
     *
     * @param train a datagram or a train
     * @param skb a datagram
     * @return true if the train is complete
     */
    public static boolean append(SkBuff train, SkBuff skb) {
        int size = payload(train);
        int segments = segments(train) + 1;
        boolean isLast = payload(skb) < size || segments == MAX_SEGMENTS;
        skb.pull(skb.transportHeader() - skb.data() + Udp.BYTES);
        skb.meta().device(null);
        train.addFragList(skb);
        train.shinfo().gso(size, segments);
        train.shinfo().gsoType(GsoType.UDP_L4);
        return isLast;
    }

    /**
     * Sets the length fields to the whole train. The checksum becomes pending ({@link PacketChecksum#leave}), because
     * each datagram's was verified. No effect on a single datagram.
     *
     * @param train a datagram or a train
     */
    public static void finish(SkBuff train) {
        if (!train.shinfo().isGso()) {
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
     * {@return bytes of the headers that a received train had on the link and no longer contains; 0 for other packets}
     *
     * @param skb any packet
     */
    public static int headersLeftOut(SkBuff skb) {
        if (!skb.shinfo().isGso() || skb.shinfo().gsoType() != GsoType.UDP_L4 || !skb.transportHeaderWasSet()) {
            return 0;
        }
        return (skb.shinfo().gsoSegs() - 1)
                * (skb.meta().macLen() + skb.transportHeader() - skb.networkHeader() + Udp.BYTES);
    }
}
