package io.rdma4j.net;

import io.rdma4j.net.skb.PacketTimestamps;

/**
 * Where a device is registered, as the device sees it: a network namespace of a host ({@code nd_net}). Users see {@code
 * io.rdma4j.net.ns.NetNamespace}, which is the one that implements it.
 *
 * <p>All but {@link #rtnl}, {@link #timestamps}, {@link #linkEvent} and {@link #referencesGone} are called under the lock.
 */
public interface DeviceHome {
    /** The lock of the host. */
    Rtnl rtnl();

    /**
     * The name that a device gets which is to be called {@code nameOrPattern} ({@code dev_get_valid_name}).
     *
     * @param nameOrPattern a name, or a pattern such as {@code eth%d}
     * @throws io.rdma4j.base.RdmaException EEXIST, EINVAL or ENFILE
     */
    String chooseName(String nameOrPattern);

    /** What a device is to be called that is being registered: what its driver wants, or what a policy of the host wants. */
    String proposeName(NetDevice device);

    /**
     * The number that a device gets.
     *
     * @param wanted 0 for the next free one ({@code dev_new_index})
     * @throws io.rdma4j.base.RdmaException EBUSY if another device has it
     */
    int chooseIndex(int wanted);

    /** True if a device has this number. */
    boolean isTaken(int index);

    /** Whether the host stamps packets, and with what time. */
    PacketTimestamps timestamps();

    /** Puts a device on the lists ({@code list_netdevice}). */
    void list(NetDevice device);

    /** Takes it off ({@code unlist_netdevice}). */
    void unlist(NetDevice device);

    /** A device is on the tree of the namespace now, or is not any more ({@code kobject_uevent}). */
    void announce(NetDevice device, boolean added);

    /** Tells all who follow the devices of the host ({@code call_netdevice_notifiers}). */
    void tell(NetDevice device, NetDeviceEvent event);

    /**
     * The link of a device changed ({@code linkwatch_fire_event}): {@link LinkState#handleEvent} is to be called soon. Any
     * thread, with whatever locks; so this takes none and only notes it.
     */
    void linkEvent(NetDevice device);

    /** Takes a device out of the host ({@code unregister_netdevice}). */
    void unregister(NetDevice device);

    /** The last reference to a device that is unregistered was given back; any thread, at any time. */
    void referencesGone(NetDevice device);
}
