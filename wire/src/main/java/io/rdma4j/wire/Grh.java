// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire;

import io.rdma4j.wire.ip.Ipv6;
import java.lang.foreign.MemorySegment;

/**
 * The global route header (IBA 8.3), {@code struct ib_grh}: an IPv6 header whose addresses are GIDs.
 *
 * <pre>
 *     0                   1                   2                   3
 *     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *    +-------+---------------+---------------------------------------+
 *  0 | IPVer | traffic class |              flow label               |
 *    +-------+---------------+-------+---------------+---------------+
 *  4 |        payload length         |  next header  |   hop limit   |
 *    +-------------------------------+---------------+---------------+
 *  8 |                           source GID                          |
 *    +---------------------------------------------------------------+
 * 24 |                        destination GID                        |
 *    +---------------------------------------------------------------+
 * </pre>
 *
 * In RoCEv1 it follows the Ethernet header, and the payload length counts from BTH to ICRC. In RoCEv2 the IP header
 * replaces it. Fields are read with the accessors of {@link Ipv6}.
 */
public final class Grh {
    /** Bytes of the header. */
    public static final int BYTES = Ipv6.BYTES;
    /** Next header: a {@link Bth} follows. */
    public static final int NEXT_HEADER_BTH = 0x1B;

    private Grh() {}

    /**
     * Writes a header that a {@link Bth} follows.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param trafficClass DSCP and ECN: 8 bits
     * @param flowLabel 20 bits
     * @param payloadLength bytes from BTH to ICRC, 16 bits
     * @param hopLimit 8 bits
     * @param sourcePrefix upper 64 bits of the address
     * @param sourceInterfaceId lower 64 bits of the address
     * @param destinationPrefix upper 64 bits of the address
     * @param destinationInterfaceId lower 64 bits of the address
     * @see Ipv6#write the widths of the other fields
     */
    public static void write(
            MemorySegment segment,
            long offset,
            int trafficClass,
            int flowLabel,
            int payloadLength,
            int hopLimit,
            long sourcePrefix,
            long sourceInterfaceId,
            long destinationPrefix,
            long destinationInterfaceId) {
        Ipv6.write(
                segment,
                offset,
                trafficClass,
                flowLabel,
                payloadLength,
                NEXT_HEADER_BTH,
                hopLimit,
                sourcePrefix,
                sourceInterfaceId,
                destinationPrefix,
                destinationInterfaceId);
    }
}
