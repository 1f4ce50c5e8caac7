package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.DeviceServer;
import io.rdma4j.verbs.spi.Driver;
import io.rdma4j.verbs.spi.FoundDevice;
import io.rdma4j.verbs.spi.Provider;
import io.rdma4j.verbs.spi.RunDirectory;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A machine: providers and their devices. Many can live in one JVM and know nothing of one another.
 *
 * <p>Any thread may call. Whoever made a host closes it, after the contexts of its devices; {@link Rdma} has one that
 * lives as long as the JVM.
 */
public final class Host implements AutoCloseable {
    private static final Logger LOG = System.getLogger(Host.class.getName());

    private final Lifecycle life;
    private final List<Provider> providers = new ArrayList<>();
    private final ClientRegistry clients = new ClientRegistry();
    private final Discovery discovery;
    private final boolean loadsDrivers;
    private Map<DeviceOps, Device> known = Map.of();

    /** Devices of this process that are not listed, since another process serves their address under another name. */
    private Map<DeviceOps, Device> hidden = Map.of();

    private @Nullable DeviceServer server;

    private volatile PartitionPolicy partitionPolicy = PartitionPolicy.OPEN;

    private Host(String name, RunDirectory directory, boolean loadsDrivers) {
        this.life = new Lifecycle("host " + name);
        this.discovery = new Discovery(directory, loadsDrivers, LOG);
        this.loadsDrivers = loadsDrivers;
    }

    /**
     * {@return a machine without providers: {@link #register} some}
     *
     * @param name for people, in messages
     */
    public static Host create(String name) {
        return create(name, RunDirectory.configured());
    }

    /**
     * {@return a machine without providers that looks elsewhere for devices that other processes serve}
     *
     * @param name for people, in messages
     * @param directory looked into if a {@link Driver} is registered
     */
    public static Host create(String name, RunDirectory directory) {
        return new Host(name, directory, false);
    }

    /**
     * {@return a machine with an instance of every provider that {@link ServiceLoader} finds, and of every
     * {@link Driver} once there is a device for it; one that fails to load is left out}
     *
     * @param name for people, in messages
     */
    public static Host withServiceProviders(String name) {
        Host host = new Host(name, RunDirectory.configured(), true);
        var found = ServiceLoader.load(Provider.class).iterator();
        while (true) {
            try {
                if (!found.hasNext()) {
                    return host;
                }
                host.register(found.next());
            } catch (ServiceConfigurationError | RuntimeException e) {
                LOG.log(Level.WARNING, "a device provider was left out", e);
            }
        }
    }

