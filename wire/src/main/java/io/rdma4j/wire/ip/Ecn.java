// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ip;

import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;

/**
 * Explicit congestion notification (RFC 3168): the two lowest bits of the IPv4 type of service and the IPv6 traffic
 * class. A sender that supports ECN sends ECT(0) or ECT(1). A router with a long queue changes this to CE instead of
 * dropping the packet. The ICRC does not cover these bits.
 */
public final class Ecn {
    /** The sender does not support ECN. */
    public static final int NOT_ECT = 0;
    /** The sender supports ECN; rarely used. */
    public static final int ECT_1 = 1;
    /** The sender supports ECN. */
    public static final int ECT_0 = 2;
    /** The packet has met congestion. */
    public static final int CE = 3;

    private static final int MASK = 3;

    private Ecn() {}

    /**
     * {@return a traffic class with other ECN bits: 8 bits}
     *
     * @param trafficClass DSCP and ECN: 8 bits
     * @param codepoint 2 bits
     */
    public static int withCodepoint(int trafficClass, int codepoint) {
        return trafficClass & ~MASK | codepoint;
    }

    /**
     * {@return the ECN of the IPv4 or IPv6 header at {@code offset}: 2 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int codepoint(MemorySegment segment, long offset) {
        return trafficClass(segment, offset) & MASK;
    }

    /**
     * Sets the bits of the IPv4 or IPv6 header at {@code offset} to CE, as a router does, and updates the IPv4
     * checksum.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static void mark(MemorySegment segment, long offset) {
        int marked = withCodepoint(trafficClass(segment, offset), CE);
        if (Ipv4.version(segment, offset) == Ipv4.VERSION) {
            Ipv4.typeOfService(segment, offset, marked);
            Ipv4.updateChecksum(segment, offset);
        } else {
            Ipv6.trafficClass(segment, offset, marked);
        }
    }

    private static int trafficClass(MemorySegment segment, long offset) {
        // Both headers begin with four bits of the version. In IPv4 four bits of header length follow before the type
        // of service; in IPv6 the traffic class follows directly.
        int start = BigEndian.get16(segment, offset);
        return start >>> 12 == Ipv4.VERSION ? start & 0xFF : start >>> 4 & 0xFF;
    }
}
