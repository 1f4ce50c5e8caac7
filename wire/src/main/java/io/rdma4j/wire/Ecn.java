package io.rdma4j.wire;

import java.lang.foreign.MemorySegment;

/**
 * Explicit congestion notification (RFC 3168): the two lowest bits of IPv4's type of service and of IPv6's traffic class. A
 * sender says by ECT(0) or ECT(1) that it listens; whoever forwards the packet and has a long queue makes CE of it instead of
 * dropping it. The ICRC does not cover them.
 */
public final class Ecn {
    /** The sender does not listen. */
    public static final int NOT_ECT = 0;
    /** The sender listens; hardly used. */
    public static final int ECT_1 = 1;
    /** The sender listens. */
    public static final int ECT_0 = 2;
    /** The packet has met congestion. */
    public static final int CE = 3;

    private static final int MASK = 3;

    private Ecn() {}

    /**
     * {@return a traffic class with other bits of ECN: 8 bits}
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
     * @param segment the memory that the packet lies in
     * @param offset of the header's first byte in {@code segment}
     */
    public static int codepoint(MemorySegment segment, long offset) {
        return trafficClass(segment, offset) & MASK;
    }

    /**
     * Makes CE of the bits of the IPv4 or IPv6 header at {@code offset}, as a router does; the checksum follows.
     *
     * @param segment the memory that the packet lies in
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
        // Four bits of the version; then IPv4 has four of the header's length first, IPv6 has it at once.
        int start = BigEndian.get16(segment, offset);
        return start >>> 12 == Ipv4.VERSION ? start & 0xFF : start >>> 4 & 0xFF;
    }
}
