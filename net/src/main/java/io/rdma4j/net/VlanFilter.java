package io.rdma4j.net;

import io.rdma4j.base.RdmaException;

/**
 * A driver whose link is told which VLANs it is to receive; a driver implements it besides {@link NetDeviceOps}. Both methods
 * or none, which is why they are an interface of their own: a device that has {@link NetDeviceFeature#HW_VLAN_CTAG_FILTER} or {@link
 * NetDeviceFeature#HW_VLAN_CTAG_RX}, and a driver without them, is not registered.
 *
 * <p>Called under the lock, for the first and the last of those who want a VLAN.
 */
public interface VlanFilter {
    /**
     * Frames of a VLAN are wanted ({@code ndo_vlan_rx_add_vid}).
     *
     * @param device whose link it is
     * @param protocol 16 bits: {@link EtherType#VLAN}
     * @param vid number of the VLAN, 0..4094
     * @throws RdmaException ENOSPC, say, if the link has no room for another one: nothing has changed
     */
    void addVid(NetDevice device, int protocol, int vid);

    /**
     * They are not wanted any more ({@code ndo_vlan_rx_kill_vid}).
     *
     * @param device whose link it is
     * @param protocol 16 bits: {@link EtherType#VLAN}
     * @param vid number of the VLAN, 0..4094
     */
    void killVid(NetDevice device, int protocol, int vid);
}
