// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.ethtool;

import java.util.Set;

/**
 * Events that wake a sleeping machine ({@code ethtool_wolinfo}).
 *
 * @param supported events that the device supports
 * @param enabled events that are enabled
 */
public record WakeOnLan(Set<Cause> supported, Set<Cause> enabled) {
    /** An event that wakes the machine. */
    public enum Cause {
        /** The link comes up or goes down ({@code WAKE_PHY}). */
        LINK,
        /** A frame to this station ({@code WAKE_UCAST}). */
        UNICAST,
        /** A multicast frame ({@code WAKE_MCAST}). */
        MULTICAST,
        /** A broadcast frame ({@code WAKE_BCAST}). */
        BROADCAST,
        /** An ARP request for its address ({@code WAKE_ARP}). */
        ARP,
        /** A magic packet ({@code WAKE_MAGIC}). */
        MAGIC
    }

    /** Copies the sets. */
    public WakeOnLan {
        supported = Set.copyOf(supported);
        enabled = Set.copyOf(enabled);
    }
}
