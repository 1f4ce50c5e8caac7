// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.common;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Ethernet;
import io.rdma4j.wire.ip.InternetChecksum;
import io.rdma4j.wire.ip.IpoibHeader;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Tcp;
import io.rdma4j.wire.ip.Udp;
import java.lang.foreign.MemorySegment;

/**
 * Inserts and verifies the checksums of IP over InfiniBand ({@code IB_SEND_IP_CSUM}, {@code IB_WC_IP_CSUM_OK}): that of
 * the IPv4 header, and that of the TCP or UDP segment behind it.
 *
 * <p>As with adapters, only complete IPv4 packets without options behind the header of RFC 4391 are supported. Any
 * other datagram is sent unchanged and never reported as correct.
 */
public final class IpoibChecksums {
    private static final int IP = IpoibHeader.BYTES;
    private static final int SEGMENT = IP + Ipv4.BYTES;

    /** The first bytes of a datagram, up to the last byte that may belong to a checksum. */
    public static final int HEAD_BYTES = SEGMENT + Tcp.CHECKSUM + Short.BYTES;

    private IpoibChecksums() {}

    /**
     * Inserts the checksums into a datagram.
     *
     * @param skb ends with its headers in the linear part; its payload consists of fragments
     * @param at offset in the memory of {@code skb} of the first {@link #HEAD_BYTES} of the payload, writable
     * @return false if memory behind a fragment was closed
     */
    public static boolean insert(SkBuff skb, int at) {
        MemorySegment memory = skb.memory();
        if (!isPlain(memory, at, skb.dataLen())) {
            return true;
        }
        Ipv4.updateChecksum(memory, at + (long) IP);
        long segment = at + (long) SEGMENT;
        try {
            if (Ipv4.protocol(memory, at + (long) IP) == Tcp.PROTOCOL) {
                Tcp.checksum(memory, segment, 0);
                Tcp.checksum(memory, segment, segmentChecksum(skb, skb.headLen(), memory, at));
            } else {
                Udp.checksum(memory, segment, 0);
                int checksum = segmentChecksum(skb, skb.headLen(), memory, at);
                // RFC 768: 0 means that there is no checksum; a checksum of 0 is sent as 0xFFFF.
                Udp.checksum(memory, segment, checksum == 0 ? 0xFFFF : checksum);
            }
            return true;
        } catch (IllegalStateException closed) {
            return false;
        }
    }

    /**
     * True if a datagram has checksums and they are correct.
     *
     * @param offset of its payload in {@code skb}
     * @param scratch room for {@link #HEAD_BYTES}
     */
    public static boolean areRight(SkBuff skb, int offset, int bytes, MemorySegment scratch) {
        try {
            if (bytes < SEGMENT + Udp.BYTES) {
                return false;
            }
            skb.copyBits(offset, scratch, 0, Math.min(bytes, HEAD_BYTES));
            boolean absent = Ipv4.protocol(scratch, IP) == Ipv4.PROTOCOL_UDP && Udp.checksum(scratch, SEGMENT) == 0;
            return isPlain(scratch, 0, bytes)
                    && !absent
                    && Ipv4.storedChecksum(scratch, IP) == Ipv4.checksum(scratch, IP)
                    && segmentChecksum(skb, offset, scratch, 0) == 0;
        } catch (IllegalStateException closed) {
            return false;
        }
    }

    /** True for TCP or UDP in a complete, unfragmented IPv4 packet without options. */
    private static boolean isPlain(MemorySegment head, long at, int bytes) {
        long ip = at + IP;
        if (bytes < SEGMENT + Udp.BYTES
                || IpoibHeader.etherType(head, at) != Ethernet.TYPE_IPV4
                || Ipv4.version(head, ip) != Ipv4.VERSION
                || Ipv4.headerBytes(head, ip) != Ipv4.BYTES
                || Ipv4.isFragment(head, ip)) {
            return false;
        }
        int protocol = Ipv4.protocol(head, ip);
        int least = Ipv4.BYTES + (protocol == Tcp.PROTOCOL ? Tcp.BYTES : Udp.BYTES);
        int total = Ipv4.totalLength(head, ip);
        return (protocol == Tcp.PROTOCOL || protocol == Ipv4.PROTOCOL_UDP) && total >= least && total <= bytes - IP;
    }

    /** The checksum over the pseudo-header and the segment, including the checksum field as it is. */
    private static int segmentChecksum(SkBuff skb, int payload, MemorySegment head, long at) {
        long ip = at + IP;
        int length = Ipv4.totalLength(head, ip) - Ipv4.BYTES;
        int sum = Ipv4.protocol(head, ip) + length;
        sum = InternetChecksum.add(sum, Ipv4.source(head, ip));
        sum = InternetChecksum.add(sum, Ipv4.destination(head, ip));
        return InternetChecksum.of(skb.checksum(payload + SEGMENT, length, sum, InternetChecksum::add));
    }
}
