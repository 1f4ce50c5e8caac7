// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.address.LinkAddresses;
import java.util.Arrays;

/**
 * Makes a lower device receive what the device above it needs ({@code dev_uc_sync}, {@code dev_mc_sync},
 * {@code dev_set_promiscuity}): the upper device's own address, its address lists, all multicast, or all frames. For
 * one pair of devices.
 */
final class AddressSync {
    private static final long[] NONE = {};

    private final LinkAddresses upper;
    private final LinkAddresses lower;
    private long[] unicast = NONE;
    private long[] multicast = NONE;
    private boolean promiscuous;
    private boolean allMulticast;

    AddressSync(NetDevice upper, NetDevice lower) {
        this.upper = upper.link();
        this.lower = lower.link();
    }

    /** Applies a change of the upper device, or of the lower device's own address. */
    synchronized void update() {
        long[] wanted = upper.unicast();
        if (upper.own() != lower.own()) {
            wanted = Arrays.copyOf(wanted, wanted.length + 1);
            wanted[wanted.length - 1] = upper.own();
        }
        set(wanted, upper.multicast(), upper.isPromiscuous(), upper.isAllMulticast());
    }

    /** Withdraws everything that the upper device requested. */
    synchronized void clear() {
        set(NONE, NONE, false, false);
    }

    private void set(long[] stations, long[] groups, boolean all, boolean allGroups) {
        for (long mac : without(stations, unicast)) {
            lower.addUnicast(mac);
        }
        for (long mac : without(unicast, stations)) {
            lower.removeUnicast(mac);
        }
        for (long mac : without(groups, multicast)) {
            lower.addMulticast(mac);
        }
        for (long mac : without(multicast, groups)) {
            lower.removeMulticast(mac);
        }
        if (all != promiscuous) {
            lower.setPromiscuity(all ? 1 : -1);
        }
        if (allGroups != allMulticast) {
            lower.setAllMulticast(allGroups ? 1 : -1);
        }
        unicast = stations;
        multicast = groups;
        promiscuous = all;
        allMulticast = allGroups;
    }

    private static long[] without(long[] list, long[] others) {
        return Arrays.stream(list)
                .filter(mac -> Arrays.stream(others).noneMatch(other -> other == mac))
                .toArray();
    }
}
