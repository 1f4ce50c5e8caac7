// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ib;

import io.rdma4j.wire.Grh;
import io.rdma4j.wire.ip.Ipv6;

/** What follows the {@link Lrh} of a packet (IBA 7.7.5): the LNH field. The ordinal is the code. */
public enum LinkNextHeader {
    /** A raw packet: 16 reserved bits, 16 bits of ether type, payload. */
    RAW_ETHERTYPE(4),
    /** A raw packet: an IPv6 header. */
    RAW_IPV6(Ipv6.BYTES),
    /** A transport header; the packet stays in the subnet. */
    LOCAL(0),
    /** A {@link Grh}, then a transport header. */
    GLOBAL(Grh.BYTES);

    private static final LinkNextHeader[] VALUES = values();

    private final int bytes;

    LinkNextHeader(int bytes) {
        this.bytes = bytes;
    }

    /** {@return true if the packet has no transport headers and no invariant CRC} */
    public boolean isRaw() {
        return this == RAW_ETHERTYPE || this == RAW_IPV6;
    }

    /** {@return bytes of the header between {@link Lrh} and transport headers or payload} */
    public int bytes() {
        return bytes;
    }

    /**
     * {@return the header with this code}
     *
     * @param code 2 bits are used
     */
    public static LinkNextHeader of(int code) {
        return VALUES[code & 3];
    }
}
