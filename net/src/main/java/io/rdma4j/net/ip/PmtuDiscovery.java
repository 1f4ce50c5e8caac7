package io.rdma4j.net.ip;

/** What a sender does about packets that are too large for their path ({@code IP_MTU_DISCOVER}). */
public enum PmtuDiscovery {
    /** They are cut, here or on their way ({@code IP_PMTUDISC_DONT}). */
    DONT(0),
    /** They are cut here if it is known that they must be, else they must not be cut on their way ({@code IP_PMTUDISC_WANT}). */
    WANT(1),
    /** They are never cut: the sender is told ({@code IP_PMTUDISC_DO}). */
    DO(2),
    /** The same, but what the path is known to carry is not looked at: the sender tries it out ({@code IP_PMTUDISC_PROBE}). */
    PROBE(3);

    private final int code;

    PmtuDiscovery(int code) {
        this.code = code;
    }

    /** {@return Linux's number} */
    public int code() {
        return code;
    }

    /** {@return true if packets may be cut here: their {@code local_df}} */
    public boolean allowsLocalFragments() {
        return this == DONT || this == WANT;
    }

    /**
     * Whether "don't fragment" is set in a packet ({@code ip_dont_fragment}).
     *
     * @param fits the packet is no larger than its path is known to carry
     * @param mtuLocked the route does not want to hear of the path's MTU
     */
    boolean setsDontFragment(boolean fits, boolean mtuLocked) {
        return !allowsLocalFragments() || this == WANT && fits && !mtuLocked;
    }
}
