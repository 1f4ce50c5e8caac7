// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import io.rdma4j.base.RdmaException;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.skb.EtherType;

/**
 * VLAN filter operations of a driver, which implements it besides {@link NetDeviceOps}. A driver needs both methods or
 * none, therefore they are a separate interface. A device with {@link NetDeviceFeature#HW_VLAN_CTAG_FILTER} or
 * {@link NetDeviceFeature#HW_VLAN_CTAG_RX} cannot be registered without them.
 *
 * <p>Called under the RTNL lock, for the first and the last user of a VLAN.
 */
public interface VlanFilter {
    /**
     * Starts the reception of a VLAN's frames ({@code ndo_vlan_rx_add_vid}).
     *
     * @param device the driver's device
     * @param protocol 16 bits: {@link EtherType#VLAN}
     * @param vid number of the VLAN, 0..4094
     * @throws RdmaException the driver's error, such as ENOSPC if the link's filter is full; then nothing has changed
     */
    void addVid(NetDevice device, int protocol, int vid);

    /**
     * Ends the reception of a VLAN's frames ({@code ndo_vlan_rx_kill_vid}).
     *
     * @param device the driver's device
     * @param protocol 16 bits: {@link EtherType#VLAN}
     * @param vid number of the VLAN, 0..4094
     */
    void killVid(NetDevice device, int protocol, int vid);
}
