// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.roce;

import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Grh;
import io.rdma4j.wire.bytes.BigEndian;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Udp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;

/**
 * The invariant CRC: CRC-32 (the Ethernet polynomial) over all fields that do not change on the path (IBA 7.8.1, annex
 * A17).
 *
 * <p>It covers eight bytes of ones, in place of the link header that Ethernet does not have and that routers change.
 * The packet from the network header up to the ICRC follows. Fields that routers and switches may change are replaced
 * by ones:
 *
 * <pre>
 *    IPv4        type of service, time to live, header checksum
 *    IPv6, GRH   traffic class, flow label, hop limit
 *    UDP         checksum
 *    BTH         byte 4: FECN, BECN, reserved
 * </pre>
 *
 * The result is stored little-endian in the last four bytes of the packet. Linux: {@code rxe_icrc_hdr}.
 *
 * <p>An instance holds a CRC and a buffer for the masked headers: use it by one thread at a time. Calls allocate
 * nothing. The packet is in one piece of native memory. It is passed twice, as a segment and as a direct buffer of the
 * same bytes: {@link CRC32} reads only buffers and is fast only with direct ones. Position and limit of the buffer are
 * changed.
 */
public final class Icrc {
    /** Bytes of the CRC, {@code RXE_ICRC_SIZE}. */
    public static final int BYTES = 4;

    private static final ValueLayout.OfInt LITTLE_ENDIAN =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private static final int LINK_BYTES = 8;
    private static final int IPV4_BYTES = Ipv4.BYTES + Udp.BYTES + Bth.BYTES;
    private static final int IPV6_BYTES = Ipv6.BYTES + Udp.BYTES + Bth.BYTES;
    private static final int GRH_BYTES = Grh.BYTES + Bth.BYTES;
    /** The virtual lane in the first byte of a local route header. */
    private static final int VIRTUAL_LANE = 0xF0;
    /** Traffic class and flow label: the first word without the version. */
    private static final int IPV6_CLASS_AND_FLOW = 0x0FFF_FFFF;

    private final CRC32 crc = new CRC32();
    private final ByteBuffer scratchBuffer = ByteBuffer.allocateDirect(LINK_BYTES + IPV6_BYTES);
    private final MemorySegment scratch = MemorySegment.ofBuffer(scratchBuffer);

    /** Creates an instance; its buffer begins with the ones in place of the link header. */
    public Icrc() {
        BigEndian.put64(scratch, 0, -1L);
    }

    /**
     * {@return the CRC of a RoCEv2 packet over IPv4}
     *
     * @param packet the memory of the packet
     * @param view the same memory; offsets are the same in both
     * @param ipOffset offset of the IPv4 header, which has no options
     * @param icrcOffset offset of the ICRC: the end of the covered bytes, behind at least the BTH
     */
    public int computeIpv4(MemorySegment packet, ByteBuffer view, int ipOffset, int icrcOffset) {
        copyHeaders(packet, ipOffset, IPV4_BYTES);
        BigEndian.put8(scratch, LINK_BYTES + Ipv4.TYPE_OF_SERVICE, -1);
        BigEndian.put8(scratch, LINK_BYTES + Ipv4.TIME_TO_LIVE, -1);
        BigEndian.put16(scratch, LINK_BYTES + Ipv4.CHECKSUM, -1);
        BigEndian.put16(scratch, LINK_BYTES + Ipv4.BYTES + Udp.CHECKSUM, -1);
        return finish(view, ipOffset, icrcOffset, IPV4_BYTES);
    }

    /**
     * {@return the CRC of a RoCEv2 packet over IPv6}
     *
     * @param packet the memory of the packet
     * @param view the same memory; offsets are the same in both
     * @param ipOffset offset of the IPv6 header, which has no extension headers
     * @param icrcOffset of the ICRC's first byte, after payload and padding
     */
    public int computeIpv6(MemorySegment packet, ByteBuffer view, int ipOffset, int icrcOffset) {
        copyHeaders(packet, ipOffset, IPV6_BYTES);
        maskIpv6();
        BigEndian.put16(scratch, LINK_BYTES + Ipv6.BYTES + Udp.CHECKSUM, -1);
        return finish(view, ipOffset, icrcOffset, IPV6_BYTES);
    }

