package io.rdma4j.net.ns;

import io.rdma4j.base.NanoClock;
import io.rdma4j.net.DeviceRegistration;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceEvent;
import io.rdma4j.net.NetDeviceListener;
import io.rdma4j.net.RegistrationState;
import io.rdma4j.net.Rtnl;
import io.rdma4j.net.loop.NetLoop;
import io.rdma4j.net.skb.PacketTimestamps;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One machine: its namespaces, their devices, the kinds of links that it knows, and who follows the devices. Nothing of it is
 * global, so a JVM may hold many. Any thread may call.
 */
public final class NetHost {
    /** The first number of a namespace, as on Linux ({@code PROC_DYNAMIC_FIRST}). */
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
     * {@return a machine whose initial namespace has a loopback interface, down, and nothing else}
     *
     * @param clock its time
     */
    public static NetHost create(NanoClock clock) {
        return create(clock, NetHost::warn);
    }

    /**
     * Makes a machine whose log goes where the caller wants it.
     *
     * @param clock of all its timers
     * @param log gets the lines that an administrator should see ({@code printk}); by default they are warnings in the log of
     *     the JVM
     * @return the machine
     */
    public static NetHost create(NanoClock clock, Consumer<String> log) {
        NetHost host = new NetHost(clock, log);
        host.links.load();
        host.initial.register(LoopbackDevice.device());
        return host;
    }

    /**
     * Registers a device with a machine of its own, on which there is nothing else: for drivers and programs that want
     * a device and no network.
     *
     * @param device not registered
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

    /** {@return the machine's time} */
    public NanoClock clock() {
        return clock;
    }

    /**
     * {@return whether its packets are stamped, and with what time; that is the clock's unless somebody sets the real
     * time}
     */
    public PacketTimestamps timestamps() {
        return timestamps;
    }

    /** {@return the lock under which its devices come, change and go} */
    public Rtnl rtnl() {
        return rtnl;
    }

    /** {@return the kinds of software links that can be made on it} */
    public LinkKinds links() {
        return links;
    }

    // Namespaces

    /** {@return the namespace that is there from the start ({@code init_net})} */
    public NetNamespace initial() {
        return initial;
    }

    /** {@return all namespaces, in the order of their making; a copy} */
    public List<NetNamespace> namespaces() {
        return List.copyOf(namespaces);
    }

    /**
     * Makes a namespace with a loopback interface and nothing else ({@code ip netns add}). For who assembles the machine, who needs
     * no privilege; a program goes through its {@link NetSession}.
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
     * @param admin whether it may make and join namespaces ({@code CAP_SYS_ADMIN})
     * @return the program
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
     * Follows all devices of the machine ({@code register_netdevice_notifier}). Of those that are there, the follower hears
     * at once that they were registered and, as the case may be, brought up.
     *
     * @param listener called under the machine's lock
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
     * Follows them no longer ({@code unregister_netdevice_notifier}). So that it can let go of them, the follower hears of
     * each device that it went down and was unregistered.
     *
     * @param listener the same object
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
     * Says what new devices are called ({@code biosdevname}): {@code policy} gets each device that is being registered, with its
     * {@link NetDevice#node} and the name or pattern that its driver wants, and returns a name or pattern.
     *
     * @param policy called under the machine's lock
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
     * Takes devices out of the machine together ({@code unregister_netdevice_many}): first all go down and off the lists, then
     * their followers are told. Those that are not registered any more stay as they are.
     *
     * @param devices of this machine
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

    // What is done later

    private void afterUnlock() {
        runTodo();
        if (linkWatch.hasWork()) {
            lookAfterLinks();
        }
    }

    /** Releases what was unregistered and nobody holds any more ({@code netdev_run_todo}). */
    void runTodo() {
        todo.run();
    }

    /**
     * {@return when {@link #onTimeout} has something to do; {@link io.rdma4j.base.Deadline#NEVER} as long as no
     * unregistered device is held}
     */
    public long nextDeadlineNs() {
        return todo.nextDeadlineNs();
    }

    /**
     * Looks after unregistered devices that are still held ({@code netdev_wait_allrefs}): once a second their followers are told
     * again to let go, and every ten seconds the log says whom the machine waits for. By whoever drives the machine.
     *
     * @param nowNs of the loop's clock
     */
    public void onTimeout(long nowNs) {
        rtnl.run(() -> todo.remind(nowNs, log));
    }

    /** A link changed; its thread may hold any lock. */
    void linkEvent(NetDevice device) {
        linkWatch.add(device);
        // Whoever holds the lock looks after the event when he gives it back.
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
     * Lets a loop look after changes of links. Without one, whoever changes a link does, or who has the lock meanwhile.
     *
     * @param doorbell rung when {@link #runLinkEvents} is to be called; by any thread, with whatever locks
     */
    public void deferLinkEvents(Runnable doorbell) {
        linkDoorbell = doorbell;
    }

    /**
     * Lets a loop drive the devices of the machine, those that are there and those to come, as long as each is registered, and look
     * after changes of their links. Once a machine.
     *
     * @param loop that drives none of them yet
     */
    public void drivenBy(NetLoop loop) {
        HostLoop driven = new HostLoop(this, loop);
        loop.add(driven);
        addListener(driven);
        deferLinkEvents(driven::ring);
    }

    /** Settles what follows from changes of links ({@code linkwatch_run_queue}), unless another thread has the lock. */
    public void runLinkEvents() {
        rtnl.tryRun(linkWatch::run);
    }
}
