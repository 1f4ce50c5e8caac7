// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.neighbour;

import io.rdma4j.base.Gid;
import org.jspecify.annotations.Nullable;

/**
 * The station that receives the packets of a route on its first link. Stores the neighbour of the last packet, which
 * saves the lookup while the entry stays in the table. Belongs to the owner of the loop.
 */
public final class NextHop {
    private final Gid address;
    private final boolean isBroadcast;

    /** The neighbour's entry; null before the first packet. */
    @Nullable
    Neighbour neighbour;

    /**
     * Creates a next hop whose neighbour is not known yet.
     *
     * @param address of the gateway, or of the destination itself
     * @param isBroadcast true if all stations of the link receive the packets
     */
    public NextHop(Gid address, boolean isBroadcast) {
        this.address = address;
        this.isBroadcast = isBroadcast;
    }

    /** {@return its IP address} */
    public Gid address() {
        return address;
    }

    boolean isBroadcast() {
        return isBroadcast;
    }
}