    /**
     * {@return the CRC of a RoCEv1 packet}
     *
     * @param packet the memory of the packet
     * @param view the same memory; offsets are the same in both
     * @param grhOffset offset of the GRH
     * @param icrcOffset of the ICRC's first byte, after payload and padding
     */
    public int computeGrh(MemorySegment packet, ByteBuffer view, int grhOffset, int icrcOffset) {
        copyHeaders(packet, grhOffset, GRH_BYTES);
        maskIpv6();
        return finish(view, grhOffset, icrcOffset, GRH_BYTES);
    }

    /**
     * {@return the CRC of a packet of an InfiniBand link without a GRH} It covers the local route header except the
     * virtual lane. The CRC of a packet with a GRH is {@link #computeGrh}, because the lane and the LIDs change in
     * routers.
     *
     * @param packet the memory of the packet
     * @param view the same memory; offsets are the same in both
     * @param lrhOffset offset of the local route header
     * @param icrcOffset offset of the ICRC: the end of the covered bytes, behind at least the BTH
     */
    public int computeLocal(MemorySegment packet, ByteBuffer view, int lrhOffset, int icrcOffset) {
        MemorySegment.copy(packet, lrhOffset, scratch, 0, LINK_BYTES);
        BigEndian.put8(scratch, 0, BigEndian.get8(scratch, 0) | VIRTUAL_LANE);
        copyHeaders(packet, lrhOffset + LINK_BYTES, Bth.BYTES);
        int crc32 = finish(view, lrhOffset + LINK_BYTES, icrcOffset, Bth.BYTES);
        BigEndian.put64(scratch, 0, -1L);
        return crc32;
    }

    /**
     * {@return the CRC of a packet that {@link RocePacket#checkNetwork} accepted, with any network header}
     *
     * @param packet the memory of the packet
     * @param view the same memory; offsets are the same in both
     * @param networkOffset offset of IPv4 header, IPv6 header or GRH
     * @param icrcOffset of the ICRC's first byte, after payload and padding
     */
    public int compute(MemorySegment packet, ByteBuffer view, int networkOffset, int icrcOffset) {
        if (Ipv4.version(packet, networkOffset) == Ipv4.VERSION) {
            return computeIpv4(packet, view, networkOffset, icrcOffset);
        }
        return RocePacket.isV1(packet, networkOffset)
                ? computeGrh(packet, view, networkOffset, icrcOffset)
                : computeIpv6(packet, view, networkOffset, icrcOffset);
    }

    private void copyHeaders(MemorySegment packet, int networkOffset, int bytes) {
        MemorySegment.copy(packet, networkOffset, scratch, LINK_BYTES, bytes);
        BigEndian.put8(scratch, LINK_BYTES + bytes - Bth.BYTES + Bth.CONGESTION, -1);
    }

    private void maskIpv6() {
        BigEndian.put32(scratch, LINK_BYTES, BigEndian.get32(scratch, LINK_BYTES) | IPV6_CLASS_AND_FLOW);
        BigEndian.put8(scratch, LINK_BYTES + Ipv6.HOP_LIMIT, -1);
    }

    private int finish(ByteBuffer view, int networkOffset, int icrcOffset, int maskedBytes) {
        crc.reset();
        crc.update(scratchBuffer.limit(LINK_BYTES + maskedBytes).position(0));
        crc.update(view.limit(icrcOffset).position(networkOffset + maskedBytes));
        return (int) crc.getValue();
    }

    /**
     * Stores a computed CRC at the end of a packet.
     *
     * @param packet the memory of the packet
     * @param icrcOffset of the ICRC's first byte, after payload and padding
     * @param icrc 32 bits, as computed here
     */
    public static void store(MemorySegment packet, long icrcOffset, int icrc) {
        packet.set(LITTLE_ENDIAN, icrcOffset, icrc);
    }

    /**
     * {@return the CRC in a packet}
     *
     * @param packet the memory of the packet
     * @param icrcOffset of the ICRC's first byte, after payload and padding
     */
    public static int load(MemorySegment packet, long icrcOffset) {
        return packet.get(LITTLE_ENDIAN, icrcOffset);
    }
}
