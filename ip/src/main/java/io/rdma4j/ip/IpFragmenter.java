// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Ipv6Fragment;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * Fragments packets that exceed the MTU of a link ({@code ip_do_fragment}, {@code ip6_fragment}). Each fragment has a
 * header of its own. Its payload stays in the original packet, which is freed with the last fragment.
 */
final class IpFragmenter {
    private static final int UNIT = 8;
    private static final int COPIED = 0x80;
    private static final int END_OF_OPTIONS = 0;
    private static final int NO_OPERATION = 1;

    private final IpBuffers buffers;
    private final SnmpCounters counters;
    private final IpOutput output;

    IpFragmenter(IpBuffers buffers, SnmpCounters counters, IpOutput output) {
        this.buffers = buffers;
        this.counters = counters;
        this.output = output;
    }

    /**
     * Sends a packet that begins with its IP header in fragments of at most {@code mtu} bytes. The caller has checked
     * that fragmenting is allowed.
     */
    void fragment(SkBuff skb, Destination to, int mtu) {
        boolean isIpv4 = IpPacket.isIpv4(skb);
        int headerBytes = isIpv4 ? Ipv4.headerBytes(skb.memory(), skb.data()) : Ipv6.BYTES;
        int overhead = isIpv4 ? headerBytes : headerBytes + Ipv6Fragment.BYTES;
        int most = (mtu - overhead) / UNIT * UNIT;
        int identification = isIpv4 ? 0 : output.nextIdentification();
        boolean sent = most > 0;
        for (int at = headerBytes; sent && at < skb.len(); at += most) {
            int length = Math.min(most, skb.len() - at);
            SkBuff piece = piece(skb, overhead, at, length);
            sent = piece != null;
            if (piece != null) {
                boolean last = at + length == skb.len();
                if (isIpv4) {
                    writeIpv4(skb, piece, headerBytes, at - headerBytes, last);
                } else {
                    writeIpv6(skb, piece, at - headerBytes, last, identification);
                }
                counters.count(isIpv4, SnmpCounter.FRAG_CREATES);
                output.transmit(piece, to);
            }
        }
        counters.count(isIpv4, sent ? SnmpCounter.FRAG_OKS : SnmpCounter.FRAG_FAILS);
        skb.free();
    }

    private @Nullable SkBuff piece(SkBuff skb, int overhead, int at, int length) {
        SkBuff piece = buffers.allocate(overhead);
        if (piece == null) {
            return null;
        }
        if (!IpBuffers.append(piece, skb, at, length)) {
            piece.free();
            return null;
        }
        piece.copyFields(skb);
        piece.setNetworkHeader(0);
        return piece;
    }

    private static void writeIpv4(SkBuff skb, SkBuff piece, int headerBytes, int offset, boolean last) {
        MemorySegment memory = piece.memory();
        int at = piece.data();
        MemorySegment.copy(skb.memory(), skb.data(), memory, at, headerBytes);
        int whole = Ipv4.fragment(memory, at);
        boolean more = !last || (whole & Ipv4.MORE_FRAGMENTS) != 0;
        int place = (whole & Ipv4.FRAGMENT_OFFSET_MASK) + offset / UNIT;
        Ipv4.fragment(memory, at, whole & Ipv4.DONT_FRAGMENT | (more ? Ipv4.MORE_FRAGMENTS : 0) | place);
        if (offset > 0) {
            dropOptions(memory, at, headerBytes);
        }
        Ipv4.totalLength(memory, at, piece.len());
        Ipv4.updateChecksum(memory, at);
    }

    /** Replaces options that only the first fragment may have by no-operations ({@code ip_options_fragment}). */
    private static void dropOptions(MemorySegment memory, int ip, int headerBytes) {
        int at = Ipv4.BYTES;
        while (at < headerBytes) {
            int option = memory.get(ValueLayout.JAVA_BYTE, ip + (long) at) & 0xFF;
            if (option == END_OF_OPTIONS) {
                return;
            }
            int length = option == NO_OPERATION || at + 1 == headerBytes
                    ? 1
                    : memory.get(ValueLayout.JAVA_BYTE, ip + at + 1L) & 0xFF;
            if (length == 0 || length > headerBytes - at) {
                return;
            }
            if ((option & COPIED) == 0) {
                memory.asSlice(ip + (long) at, length).fill((byte) NO_OPERATION);
            }
            at += length;
        }
    }

    private static void writeIpv6(SkBuff skb, SkBuff piece, int offset, boolean last, int identification) {
        MemorySegment memory = piece.memory();
        int at = piece.data();
        MemorySegment.copy(skb.memory(), skb.data(), memory, at, Ipv6.BYTES);
        int nextHeader = Ipv6.nextHeader(memory, at);
        Ipv6.nextHeader(memory, at, Ipv6Fragment.NEXT_HEADER);
        Ipv6.payloadLength(memory, at, piece.len() - Ipv6.BYTES);
        Ipv6Fragment.write(memory, at + (long) Ipv6.BYTES, nextHeader, offset / UNIT, !last, identification);
    }
}
