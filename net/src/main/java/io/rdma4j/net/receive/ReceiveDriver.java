// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.receive;

import io.rdma4j.packet.SkBuff;
import org.jspecify.annotations.Nullable;

/** The driver of one device, as the receive path calls it. */
public interface ReceiveDriver {
    /** {@return the next packet of the link, or null if there is none now} The caller owns it. */
    @Nullable
    SkBuff pollReceive();

    /**
     * Starts the reception of a VLAN's frames ({@code ndo_vlan_rx_add_vid}). No effect for a driver without a VLAN
     * filter.
     *
     * @param protocol protocol number of the tag, 16 bits
     * @param vid number of the VLAN, 0..4094
     */
    void addVid(int protocol, int vid);

    /**
     * Ends the reception of a VLAN's frames ({@code ndo_vlan_rx_kill_vid}). No effect for a driver without a VLAN
     * filter.
     *
     * @param protocol protocol number of the tag, 16 bits
     * @param vid number of the VLAN, 0..4094
     */
    void killVid(int protocol, int vid);

    /** {@return true if the other end of its link announces packets} */
    boolean isSignalled();
}
