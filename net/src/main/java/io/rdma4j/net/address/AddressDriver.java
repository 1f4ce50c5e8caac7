// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.address;

import io.rdma4j.base.Gid;

/** The driver of one device, as the addresses of the device need it. */
public interface AddressDriver {
    /**
     * Checks a link address before it is used ({@code ndo_validate_addr}).
     *
     * @param mac 48 bits
     */
    void validateAddress(long mac);

    /**
     * Changes the link address, which is valid ({@code ndo_set_mac_address}).
     *
     * @param mac 48 bits
     */
    void setMacAddress(long mac);

    /** Reports a change of the address lists or of the modes while the device is up ({@code ndo_set_rx_mode}). */
    void setRxMode();

    /**
     * Joins a multicast group ({@code ip_mc_join_group}).
     *
     * @param group a multicast address
     */
    void joinMulticast(Gid group);

    /**
     * Undoes {@link #joinMulticast} ({@code ip_mc_leave_group}).
     *
     * @param group a multicast address
     */
    void leaveMulticast(Gid group);
}
