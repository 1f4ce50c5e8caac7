// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.address.LinkAddresses;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.device.NetDeviceStats;
import io.rdma4j.net.feature.FeatureSet;
import org.jspecify.annotations.Nullable;

/**
 * Configuration callbacks of a driver: the rarely used part of {@code net_device_ops}. A driver implements this
 * interface besides {@link NetDeviceOps} if a default does not suit it. The defaults do what the kernel does without
 * the callback.
 *
 * <p>The thread that changes the device calls the methods, one call at a time, never on the data path. The driver
 * rejects a change with an {@link RdmaException}; then nothing has changed.
 */
public interface DeviceControl {
    /**
     * Checks a link address before it is used ({@code ndo_validate_addr}). Called when the device comes up, and before
     * the address changes.
     *
     * @param device the driver's device
     * @param mac 48 bits
     */
    default void validateAddress(NetDevice device, long mac) {
        EthernetDevices.validateAddress(device, mac);
    }

    /**
     * Changes the link address, which is valid ({@code ndo_set_mac_address}). The core stores it after this call.
     *
     * @param device the driver's device
     * @param mac 48 bits
     */
    default void setMacAddress(NetDevice device, long mac) {
        EthernetDevices.prepareAddressChange(device);
    }

    /**
     * Changes the MTU ({@code ndo_change_mtu}). The core stores it after this call. The value is at least 68 bytes and
     * at most the device's maximum MTU.
     *
     * @param device the driver's device
     * @param bytes new maximum packet size
     */
    default void changeMtu(NetDevice device, int bytes) {
        if (device.linkType() == LinkType.ETHERNET) {
            EthernetDevices.changeMtu(device, bytes);
        }
    }

    /**
     * Reports a change of the address lists or of the modes in {@link LinkAddresses} while the device is up
     * ({@code ndo_set_rx_mode}). Drivers whose link filters frames implement it. By default, every frame of the link
     * arrives.
     *
     * @param device the driver's device
     */
    default void setRxMode(NetDevice device) {}

    /**
     * {@return the lower device, or the device at the other end of its link ({@code ndo_get_iflink}); null if the
     * device has a link of its own}
     *
     * @param device the driver's device
     */
    default @Nullable NetDevice lower(NetDevice device) {
        return null;
    }

    /**
     * {@return the subset of {@code asked} that the driver supports at present ({@code ndo_fix_features})}
     *
     * @param device the driver's device
     * @param asked the requested features
     */
    default FeatureSet fixFeatures(NetDevice device, FeatureSet asked) {
        return asked;
    }

    /**
     * Activates a set of features ({@code ndo_set_features}).
     *
     * @param device the driver's device
     * @param features the features to activate
     * @return {@code features}; if that failed, the features that are active now
     */
    default FeatureSet setFeatures(NetDevice device, FeatureSet features) {
        return features;
    }

    /**
     * Adds a port to this device ({@code ndo_add_slave}).
     *
     * @param device the driver's device
     * @param slave a device registered in the same namespace
     * @throws RdmaException EOPNOTSUPP if this device has no ports, or the driver's reason to reject this port
     */
    default void addSlave(NetDevice device, NetDevice slave) {
        throw new RdmaException(Errno.EOPNOTSUPP, device.name() + " takes no slaves");
    }

    /**
     * Releases a port of this device ({@code ndo_del_slave}).
     *
     * @param device the driver's device
     * @param slave one of its ports
     * @throws RdmaException EOPNOTSUPP if this device has no ports
     */
    default void delSlave(NetDevice device, NetDevice slave) {
        throw new RdmaException(Errno.EOPNOTSUPP, device.name() + " has no slaves");
    }

    /**
     * {@return the driver's own counters ({@code ndo_get_stats64}); null if it has none besides those of the device}
     *
     * @param device the driver's device
     */
    default @Nullable LinkStats64 stats64(NetDevice device) {
        return null;
    }

    /**
     * {@return the driver's own counters, live; used only if {@link #stats64} returns null ({@code ndo_get_stats})}
     *
     * @param device the driver's device
     */
    default @Nullable NetDeviceStats stats(NetDevice device) {
        return null;
    }

    /**
     * {@return the driver's private data for a new neighbour ({@code neigh_priv_len}, {@code ndo_neigh_construct}), or
     * null} Called by the loop's owner. The data are released with the neighbour.
     *
     * @param device the driver's device
     * @param address the neighbour's IP address
     */
    default @Nullable Object neighbourAttachment(NetDevice device, Gid address) {
        return null;
    }

    /**
     * Executes a private command of the driver ({@code ndo_do_ioctl}).
     *
     * @param device the driver's device
     * @param key the command
     * @param value its argument
     * @return the result
     * @throws RdmaException EOPNOTSUPP for an unknown command
     */
    default String command(NetDevice device, String key, String value) {
        throw new RdmaException(Errno.EOPNOTSUPP, device.name() + " has no command \"" + key + "\"");
    }
}
