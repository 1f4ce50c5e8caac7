// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.device.PrivateFlag;

/** Default operations of Ethernet drivers ({@code net/ethernet/eth.c}). */
public final class EthernetDevices {
    /** Maximum MTU without jumbo frames, bytes ({@code ETH_DATA_LEN}). */
    public static final int MAX_MTU = 1500;

    private EthernetDevices() {}

    /**
     * Checks that an address is a unicast address and not zero ({@code eth_validate_addr}).
     *
     * @param device the device
     * @param mac 48 bits
     * @throws RdmaException EADDRNOTAVAIL for a multicast address or zero
     */
    public static void validateAddress(NetDevice device, long mac) {
        if (!MacAddress.isValid(mac)) {
            throw new RdmaException(
                    Errno.EADDRNOTAVAIL,
                    device.name() + ": " + MacAddress.toString(mac)
                            + " is no address of one station (48 bits, no group, not 0)");
        }
    }

    /**
     * Checks that the device is down before its address changes ({@code eth_prepare_mac_addr_change}).
     *
     * @param device the device
     * @throws RdmaException EBUSY if it is up and has no {@link PrivateFlag#LIVE_ADDR_CHANGE}
     */
    public static void prepareAddressChange(NetDevice device) {
        if (device.isUp() && !device.flags().has(PrivateFlag.LIVE_ADDR_CHANGE)) {
            throw new RdmaException(Errno.EBUSY, device.name() + " is up: take it down to change its address");
        }
    }

    /**
     * Checks an MTU without jumbo frames ({@code eth_change_mtu}). Drivers with jumbo frames have their own check.
     *
     * @param device the device
     * @param bytes the new MTU
     * @throws RdmaException EINVAL for less than 68 or more than {@link #MAX_MTU}
     */
    public static void changeMtu(NetDevice device, int bytes) {
        if (bytes < NetDeviceSetup.MIN_MTU || bytes > MAX_MTU) {
            throw new RdmaException(
                    Errno.EINVAL,
                    device.name() + ": MTU " + bytes + " is not in " + NetDeviceSetup.MIN_MTU + ".." + MAX_MTU
                            + ": its driver has no jumbo frames");
        }
    }
}
