// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import io.rdma4j.net.device.NetDeviceEvent;
import io.rdma4j.net.device.Rtnl;
import io.rdma4j.net.skb.PacketTimestamps;

/**
 * The network namespace of a device, as the device needs it ({@code nd_net}). {@code io.rdma4j.net.ns.NetNamespace}
 * implements it for users.
 *
 * <p>The caller holds the RTNL lock, except for {@link #rtnl}, {@link #timestamps}, {@link #linkEvent} and
 * {@link #referencesGone}.
 */
public interface DeviceHome {
    /** {@return the host's RTNL lock} */
    Rtnl rtnl();

    /**
     * {@return the name for a device, from a requested name or pattern ({@code dev_get_valid_name})}
     *
     * @param nameOrPattern a name, or a pattern such as {@code eth%d}
     * @throws io.rdma4j.base.RdmaException EEXIST, EINVAL or ENFILE
     */
    String chooseName(String nameOrPattern);

    /**
     * {@return the requested name of a device at its registration: the driver's choice, or that of a policy of the
     * host}
     *
     * @param device a device of this namespace, or one that is being registered
     */
    String proposeName(NetDevice device);

    /**
     * {@return the interface index for a device}
     *
     * @param wanted the requested index; 0 for the next free one ({@code dev_new_index})
     * @throws io.rdma4j.base.RdmaException EBUSY if another device has it
     */
    int chooseIndex(int wanted);

    /**
     * {@return true if a device has this interface index}
     *
     * @param index the index, from 1
     */
    boolean isTaken(int index);

    /** {@return the packet timestamping of the host: its state and its clock} */
    PacketTimestamps timestamps();

    /**
     * Adds a device to the lists ({@code list_netdevice}).
     *
     * @param device a device of this namespace, or one that is being registered
     */
    void list(NetDevice device);

    /**
     * Removes a device from the lists ({@code unlist_netdevice}).
     *
     * @param device a device of this namespace, or one that is being registered
     */
    void unlist(NetDevice device);

    /**
     * Reports that a device was added to the device tree of the namespace, or removed from it ({@code kobject_uevent}).
     *
     * @param device a device of this namespace, or one that is being registered
     * @param added true if it was added, false if it is removed
     */
    void announce(NetDevice device, boolean added);

    /**
     * Notifies the listeners of the host ({@code call_netdevice_notifiers}).
     *
     * @param device a device of this namespace, or one that is being registered
     * @param event the event
     */
    void tell(NetDevice device, NetDeviceEvent event);

    /**
     * Schedules a call of {@link LinkState#handleEvent} after a change of a device's link
     * ({@code linkwatch_fire_event}). Any thread may call it, with any locks held. It takes no lock and only records
     * the event.
     *
     * @param device a device of this namespace, or one that is being registered
     */
    void linkEvent(NetDevice device);

    /**
     * Unregisters a device ({@code unregister_netdevice}).
     *
     * @param device a device of this namespace, or one that is being registered
     */
    void unregister(NetDevice device);

    /**
     * Reports that the last reference to an unregistered device was released. Any thread may call it, at any time.
     *
     * @param device a device of this namespace, or one that is being registered
     */
    void referencesGone(NetDevice device);
}
