// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

/**
 * What all nodes and links of a subnet share.
 *
 * @param schedule their events
 * @param packets descriptors of packets
 * @param wire makes the bytes of wire links
 */
record FabricParts(EventSchedule schedule, IbPacketPool packets, WireFormat wire) {
    /** A time without limit. */
    static final long FOREVER = Long.MAX_VALUE;

    /** Exponents of times above this one mean "without limit". */
    private static final int MAX_LIFE = 19;

    private static final int LIFE_UNIT_NS = 4096;

    /** Nanoseconds of an exponent of 4.096 µs, or {@link #FOREVER}. */
    static long lifeNs(int exponent) {
        return exponent > MAX_LIFE ? FOREVER : (long) LIFE_UNIT_NS << exponent;
    }
}
