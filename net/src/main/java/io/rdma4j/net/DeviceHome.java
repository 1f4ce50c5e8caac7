package io.rdma4j.net;

import io.rdma4j.net.skb.PacketTimestamps;

/**
 * Where a device is registered, as the device sees it: a network namespace of a host ({@code nd_net}). Users see {@code
 * io.rdma4j.net.ns.NetNamespace}, which is the one that implements it.
 *
 * <p>All but {@link #rtnl}, {@link #timestamps}, {@link #linkEvent} and {@link #referencesGone} are called under the lock.
 */
public interface DeviceHome {
    /** {@return the lock of the host} */
    Rtnl rtnl();

    /**
     * {@return the name that a device gets which is to be called {@code nameOrPattern} ({@code dev_get_valid_name})}
     *
     * @param nameOrPattern a name, or a pattern such as {@code eth%d}
     * @throws io.rdma4j.base.RdmaException EEXIST, EINVAL or ENFILE
     */
    String chooseName(String nameOrPattern);

    /**
     * {@return what a device is to be called that is being registered: what its driver wants, or what a policy of the
     * host wants}
     *
     * @param device one of this place, or about to be
     */
    String proposeName(NetDevice device);

    /**
     * {@return the number that a device gets}
     *
     * @param wanted 0 for the next free one ({@code dev_new_index})
     * @throws io.rdma4j.base.RdmaException EBUSY if another device has it
     */
    int chooseIndex(int wanted);

    /**
     * {@return true if a device has this number}
     *
     * @param index from 1
     */
    boolean isTaken(int index);

    /** {@return whether the host stamps packets, and with what time} */
    PacketTimestamps timestamps();

    /**
     * Puts a device on the lists ({@code list_netdevice}).
     *
     * @param device one of this place, or about to be
     */
    void list(NetDevice device);

    /**
     * Takes it off ({@code unlist_netdevice}).
     *
     * @param device one of this place, or about to be
     */
    void unlist(NetDevice device);

    /**
     * A device is on the tree of the namespace now, or is not any more ({@code kobject_uevent}).
     *
     * @param device one of this place, or about to be
     * @param added false if it goes
     */
    void announce(NetDevice device, boolean added);

    /**
     * Tells all who follow the devices of the host ({@code call_netdevice_notifiers}).
     *
     * @param device one of this place, or about to be
     * @param event what happened to it
     */
    void tell(NetDevice device, NetDeviceEvent event);

    /**
     * The link of a device changed ({@code linkwatch_fire_event}): {@link LinkState#handleEvent} is to be called soon. Any
     * thread, with whatever locks; so this takes none and only notes it.
     *
     * @param device one of this place, or about to be
     */
    void linkEvent(NetDevice device);

    /**
     * Takes a device out of the host ({@code unregister_netdevice}).
     *
     * @param device one of this place, or about to be
     */
    void unregister(NetDevice device);

    /**
     * The last reference to a device that is unregistered was given back; any thread, at any time.
     *
     * @param device one of this place, or about to be
     */
    void referencesGone(NetDevice device);
}
