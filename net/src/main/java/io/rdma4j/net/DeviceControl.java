package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * What a driver has to say when its device is configured: the rarer half of {@code net_device_ops}. A driver implements it
 * besides {@link NetDeviceOps} if one of the defaults, which are what the kernel does without the callback, does not do.
 *
 * <p>Called by the thread that changes the device, one at a time, never on the data path. What the driver refuses it refuses
 * by an {@link RdmaException}, and nothing has changed.
 */
public interface DeviceControl {
    /**
     * The link address is to be used ({@code ndo_validate_addr}): refuse it if it cannot be. On the way up, and before a change.
     *
     * @param device the one that the driver drives
     * @param mac 48 bits
     */
    default void validateAddress(NetDevice device, long mac) {
        EthernetDevices.validateAddress(device, mac);
    }

    /**
     * The link address, found valid, changes ({@code ndo_set_mac_address}); the core takes note of it afterwards.
     *
     * @param device the one that the driver drives
     * @param mac 48 bits
     */
    default void setMacAddress(NetDevice device, long mac) {
        EthernetDevices.prepareAddressChange(device);
    }

    /**
     * The MTU changes ({@code ndo_change_mtu}); the core takes note of it afterwards. It is at least 68, and no more than the
     * device was made with.
     *
     * @param device the one that the driver drives
     * @param bytes largest packet from now on
     */
    default void changeMtu(NetDevice device, int bytes) {
        if (device.linkType() == LinkType.ETHERNET) {
            EthernetDevices.changeMtu(device, bytes);
        }
    }

    /**
     * The lists of addresses, or the modes of {@link LinkAddresses}, are others than before ({@code ndo_set_rx_mode}); the
     * device is up. For drivers whose link filters: by default, all arrives that the link carries.
     *
     * @param device the one that the driver drives
     */
    default void setRxMode(NetDevice device) {}

    /**
     * {@return the device that it stands on, or at the other end of its link ({@code ndo_get_iflink}); null if it has a
     * link of its own}
     *
     * @param device the one that the driver drives
     */
    default @Nullable NetDevice lower(NetDevice device) {
        return null;
    }

    /**
     * {@return what the driver can do of {@code asked}, as things are ({@code ndo_fix_features})}
     *
     * @param device the one that the driver drives
     * @param asked what users want
     */
    default FeatureSet fixFeatures(NetDevice device, FeatureSet asked) {
        return asked;
    }

    /**
     * Another set of features is to be active ({@code ndo_set_features}).
     *
     * @param device the one that the driver drives
     * @param features what is to be active
     * @return {@code features}; where that failed, what is active now in their place
     */
    default FeatureSet setFeatures(NetDevice device, FeatureSet features) {
        return features;
    }

    /**
     * Another device is to be a slave of this one ({@code ndo_add_slave}).
     *
     * @param device the one that the driver drives
     * @param slave registered in the same namespace
     * @throws RdmaException EOPNOTSUPP if this one has no slaves, or whatever keeps it from taking this one
     */
    default void addSlave(NetDevice device, NetDevice slave) {
        throw new RdmaException(Errno.EOPNOTSUPP, device.name() + " takes no slaves");
    }

    /**
     * A slave of this device is to be released ({@code ndo_del_slave}).
     *
     * @param device the one that the driver drives
     * @param slave one of its slaves
     * @throws RdmaException EOPNOTSUPP if this one has no slaves
     */
    default void delSlave(NetDevice device, NetDevice slave) {
        throw new RdmaException(Errno.EOPNOTSUPP, device.name() + " has no slaves");
    }

    /**
     * {@return the driver's counters, if it keeps any besides those of the device ({@code ndo_get_stats64}); null: it
     * does not}
     *
     * @param device the one that the driver drives
     */
    default @Nullable LinkStats64 stats64(NetDevice device) {
        return null;
    }

    /**
     * {@return the same as they count; asked for only where {@link #stats64} is null ({@code ndo_get_stats})}
     *
     * @param device the one that the driver drives
     */
    default @Nullable NetDeviceStats stats(NetDevice device) {
        return null;
    }

    /**
     * {@return what the driver wants to remember of a neighbour that the device has just heard of
     * ({@code neigh_priv_len}, {@code ndo_neigh_construct}); by the owner of the loop} It goes when the neighbour does.
     *
     * @param device the one that the driver drives
     * @param address its IP address
     */
    default @Nullable Object neighbourAttachment(NetDevice device, Gid address) {
        return null;
    }

    /**
     * A request of the driver's own ({@code ndo_do_ioctl}).
     *
     * @param device the one that the driver drives
     * @param key what is to be done
     * @param value to what
     * @return the answer
     * @throws RdmaException EOPNOTSUPP for a key that the driver does not know
     */
    default String command(NetDevice device, String key, String value) {
        throw new RdmaException(Errno.EOPNOTSUPP, device.name() + " has no command \"" + key + "\"");
    }
}
