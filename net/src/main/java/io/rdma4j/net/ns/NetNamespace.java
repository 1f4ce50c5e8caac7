// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.ns;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.DeviceHome;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.device.NetDeviceEvent;
import io.rdma4j.net.device.Rtnl;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.skb.PacketTimestamps;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A set of devices with their own names and indexes ({@code struct net}). A device belongs to exactly one namespace and
 * is invisible in others. Any thread may call it.
 *
 * <p>A namespace exists until its creator has closed it and no {@link NetSession} uses it. Then devices without a link
 * kind move to the initial namespace, unless they cannot leave. All others are deleted.
 */
public final class NetNamespace implements AutoCloseable {
    private final NetHost host;
    private final UserNamespace owner;
    private final long id;
    private final DeviceTable devices = new DeviceTable(0);
    private final Home home = new Home();
    private final AttributeTree attributes = new AttributeTree(this);
    private final List<Consumer<Uevent>> ueventListeners = new CopyOnWriteArrayList<>();

    /** Number of users: the creator and the sessions. Guarded by the RTNL lock. */
    private int users = 1;

    private boolean closed;

    NetNamespace(NetHost host, UserNamespace owner, long id) {
        this.host = host;
        this.owner = owner;
        this.id = id;
    }

    /**
     * {@return the namespace of a device ({@code dev_net}); for an unregistered device the last one}
     *
     * @param device a device of any machine
     * @throws RdmaException ENODEV if it was never registered
     */
    public static NetNamespace of(NetDevice device) {
        if (device.registration().home() instanceof Home home) {
            return home.namespace();
        }
        throw new RdmaException(Errno.ENODEV, device.name() + " is in no namespace: register it first");
    }

    /** {@return its machine} */
    public NetHost host() {
        return host;
    }

    /** {@return its number, never used again on the machine: the inode of {@code /proc/PID/ns/net}} */
    public long id() {
        return id;
    }

    /** {@return the user namespace that owns it} */
    public UserNamespace owner() {
        return owner;
    }

    /** Adds a user ({@code get_net}). */
    void get() {
        host.rtnl().run(() -> {
            if (users == 0) {
                throw new RdmaException(Errno.ENOENT, "namespace " + id + " is gone");
            }
            users++;
        });
    }

    /** Removes a user; the last one deletes the namespace ({@code put_net}). */
    void put() {
        host.rtnl().run(() -> {
            if (--users == 0) {
                cleanUp();
            }
        });
    }

    /**
     * Releases the creator's use of the namespace ({@code ip netns delete}). Further calls have no effect.
     *
     * @throws RdmaException EBUSY for the initial namespace
     */
    @Override
    public void close() {
        if (this == host.initial()) {
            throw new RdmaException(Errno.EBUSY, "the initial namespace goes with the machine");
        }
        host.rtnl().run(() -> {
            if (!closed) {
                closed = true;
                put();
            }
        });
    }

    /** {@code default_device_exit_net}, {@code default_device_exit_batch}. */
    private void cleanUp() {
        host.forget(this);
        List<NetDevice> leaving = new ArrayList<>();
        for (NetDevice device : devices().reversed()) {
            LinkKind kind = host.links().find(device.node().kind());
            if (kind != null) {
                kind.dellink(device, leaving);
            } else if (device.features().has(NetDeviceFeature.NETNS_LOCAL)) {
                leaving.add(device);
            } else {
                host.initial().move(device, "dev%d");
            }
        }
        host.unregister(leaving);
    }

    /** {@return the attributes of its devices by path} */
    public AttributeTree attributes() {
        return attributes;
    }

    /**
     * Adds a listener for devices that are added to this namespace or removed from it.
     *
     * @param listener called under the RTNL lock
     */
    public void addUeventListener(Consumer<Uevent> listener) {
        ueventListeners.add(listener);
    }

    /**
     * Registers a device ({@code register_netdev}). A pattern such as {@code eth%d} becomes the first free name, and
     * ifindex 0 the next index. The driver initialises itself, and the listeners of the host are notified.
     *
     * <p>If it fails, the device is unchanged. The caller may register it again or free it.
     *
     * @param device a device that is not registered
     * @return the device
     * @throws RdmaException EINVAL if it was registered before, EEXIST or EBUSY if its name or index is in use, ENOENT
     *     if this namespace is deleted, or the error of the driver or a listener
     */
    public NetDevice register(NetDevice device) {
        host.rtnl().run(() -> {
            requireAlive();
            device.registration().register(home);
        });
        return device;
    }

