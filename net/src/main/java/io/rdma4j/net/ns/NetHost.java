// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.ns;

import io.rdma4j.base.NanoClock;
import io.rdma4j.net.DeviceRegistration;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceListener;
import io.rdma4j.net.device.NetDeviceEvent;
import io.rdma4j.net.device.RegistrationState;
import io.rdma4j.net.device.Rtnl;
import io.rdma4j.net.skb.PacketTimestamps;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One machine: its namespaces, their devices, its link kinds, and the listeners for its devices. There is no global
 * state, so a JVM may contain many machines. Any thread may call it.
 */
public final class NetHost {
    /** The first namespace number, as in Linux ({@code PROC_DYNAMIC_FIRST}). */
    private static final long FIRST_NAMESPACE_ID = 0xF000_0000L;

    private final NanoClock clock;
    private final PacketTimestamps timestamps;
    private final Consumer<String> log;
    private final UnregisterTodo todo = new UnregisterTodo();
    private final LinkWatch linkWatch = new LinkWatch();
    private final Rtnl rtnl = new Rtnl(this::afterUnlock);
    private final LinkKinds links = new LinkKinds(this);
    private final List<NetDeviceListener> listeners = new CopyOnWriteArrayList<>();
    private final List<NetNamespace> namespaces = new CopyOnWriteArrayList<>();
    private final AtomicLong nextNamespaceId = new AtomicLong(FIRST_NAMESPACE_ID);
    private final UserNamespace user = UserNamespace.initial();
    private final NetNamespace initial;
    private volatile Function<NetDevice, String> naming = NetDevice::name;
    private volatile @Nullable Runnable linkDoorbell;

    private NetHost(NanoClock clock, Consumer<String> log) {
        this.clock = clock;
        this.timestamps = new PacketTimestamps(clock);
        this.log = log;
        this.initial = new NetNamespace(this, user, nextNamespaceId.getAndIncrement());
        namespaces.add(initial);
    }

    /**
     * {@return a machine whose initial namespace has only a loopback interface, which is down}
     *
     * @param clock clock of the machine
     */
    public static NetHost create(NanoClock clock) {
        return create(clock, NetHost::warn);
    }

    /**
     * Creates a machine with its own log.
     *
     * @param clock clock of all its timers
     * @param log receives lines for the administrator ({@code printk}); by default they are warnings in the log of the
     *     JVM
     * @return the machine
     */
    public static NetHost create(NanoClock clock, Consumer<String> log) {
        NetHost host = new NetHost(clock, log);
        host.links.load();
        host.initial.register(LoopbackDevice.device());
        return host;
    }

    /**
     * Registers a device on a new machine that has nothing else. For drivers and programs that need a device and no
     * network.
     *
     * @param device a device that is not registered
     * @return the device
     */
    public static NetDevice standalone(NetDevice device) {
        NetHost host = new NetHost(NanoClock.SYSTEM, NetHost::warn);
        host.timestamps.setRealTime(Instant.now());
        return host.initial.register(device);
    }

    private static void warn(String line) {
        System.getLogger(NetHost.class.getName()).log(System.Logger.Level.WARNING, line);
    }

    /** {@return the machine's clock} */
    public NanoClock clock() {
        return clock;
    }

    /**
     * {@return the packet timestamping of the machine; its time is that of the clock until
     * {@link PacketTimestamps#setRealTime} is called}
     */
    public PacketTimestamps timestamps() {
        return timestamps;
    }

    /** {@return the lock for registration and configuration of its devices} */
    public Rtnl rtnl() {
        return rtnl;
    }

    /** {@return its link kinds} */
    public LinkKinds links() {
        return links;
    }

    // Namespaces

    /** {@return the initial namespace ({@code init_net})} */
    public NetNamespace initial() {
        return initial;
    }

    /** {@return all namespaces, in the order of their creation; a copy} */
    public List<NetNamespace> namespaces() {
        return List.copyOf(namespaces);
    }

    /**
     * Creates a namespace with only a loopback interface ({@code ip netns add}). For code that sets up the machine; it
     * needs no privilege. A program uses its {@link NetSession} instead.
     *
     * @return the namespace
     */
    public NetNamespace createNamespace() {
        return makeNamespace(user);
    }

    /** {@code copy_net_ns}. */
    NetNamespace makeNamespace(UserNamespace owner) {
        NetNamespace made = new NetNamespace(this, owner, nextNamespaceId.getAndIncrement());
        namespaces.add(made);
        made.register(LoopbackDevice.device());
        return made;
    }

    void forget(NetNamespace gone) {
        namespaces.remove(gone);
    }

    /**
     * Starts a program in the initial namespace.
     *
     * @param admin true if it may create and join namespaces ({@code CAP_SYS_ADMIN})
     * @return the session of the program
     */
    public NetSession session(boolean admin) {
        return new NetSession(this, initial, user, admin);
    }

    // Devices

