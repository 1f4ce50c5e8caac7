// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base;

/** Queue pair numbers: 24 bits, unsigned; some of them have a special meaning (IBA 3.5.3, 10.5.1). */
public final class Qpn {
    /** Mask of the 24 bits. */
    public static final int MASK = 0xFF_FFFF;
    /** QP0: subnet management, InfiniBand links only. */
    public static final int SMI = 0;
    /** QP1: general services (connection management and other management classes). */
    public static final int GSI = 1;
    /** {@code IB_MULTICAST_QPN}: all queue pairs attached to the destination group receive the packet. */
    public static final int MULTICAST = 0xFF_FFFF;

    private Qpn() {}

    /**
     * {@return the lower 24 bits of {@code value}}
     *
     * @param value any
     */
    public static int of(int value) {
        return value & MASK;
    }

    /**
     * {@return the text in the format of rdma-core's tools: {@code 0x00001e}}
     *
     * @param qpn 24 bits
     */
    public static String toString(int qpn) {
        return String.format("0x%06x", qpn);
    }
}
