// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

/** Mode of path MTU discovery: handling of packets that exceed the path MTU ({@code IP_MTU_DISCOVER}). */
public enum PmtuDiscovery {
    /** Packets are fragmented, by the sender or a router ({@code IP_PMTUDISC_DONT}). */
    DONT(0),
    /**
     * Packets that exceed the known path MTU are fragmented by the sender; others have "don't fragment" set ({@code
     * IP_PMTUDISC_WANT}).
     */
    WANT(1),
    /** Packets are never fragmented: the sender gets an error ({@code IP_PMTUDISC_DO}). */
    DO(2),
    /**
     * As {@link #DO}, but the known path MTU is ignored, so that the sender can probe the path ({@code
     * IP_PMTUDISC_PROBE}).
     */
    PROBE(3);

    private final int code;

    PmtuDiscovery(int code) {
        this.code = code;
    }

    /** {@return the value of Linux} */
    public int code() {
        return code;
    }

    /** {@return true if the sending host may fragment packets: their {@code local_df}} */
    public boolean allowsLocalFragments() {
        return this == DONT || this == WANT;
    }

    /**
     * True if "don't fragment" is set in a packet ({@code ip_dont_fragment}).
     *
     * @param fits true if the packet does not exceed the known path MTU
     * @param mtuLocked true if the route ignores path MTU messages
     */
    boolean setsDontFragment(boolean fits, boolean mtuLocked) {
        return !allowsLocalFragments() || this == WANT && fits && !mtuLocked;
    }
}