    /** {@return the devices of all namespaces; a copy} */
    public List<NetDevice> devices() {
        return namespaces.stream().flatMap(one -> one.devices().stream()).toList();
    }

    /**
     * Adds a listener for all devices of the machine ({@code register_netdevice_notifier}). For each present device it
     * receives REGISTER at once, and UP if the device is up.
     *
     * @param listener called under the RTNL lock
     */
    public void addListener(NetDeviceListener listener) {
        rtnl.run(() -> {
            for (NetDevice device : devices()) {
                listener.onNetDeviceEvent(device, NetDeviceEvent.REGISTER);
                if (device.isUp()) {
                    listener.onNetDeviceEvent(device, NetDeviceEvent.UP);
                }
            }
            listeners.add(listener);
        });
    }

    /**
     * Removes a listener ({@code unregister_netdevice_notifier}). For each device it receives DOWN, if the device is
     * up, and UNREGISTER, so that it can release the device.
     *
     * @param listener the same object as for {@link #addListener}
     */
    public void removeListener(NetDeviceListener listener) {
        rtnl.run(() -> {
            if (listeners.remove(listener)) {
                for (NetDevice device : devices()) {
                    if (device.isUp()) {
                        listener.onNetDeviceEvent(device, NetDeviceEvent.DOWN);
                    }
                    listener.onNetDeviceEvent(device, NetDeviceEvent.UNREGISTER);
                }
            }
        });
    }

    /**
     * Sets the naming policy for new devices ({@code biosdevname}). {@code policy} gets each device at its
     * registration, with its {@link NetDevice#node} and the driver's name or pattern. It returns a name or pattern.
     *
     * @param policy called under the RTNL lock
     */
    public void namingPolicy(Function<NetDevice, String> policy) {
        naming = policy;
    }

    String proposeName(NetDevice device) {
        return naming.apply(device);
    }

    void tell(NetDevice device, NetDeviceEvent event) {
        for (NetDeviceListener listener : listeners) {
            listener.onNetDeviceEvent(device, event);
        }
    }

    /**
     * Unregisters devices together ({@code unregister_netdevice_many}): first all are brought down and removed from the
     * lists, then the listeners are notified. Devices that are not registered are skipped.
     *
     * @param devices devices of this machine
     */
    public void unregister(List<NetDevice> devices) {
        rtnl.run(() -> {
            List<NetDevice> leaving = devices.stream()
                    .filter(device -> device.registration().state() == RegistrationState.REGISTERED)
                    .distinct()
                    .toList();
            leaving.stream().map(NetDevice::registration).forEach(DeviceRegistration::leave);
            leaving.stream().map(NetDevice::registration).forEach(DeviceRegistration::dismantle);
            for (NetDevice device : leaving) {
                linkWatch.forget(device);
                todo.add(device, clock.nanoTime());
            }
        });
    }

    // Deferred work

    private void afterUnlock() {
        runTodo();
        if (linkWatch.hasWork()) {
            lookAfterLinks();
        }
    }

    /** Releases unregistered devices without references ({@code netdev_run_todo}). */
    void runTodo() {
        todo.run();
    }

    /**
     * {@return time for the next call of {@link #onTimeout}, ns of the clock; {@link io.rdma4j.base.Deadline#NEVER} if
     * no unregistered device has references}
     */
    public long nextDeadlineNs() {
        return todo.nextDeadlineNs();
    }

    /**
     * Handles unregistered devices that still have references ({@code netdev_wait_allrefs}): notifies their listeners
     * again once per second, and logs the device every ten seconds. The thread that drives the machine calls it.
     *
     * @param nowNs time of the machine's clock, ns
     */
    public void onTimeout(long nowNs) {
        rtnl.run(() -> todo.remind(nowNs, log));
    }

    /** Records a change of a link. The calling thread may hold any lock. */
    void linkEvent(NetDevice device) {
        linkWatch.add(device);
        // If this thread holds the lock, it handles the event when it releases the lock.
        if (!rtnl.isHeld()) {
            lookAfterLinks();
        }
    }

    private void lookAfterLinks() {
        Runnable doorbell = linkDoorbell;
        if (doorbell != null) {
            doorbell.run();
        } else {
            runLinkEvents();
        }
    }

    /**
     * Lets a loop handle changes of links. Otherwise the thread that changes a link handles it, or the thread that
     * holds the lock at that time.
     *
     * @param doorbell called when {@link #runLinkEvents} must be called; by any thread, with any locks held
     */
    public void deferLinkEvents(Runnable doorbell) {
        linkDoorbell = doorbell;
    }

    /**
     * Handles pending changes of links ({@code linkwatch_run_queue}), unless a thread holds the lock; that thread
     * schedules the next call when it releases the lock.
     */
    public void runLinkEvents() {
        if (!rtnl.isHeld()) {
            rtnl.tryRun(linkWatch::run);
        }
    }
}
