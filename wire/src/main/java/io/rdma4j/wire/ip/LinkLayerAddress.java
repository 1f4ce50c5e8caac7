// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ip;

import io.rdma4j.base.Gid;
import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;

/**
 * The address of a station on its link, as ARP and neighbour discovery carry it: 48 bits on Ethernet, and on InfiniBand
 * (RFC 4391, 9.1.1) 20 bytes: one reserved byte, queue pair number, GID.
 */
public final class LinkLayerAddress {
    /** Bytes of an address of Ethernet. */
    public static final int ETHERNET_BYTES = 6;

    /** Bytes of an address of IP over InfiniBand. */
    public static final int INFINIBAND_BYTES = 20;

    private static final int QPN_MASK = 0xFF_FFFF;
    private static final int GID = 4;
    private static final int INTERFACE_ID = 12;

    private LinkLayerAddress() {}

    /**
     * {@return an address of Ethernet, 48 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the address
     */
    public static long ethernet(MemorySegment segment, long offset) {
        return BigEndian.get48(segment, offset);
    }

    /**
     * Writes an address of Ethernet.
     *
     * @param segment the memory of the packet
     * @param offset of the address
     * @param mac 48 bits
     */
    public static void writeEthernet(MemorySegment segment, long offset, long mac) {
        BigEndian.put48(segment, offset, mac);
    }

    /**
     * {@return the queue pair number of an address of InfiniBand, 24 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the address
     */
    public static int qpn(MemorySegment segment, long offset) {
        return BigEndian.get32(segment, offset) & QPN_MASK;
    }

    /**
     * {@return the GID of an address of InfiniBand} Allocates.
     *
     * @param segment the memory of the packet
     * @param offset of the address
     */
    public static Gid gid(MemorySegment segment, long offset) {
        return new Gid(BigEndian.get64(segment, offset + GID), BigEndian.get64(segment, offset + INTERFACE_ID));
    }

    /**
     * Writes an address of InfiniBand.
     *
     * @param segment the memory of the packet
     * @param offset of the address
     * @param qpn 24 bits
     * @param gid of a port or a group
     */
    public static void writeInfiniband(MemorySegment segment, long offset, int qpn, Gid gid) {
        BigEndian.put32(segment, offset, qpn);
        BigEndian.put64(segment, offset + GID, gid.prefix());
        BigEndian.put64(segment, offset + INTERFACE_ID, gid.interfaceId());
    }
}
