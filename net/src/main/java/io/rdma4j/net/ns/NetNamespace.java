package io.rdma4j.net.ns;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.DeviceHome;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceEvent;
import io.rdma4j.net.NetDeviceFeature;
import io.rdma4j.net.Rtnl;
import io.rdma4j.net.skb.PacketTimestamps;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A set of devices with names and numbers of their own ({@code struct net}); what is in one namespace is not seen from
 * another. A device belongs to exactly one. Any thread may call.
 *
 * <p>A namespace is there as long as somebody made it and has not closed it, or a {@link NetSession} is in it. Then its devices
 * go: those that stand for something outside to the initial namespace, all others for good.
 */
public final class NetNamespace implements AutoCloseable {
    private final NetHost host;
    private final UserNamespace owner;
    private final long id;
    private final DeviceTable devices = new DeviceTable(0);
    private final Home home = new Home();
    private final AttributeTree attributes = new AttributeTree(this);
    private final List<Consumer<Uevent>> ueventListeners = new CopyOnWriteArrayList<>();

    /** Its maker and the sessions in it; under the lock of the host. */
    private int users = 1;

    private boolean closed;

    NetNamespace(NetHost host, UserNamespace owner, long id) {
        this.host = host;
        this.owner = owner;
        this.id = id;
    }

    /**
     * {@return the namespace of a device ({@code dev_net}); that of an unregistered device is the one it was in last}
     *
     * @param device of any machine
     * @throws RdmaException ENODEV if it was never registered
     */
    public static NetNamespace of(NetDevice device) {
        if (device.registration().home() instanceof Home home) {
            return home.namespace();
        }
        throw new RdmaException(Errno.ENODEV, device.name() + " is in no namespace: register it first");
    }

    /** {@return the machine that it is on} */
    public NetHost host() {
        return host;
    }

    /** {@return its number, unique on the machine for ever: the inode of {@code /proc/PID/ns/net}} */
    public long id() {
        return id;
    }

    /** {@return who may administer it} */
    public UserNamespace owner() {
        return owner;
    }

    /** One more is in it ({@code get_net}). */
    void get() {
        host.rtnl().run(() -> {
            if (users == 0) {
                throw new RdmaException(Errno.ENOENT, "namespace " + id + " is gone");
            }
            users++;
        });
    }

    /** One less; with the last one it goes ({@code put_net}). */
    void put() {
        host.rtnl().run(() -> {
            if (--users == 0) {
                cleanUp();
            }
        });
    }

    /**
     * Its maker needs it no more ({@code ip netns delete}); nothing happens a second time.
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

    /** {@return what its devices show of themselves, by path} */
    public AttributeTree attributes() {
        return attributes;
    }

    /**
     * Hears of every device that comes into this namespace or goes.
     *
     * @param listener called under the machine's lock
     */
    public void addUeventListener(Consumer<Uevent> listener) {
        ueventListeners.add(listener);
    }

    /**
     * Does no longer; nothing happens if it did not.
     *
     * @param listener the same object
     */
    public void removeUeventListener(Consumer<Uevent> listener) {
        ueventListeners.remove(listener);
    }

    /**
     * Makes a device known ({@code register_netdev}). A pattern such as {@code eth%d} for a name becomes the first name that
     * is free, and ifindex 0 the next number; the driver sets itself up, and those who follow the host are told.
     *
     * <p>If that fails, the device is as it was: its maker may try again, or free it.
     *
     * @param device not registered
     * @return the device
     * @throws RdmaException EINVAL if it was registered before, EEXIST for a name and EBUSY for a number that is taken, and
     *     what the driver or a follower refuses it with
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
     * Takes a device from another namespace of the machine ({@code dev_change_net_namespace}); it goes down and keeps its number if
     * that is free. Who follows it hears that it was unregistered, and registered here.
     *
     * @param device of another namespace of this machine
     * @param pattern name to try if another device here has the name, such as {@code dev%d}, or null
     * @throws RdmaException EINVAL for a device of another machine, one that is not registered, or one that belongs to its
     *     namespace; EEXIST if the name is taken, ENOENT if this namespace is gone
     */
    public void move(NetDevice device, @Nullable String pattern) {
        host.rtnl().run(() -> {
            requireAlive();
            device.registration().move(home, pattern);
        });
    }

    /**
     * Gives a device another name ({@code dev_change_name}).
     *
     * @param device of this namespace
     * @param nameOrPattern as for {@link #register}
     * @throws RdmaException ENODEV if it is not of this namespace, EBUSY if it is up, EEXIST or EINVAL for the name
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
     * {@return the device of this name or null ({@code __dev_get_by_name})}
     *
     * @param name as tools show it
     */
    public @Nullable NetDevice find(String name) {
        return devices.find(name);
    }

    /**
     * {@return the device of this number or null ({@code __dev_get_by_index})}
     *
     * @param ifindex from 1
     */
    public @Nullable NetDevice find(int ifindex) {
        return devices.find(ifindex);
    }

    /**
     * Finds a device, with a reference that the caller gives back ({@code dev_get_by_name}).
     *
     * @param name as tools show it
     * @return the device, or null
     */
    public @Nullable NetDevice hold(String name) {
        return host.rtnl().call(() -> held(devices.find(name)));
    }

    /**
     * Finds a device, with a reference that the caller gives back ({@code dev_get_by_index}).
     *
     * @param ifindex from 1
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

    /** This namespace, as its devices see it. */
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
