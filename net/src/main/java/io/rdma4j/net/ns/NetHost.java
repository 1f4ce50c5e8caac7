package io.rdma4j.net.ns;

import io.rdma4j.base.NanoClock;
import io.rdma4j.net.DeviceRegistration;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceEvent;
import io.rdma4j.net.NetDeviceListener;
import io.rdma4j.net.RegistrationState;
import io.rdma4j.net.Rtnl;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * One machine: its namespaces, their devices, and who follows them. Nothing of it is global, so a JVM may hold many. Any
 * thread may call.
 */
public final class NetHost {
    private final NanoClock clock;
    private final UnregisterTodo todo = new UnregisterTodo();
    private final Rtnl rtnl = new Rtnl(this::runTodo);
    private final List<NetDeviceListener> listeners = new CopyOnWriteArrayList<>();
    private final NetNamespace initial = new NetNamespace(this);

    /** A machine without devices; {@code clock} is its time. */
    private NetHost(NanoClock clock) {
        this.clock = clock;
    }

    /** A machine whose initial namespace has a loopback interface, down; {@code clock} is its time. */
    public static NetHost create(NanoClock clock) {
        NetHost host = new NetHost(clock);
        host.initial.register(LoopbackDevice.device());
        return host;
    }

    /**
     * Registers a device with a machine of its own, on which there is nothing else: for drivers and programs that want
     * a device and no network.
     *
     * @return the device
     */
    public static NetDevice standalone(NetDevice device) {
        return new NetHost(NanoClock.SYSTEM).initial.register(device);
    }

    /** The machine's time. */
    public NanoClock clock() {
        return clock;
    }

    /** The namespace that is there from the start ({@code init_net}). */
    public NetNamespace initial() {
        return initial;
    }

    /** The lock under which its devices come, change and go. */
    public Rtnl rtnl() {
        return rtnl;
    }

    /**
     * Follows all devices of the machine ({@code register_netdevice_notifier}). Of those that are there, the follower hears
     * at once that they were registered and, as the case may be, brought up.
     */
    public void addListener(NetDeviceListener listener) {
        rtnl.run(() -> {
            for (NetDevice device : initial.devices()) {
                listener.onNetDeviceEvent(device, NetDeviceEvent.REGISTER);
                if (device.isUp()) {
                    listener.onNetDeviceEvent(device, NetDeviceEvent.UP);
                }
            }
            listeners.add(listener);
        });
    }

    /**
     * Follows them no longer ({@code unregister_netdevice_notifier}). So that it can let go of them, the follower hears of
     * each device that it went down and was unregistered.
     */
    public void removeListener(NetDeviceListener listener) {
        rtnl.run(() -> {
            if (listeners.remove(listener)) {
                for (NetDevice device : initial.devices()) {
                    if (device.isUp()) {
                        listener.onNetDeviceEvent(device, NetDeviceEvent.DOWN);
                    }
                    listener.onNetDeviceEvent(device, NetDeviceEvent.UNREGISTER);
                }
            }
        });
    }

    void tell(NetDevice device, NetDeviceEvent event) {
        for (NetDeviceListener listener : listeners) {
            listener.onNetDeviceEvent(device, event);
        }
    }

    /**
     * Takes devices out of the machine together ({@code unregister_netdevice_many}): first all go down and off the lists, then
     * their followers are told. Those that are not registered any more stay as they are.
     */
    public void unregister(List<NetDevice> devices) {
        rtnl.run(() -> {
            List<NetDevice> leaving = devices.stream()
                    .filter(device -> device.registration().state() == RegistrationState.REGISTERED)
                    .distinct()
                    .toList();
            leaving.stream().map(NetDevice::registration).forEach(DeviceRegistration::leave);
            leaving.stream().map(NetDevice::registration).forEach(DeviceRegistration::dismantle);
            leaving.forEach(todo::add);
        });
    }

    /** Releases what was unregistered and nobody holds any more ({@code netdev_run_todo}). */
    void runTodo() {
        todo.run();
    }
}
