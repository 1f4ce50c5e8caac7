package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.RdmaException;

/** What Ethernet devices do whose drivers have nothing better ({@code net/ethernet/eth.c}). */
public final class EthernetDevices {
    /** Largest packet of an Ethernet without jumbo frames, bytes ({@code ETH_DATA_LEN}). */
    public static final int MAX_MTU = 1500;

    private EthernetDevices() {}

    /**
     * An address must be one station's ({@code eth_validate_addr}).
     *
     * @param device whose it is
     * @param mac 48 bits
     * @throws RdmaException EADDRNOTAVAIL for a group or zero
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
     * An address changes while the device is down ({@code eth_prepare_mac_addr_change}).
     *
     * @param device whose it is
     * @throws RdmaException EBUSY if it is up, and no {@link PrivateFlag#LIVE_ADDR_CHANGE}
     */
    public static void prepareAddressChange(NetDevice device) {
        if (device.isUp() && !device.flags().has(PrivateFlag.LIVE_ADDR_CHANGE)) {
            throw new RdmaException(Errno.EBUSY, device.name() + " is up: take it down to change its address");
        }
    }

    /**
     * Frames have an ordinary length ({@code eth_change_mtu}); drivers that carry jumbo frames have a method of their own.
     *
     * @param device whose it is
     * @param bytes largest packet from now on
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