    /**
     * Adds a kind of device; the host closes it in the end. Answers to {@code verbs_register_driver} and
     * {@code rdma_link_register}.
     *
     * @param provider belongs to the host from now on
     * @throws RdmaException EINVAL if the provider speaks other versions of the provider interface only, EEXIST if the host
     *     has one of this name
     */
    public synchronized void register(Provider provider) {
        life.checkOpen();
        int version = Provider.ABI_VERSION;
        if (version < provider.minAbiVersion() || version > provider.maxAbiVersion()) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "provider " + provider.name() + " takes versions " + provider.minAbiVersion() + ".."
                            + provider.maxAbiVersion() + " of the provider interface, this library has " + version);
        }
        if (provider(provider.name()) != null) {
            throw new RdmaException(Errno.EEXIST, this + " has a provider \"" + provider.name() + "\" already");
        }
        providers.add(provider);
    }

    /**
     * Adds a driver for devices that other processes serve, behind those that are there. Answers to {@code verbs_register_driver}.
     *
     * @param driver asked for each entry of the directory that its table matches
     * @throws RdmaException EINVAL if the host is closed
     */
    public synchronized void register(Driver driver) {
        life.checkOpen();
        discovery.register(driver);
    }

    /**
     * Has devices that one process at a time can have served to other processes while they are open.
     *
     * @param deviceServer in place of the one that {@link ServiceLoader} finds
     * @throws RdmaException EINVAL if the host is closed
     */
    public synchronized void register(DeviceServer deviceServer) {
        life.checkOpen();
        server = deviceServer;
    }

    /** True if its devices are served to other processes, and reached there. */
    boolean sharesDevices() {
        return discovery.isActive();
    }

    /** Null if there is none. */
    synchronized @Nullable DeviceServer deviceServer() {
        if (server == null && loadsDrivers) {
            try {
                server = ServiceLoader.load(DeviceServer.class).findFirst().orElse(null);
            } catch (ServiceConfigurationError e) {
                LOG.log(Level.WARNING, "devices are not served to other processes", e);
            }
        }
        return server;
    }

    /** Where devices are told of. */
    RunDirectory runDirectory() {
        return discovery.directory();
    }

    /** What another process serves with an address of a device of this one; null if there is nothing. */
    synchronized Map.@Nullable Entry<FoundDevice, DeviceOps> serving(DeviceOps device) {
        return discovery.serving(device);
    }

    private @Nullable Provider provider(String name) {
        for (Provider provider : providers) {
            if (provider.name().equals(name)) {
                return provider;
            }
        }
        return null;
    }

    /**
     * Makes a device over a network interface. Answers to {@code rdma link add NAME type TYPE netdev NETDEV}.
     *
     * @param name that no device of the host has
     * @param type name of the provider, such as {@code rxe}
     * @param netdev name of the interface, as the provider's devices know it
     * @return the device, which is there until {@link #deleteLink}
     * @throws RdmaException EINVAL if there is no such provider, EEXIST if there is a device of this name or the interface
     *     carries one of this type already, ENODEV if there is no such interface, EOPNOTSUPP if the provider's devices do not
     *     come about in this way
     */
    public synchronized Device newLink(String name, String type, String netdev) {
        life.checkOpen();
        Provider provider = provider(type);
        if (provider == null) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "there is no link type \"" + type + "\"; there is "
                            + providers.stream().map(Provider::name).collect(Collectors.joining(", ")));
        }
        if (devices().stream().anyMatch(device -> device.name().equals(name))) {
            throw new RdmaException(Errno.EEXIST, "there is a device \"" + name + "\" already");
        }
        provider.newLink(name, netdev);
        return device(name);
    }

    /**
     * Takes a device away, in use or not. Answers to {@code rdma link delete NAME}.
     *
     * @param name of the device
     * @throws RdmaException ENODEV if there is none of this name, EOPNOTSUPP if its provider cannot
     */
    public synchronized void deleteLink(String name) {
        Device device = device(name);
        for (Map.Entry<DeviceOps, Device> entry : known.entrySet()) {
            if (entry.getValue().equals(device)) {
                entry.getKey().remove();
            }
        }
        devices();
    }

    /**
     * Tells a client of the devices that are there, and from now on of each that comes or goes. Answers to
     * {@code ib_register_client}.
     *
     * @param client called by the thread that lists, makes or deletes devices
     * @throws RdmaException EEXIST if it is registered already, EINVAL if the host is closed
     */
    public synchronized void registerClient(Client client) {
        List<Device> present = devices();
        clients.register(client, present);
    }

    /**
     * Ends that: the client hears {@link Client#remove} of each device that is there. Answers to {@code ib_unregister_client}.
     *
     * @param client the same object that was registered
     * @throws RdmaException EINVAL if the same object was not registered
     */
    public synchronized void unregisterClient(Client client) {
        clients.unregister(client, known.values());
    }

    synchronized boolean isRegistered(Client client) {
        return clients.contains(client);
    }

    /**
     * {@return the devices that are there now; a device seen before is the same object} A provider that fails is left
     * out. Answers to {@code ibv_get_device_list}.
     *
     * <p>Clients are told of what has changed since the last time. Who brings a change about, such as a provider whose device
     * was pulled out, calls this, so that they hear of it at once; it must not hold a lock that a client may need.
     *
     * @throws RdmaException EINVAL if the host is closed
     */
    public synchronized List<Device> devices() {
        life.checkOpen();
        Map<DeviceOps, Device> before = known;
        Map<DeviceOps, Device> hiddenNow = new LinkedHashMap<>();
        Map<DeviceOps, Device> present = present(hiddenNow);
        known = present;
        hidden = hiddenNow;
        List<Device> gone = before.values().stream()
                .filter(device -> !present.containsValue(device))
                .toList();
        List<Device> come = present.values().stream()
                .filter(device -> !before.containsValue(device))
                .toList();
        gone.forEach(this::removed);
        come.stream().filter(Device::isPresent).forEach(clients::added);
        return List.copyOf(present.values());
    }

    private void removed(Device device) {
        clients.removed(device);
        if (!hidden.containsValue(device)) {
            device.remove();
        }
    }

    /**
     * Those of this JVM in the order of the providers, then those of other processes. A device that another process serves takes the
     * place of the one of this JVM that has its address: under the same name that one reaches it, under another name it is hidden.
     */
    private Map<DeviceOps, Device> present(Map<DeviceOps, Device> hiddenNow) {
        List<DeviceOps> own = new ArrayList<>();
        providers.forEach(provider -> own.addAll(discover(provider)));
        Set<String> ownNames = own.stream().map(DeviceOps::name).collect(Collectors.toSet());
        Map<FoundDevice, DeviceOps> served = discovery.refresh(found -> !ownNames.contains(found.name()));
        Map<DeviceOps, Device> present = new LinkedHashMap<>();
        Set<String> names = new HashSet<>();
        for (DeviceOps ops : own) {
            DeviceOps other = inPlaceOf(ops, served);
            if (other == null) {
                add(ops, names, present);
            } else {
                hiddenNow.put(ops, deviceOf(ops));
                add(other, names, present);
            }
        }
        served.values().stream().filter(ops -> !present.containsKey(ops)).forEach(ops -> add(ops, names, present));
        return present;
    }

    private static @Nullable DeviceOps inPlaceOf(DeviceOps own, Map<FoundDevice, DeviceOps> served) {
        for (Map.Entry<FoundDevice, DeviceOps> other : served.entrySet()) {
            if (own.isExclusive()
                    && !other.getKey().ofThisProcess()
                    && other.getKey().hasAddressOf(own)) {
                return other.getValue();
            }
        }
        return null;
    }

    private Device deviceOf(DeviceOps ops) {
        Device seen = known.getOrDefault(ops, hidden.get(ops));
        return seen != null ? seen : new Device(this, ops);
    }

    private void add(DeviceOps ops, Set<String> names, Map<DeviceOps, Device> present) {
        if (names.add(ops.name())) {
            present.put(ops, deviceOf(ops));
        } else {
            LOG.log(Level.WARNING, "a second device called " + ops.name() + " was left out");
        }
    }

    private Collection<? extends DeviceOps> discover(Provider provider) {
        try {
            return provider.discover(this);
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "provider " + provider.name() + " could not list its devices", e);
            return List.of();
        }
    }

    /**
     * Finds a device.
     *
     * @param name as {@link Device#name} has it; also that of an own device that is not listed, because another process serves
     *     its address under another name
     * @return the device
     * @throws RdmaException ENODEV if there is none of this name; the message lists those there are
     */
    public synchronized Device device(String name) {
        List<Device> devices = devices();
        for (Device device : devices) {
            if (device.name().equals(name)) {
                return device;
            }
        }
        for (Device device : hidden.values()) {
            if (device.name().equals(name)) {
                return device;
            }
        }
        throw new RdmaException(
                Errno.ENODEV,
                "there is no device \"" + name + "\"; there "
                        + (devices.isEmpty()
                                ? "are none"
                                : "is "
                                        + String.join(
                                                ", ",
                                                devices.stream()
                                                        .map(Device::name)
                                                        .toList())));
    }

    /**
     * Finds the device whose interface has the route to a peer. Answers to {@code rdma_resolve_addr}.
     *
     * {@snippet :
     * try (Context context = Rdma.deviceTo(InetAddress.getByName("10.0.0.2")).open()) {
     *     // queue pairs for that peer
     * }
     * }
     *
     * @param peer an address of the peer, or of this machine
     * @return the device that has the address from which this machine sends to the peer
     * @throws RdmaException ENETUNREACH if this machine has no route to the peer; ENODEV if no device has the address from which
     *     it sends, the message names it
     */
    public Device deviceTo(InetAddress peer) {
        return DeviceRoutes.withAddress(devices(), DeviceRoutes.sourceTo(peer));
    }

    /**
     * {@return the address from which this machine sends to a peer, by the routes of the operating system; no packet is sent}
     *
     * @param peer an address of the peer, or of this machine
     * @throws RdmaException ENETUNREACH if this machine has no route to the peer
     */
    public InetAddress sourceAddressTo(InetAddress peer) {
        return DeviceRoutes.sourceTo(peer);
    }

    /**
     * Finds the device that has an address of this machine, such as the local address of a connection. Answers to
     * {@code rdma_bind_addr}.
     *
     * @param local an address of this machine; for any loopback address, the first device that has one
     * @return the device
     * @throws RdmaException ENODEV if no device has it; the message lists those there are
     */
    public Device deviceAt(InetAddress local) {
        return DeviceRoutes.withAddress(devices(), local);
    }

    /**
     * Finds and opens a device.
     *
     * @param name as {@link Device#name} has it
     * @return an open device; the caller closes it
     * @throws RdmaException ENODEV if there is none of this name; whatever keeps it from opening
     */
    public Context open(String name) {
        return device(name).open();
    }

    /**
     * Puts the partitions of all its devices under a policy, for whatever is done from now on. Any thread may call.
     *
     * @param policy asked when a queue pair is made and when it is to join a partition
     */
    public void partitionPolicy(PartitionPolicy policy) {
        partitionPolicy = policy;
    }

    PartitionPolicy partitionPolicy() {
        return partitionPolicy;
    }

    Lifecycle life() {
        return life;
    }

    /**
     * Closes the providers. Idempotent.
     *
     * @throws RdmaException EBUSY while a context is open
     */
    @Override
    public synchronized void close() {
        if (life.close()) {
            known.values().forEach(Device::remove);
            hidden.values().forEach(Device::remove);
            providers.forEach(Provider::close);
        }
    }

    @Override
    public String toString() {
        return life.name();
    }
}
