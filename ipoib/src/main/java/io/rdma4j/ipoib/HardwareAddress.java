// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ipoib;

import io.rdma4j.base.Gid;
import io.rdma4j.wire.ip.LinkLayerAddress;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;

/**
 * The link address of a station or group, 20 bytes on the link: queue pair number behind one reserved byte, and GID
 * (RFC 4391, 9.1.1). Immutable.
 *
 * @param qpn 24 bits; {@link #GROUP_QPN} for a group
 * @param gid of the port, or of the multicast group
 */
record HardwareAddress(int qpn, Gid gid) {
    static final int BYTES = LinkLayerAddress.INFINIBAND_BYTES;
    static final int GROUP_QPN = 0xFF_FFFF;

    /** First half of the GID of a group of IPv4 or IPv6, with link-local scope and without P_Key. */
    private static final long IPV4_GROUPS = 0xFF12_401B_0000_0000L;

    private static final long IPV6_GROUPS = 0xFF12_601B_0000_0000L;
    private static final long IPV4_GROUP_MASK = 0x0FFF_FFFFL;
    private static final int FULL_MEMBER = 0x8000;
    private static final HexFormat BY_COLONS = HexFormat.ofDelimiter(":");

    static HardwareAddress read(MemorySegment segment, long offset) {
        return new HardwareAddress(LinkLayerAddress.qpn(segment, offset), LinkLayerAddress.gid(segment, offset));
    }

    void write(MemorySegment segment, long offset) {
        LinkLayerAddress.writeInfiniband(segment, offset, qpn, gid);
    }

    /** Returns the address of all stations of a partition. */
    static HardwareAddress broadcast(int pkey) {
        return new HardwareAddress(GROUP_QPN, new Gid(prefix(IPV4_GROUPS, pkey), 0xFFFF_FFFFL));
    }

    /** Returns the address of an IP group (RFC 4391, 4; {@code ip_ib_mc_map}, {@code ipv6_ib_mc_map}). */
    static HardwareAddress ofGroup(Gid group, int pkey) {
        Gid gid = group.isIpv4()
                ? new Gid(prefix(IPV4_GROUPS, pkey), group.interfaceId() & IPV4_GROUP_MASK)
                : new Gid(prefix(IPV6_GROUPS, pkey) | group.prefix() & 0xFFFF, group.interfaceId());
        return new HardwareAddress(GROUP_QPN, gid);
    }

    private static long prefix(long signature, int pkey) {
        return signature | (long) (pkey | FULL_MEMBER) << Short.SIZE;
    }

    boolean isGroup() {
        return gid.isMulticast();
    }

    /** Returns true for an address that a station can have. */
    boolean isStation() {
        return qpn > 1 && qpn != GROUP_QPN && !gid.isMulticast() && !gid.isZero();
    }

    @Override
    public String toString() {
        MemorySegment bytes = MemorySegment.ofArray(new byte[BYTES]);
        write(bytes, 0);
        return BY_COLONS.formatHex((byte[]) bytes.heapBase().orElseThrow());
    }
}
