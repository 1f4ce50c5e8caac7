package io.rdma4j.net.ethtool;

import java.util.Set;

/**
 * What wakes a machine that sleeps ({@code ethtool_wolinfo}).
 *
 * @param supported by the device
 * @param enabled of that
 */
public record WakeOnLan(Set<Cause> supported, Set<Cause> enabled) {
    /** What is taken for a call. */
    public enum Cause {
        /** The link comes up or goes down ({@code WAKE_PHY}). */
        LINK,
        /** A frame to this station ({@code WAKE_UCAST}). */
        UNICAST,
        /** A frame to a group ({@code WAKE_MCAST}). */
        MULTICAST,
        /** A frame to all ({@code WAKE_BCAST}). */
        BROADCAST,
        /** A question for its address ({@code WAKE_ARP}). */
        ARP,
        /** A frame made for the purpose ({@code WAKE_MAGIC}). */
        MAGIC
    }

    /** Copies. */
    public WakeOnLan {
        supported = Set.copyOf(supported);
        enabled = Set.copyOf(enabled);
    }
}