    private void requireAlive() {
        if (users == 0) {
            throw new RdmaException(Errno.ENOENT, "namespace " + id + " is gone");
        }
    }

    /**
     * Moves a device from another namespace of the machine to this one ({@code dev_change_net_namespace}). The device
     * is brought down and keeps its index if that is free. Listeners see an unregistration and a registration.
     *
     * @param device a device of another namespace of this machine
     * @param pattern name or pattern to use if the device's name is in use here, such as {@code dev%d}, or null
     * @throws RdmaException EINVAL for a device of another machine, one that is not registered, or one that cannot
     *     leave its namespace; EEXIST if the name is in use, ENOENT if this namespace is deleted
     */
    public void move(NetDevice device, @Nullable String pattern) {
        host.rtnl().run(() -> {
            requireAlive();
            device.registration().move(home, pattern);
        });
    }

    /**
     * Renames a device ({@code dev_change_name}).
     *
     * @param device a device of this namespace
     * @param nameOrPattern as for {@link #register}
     * @throws RdmaException ENODEV if it is not in this namespace, EBUSY if it is up, EEXIST or EINVAL for the name
     */
    public void rename(NetDevice device, String nameOrPattern) {
        host.rtnl().run(() -> {
            if (devices.find(device.ifindex()) != device) {
                throw new RdmaException(Errno.ENODEV, device.name() + " is not in this namespace");
            }
            device.registration().rename(nameOrPattern);
        });
    }

    /**
     * {@return the device with a name, or null ({@code __dev_get_by_name})}
     *
     * @param name the name
     */
    public @Nullable NetDevice find(String name) {
        return devices.find(name);
    }

    /**
     * {@return the device with an index, or null ({@code __dev_get_by_index})}
     *
     * @param ifindex the index, from 1
     */
    public @Nullable NetDevice find(int ifindex) {
        return devices.find(ifindex);
    }

    /**
     * Finds a device and adds a reference, which the caller must release ({@code dev_get_by_name}).
     *
     * @param name the name
     * @return the device, or null
     */
    public @Nullable NetDevice hold(String name) {
        return host.rtnl().call(() -> held(devices.find(name)));
    }

    /**
     * Finds a device and adds a reference, which the caller must release ({@code dev_get_by_index}).
     *
     * @param ifindex the index, from 1
     * @return the device, or null
     */
    public @Nullable NetDevice hold(int ifindex) {
        return host.rtnl().call(() -> held(devices.find(ifindex)));
    }

    private static @Nullable NetDevice held(@Nullable NetDevice device) {
        if (device != null) {
            device.references().hold();
        }
        return device;
    }

    /** {@return a copy of the list of devices, in the order of their registration ({@code for_each_netdev})} */
    public List<NetDevice> devices() {
        return devices.all();
    }

    /** Implements the namespace interface for devices. */
    private final class Home implements DeviceHome {
        NetNamespace namespace() {
            return NetNamespace.this;
        }

        @Override
        public Rtnl rtnl() {
            return host.rtnl();
        }

        @Override
        public PacketTimestamps timestamps() {
            return host.timestamps();
        }

        @Override
        public String chooseName(String nameOrPattern) {
            return devices.chooseName(nameOrPattern);
        }

        @Override
        public String proposeName(NetDevice device) {
            return host.proposeName(device);
        }

        @Override
        public int chooseIndex(int wanted) {
            return devices.chooseIndex(wanted);
        }

        @Override
        public boolean isTaken(int index) {
            return devices.find(index) != null;
        }

        @Override
        public void announce(NetDevice device, boolean added) {
            Uevent event =
                    new Uevent(added ? Uevent.Action.ADD : Uevent.Action.REMOVE, NetNamespace.this, device.name());
            ueventListeners.forEach(listener -> listener.accept(event));
        }

        @Override
        public void linkEvent(NetDevice device) {
            host.linkEvent(device);
        }

        @Override
        public void list(NetDevice device) {
            devices.add(device);
        }

        @Override
        public void unlist(NetDevice device) {
            devices.remove(device);
        }

        @Override
        public void tell(NetDevice device, NetDeviceEvent event) {
            host.tell(device, event);
        }

        @Override
        public void unregister(NetDevice device) {
            host.unregister(List.of(device));
        }

        @Override
        public void referencesGone(NetDevice device) {
            host.runTodo();
        }
    }
}
