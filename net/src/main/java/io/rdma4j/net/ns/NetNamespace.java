package io.rdma4j.net.ns;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.DeviceHome;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceEvent;
import io.rdma4j.net.Rtnl;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A set of devices with names and numbers of their own ({@code struct net}); what is in one namespace is not seen from
 * another. A device belongs to exactly one. Any thread may call.
 */
public final class NetNamespace {
    private final NetHost host;
    private final DeviceTable devices = new DeviceTable(0);
    private final Home home = new Home();

    NetNamespace(NetHost host) {
        this.host = host;
    }

    /**
     * The namespace of a device ({@code dev_net}); that of an unregistered device is the one it was in last.
     *
     * @throws RdmaException ENODEV if it was never registered
     */
    public static NetNamespace of(NetDevice device) {
        if (device.registration().home() instanceof Home home) {
            return home.namespace();
        }
        throw new RdmaException(Errno.ENODEV, device.name() + " is in no namespace: register it first");
    }

    /** The machine that it is on. */
    public NetHost host() {
        return host;
    }

    /**
     * Makes a device known ({@code register_netdev}). A pattern such as {@code eth%d} for a name becomes the first name that
     * is free, and ifindex 0 the next number; the driver sets itself up, and those who follow the host are told.
     *
     * <p>If that fails, the device is as it was: its maker may try again, or free it.
     *
     * @return the device
     * @throws RdmaException EINVAL if it was registered before, EEXIST for a name and EBUSY for a number that is taken, and
     *     what the driver or a follower refuses it with
     */
    public NetDevice register(NetDevice device) {
        device.registration().register(home);
        return device;
    }

    /** The device of this name or null ({@code __dev_get_by_name}). */
    public @Nullable NetDevice find(String name) {
        return devices.find(name);
    }

    /** The device of this number or null ({@code __dev_get_by_index}). */
    public @Nullable NetDevice find(int ifindex) {
        return devices.find(ifindex);
    }

    /** As {@link #find(String)}, with a reference that the caller gives back ({@code dev_get_by_name}). */
    public @Nullable NetDevice hold(String name) {
        return host.rtnl().call(() -> held(devices.find(name)));
    }

    /** As {@link #find(int)}, with a reference that the caller gives back ({@code dev_get_by_index}). */
    public @Nullable NetDevice hold(int ifindex) {
        return host.rtnl().call(() -> held(devices.find(ifindex)));
    }

    private static @Nullable NetDevice held(@Nullable NetDevice device) {
        if (device != null) {
            device.references().hold();
        }
        return device;
    }

    /** A copy of the list of devices, in the order of their registration ({@code for_each_netdev}). */
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
        public String chooseName(String nameOrPattern) {
            return devices.chooseName(nameOrPattern);
        }

        @Override
        public int chooseIndex(int wanted) {
            return devices.chooseIndex(wanted);
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
