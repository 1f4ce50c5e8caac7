// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.Arguments;
import io.rdma4j.verbs.core.Lifecycle;
import io.rdma4j.verbs.local.RunDirectory;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.Driver;
import io.rdma4j.verbs.spi.FoundDevice;
import io.rdma4j.verbs.spi.PortInterface;
import io.rdma4j.verbs.spi.Provider;
import io.rdma4j.verbs.state.DeviceRoutes;
import io.rdma4j.verbs.state.Discovery;
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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A machine with its providers and devices. One JVM can contain several independent hosts.
 *
 * <p>Any thread. The application closes a host that it created, after the contexts of its devices. The host of
 * {@link Rdma} exists as long as the JVM.
 */
public final class Host implements AutoCloseable {
    private static final Logger LOG = System.getLogger(Host.class.getName());

    private final Lifecycle life;
    private final List<Provider> providers = new ArrayList<>();
    private final ClientRegistry clients = new ClientRegistry();
    private final List<PortInterface> interfaces = new CopyOnWriteArrayList<>();
    private final Discovery discovery;
    private final boolean loadsDrivers;
    private Map<DeviceOps, Device> known = Map.of();

    /**
     * Devices of this process that are not listed, because another process serves the same address under another name.
     */
    private Map<DeviceOps, Device> hidden = Map.of();

    private @Nullable DeviceServer server;

    private volatile PartitionPolicy partitionPolicy = PartitionPolicy.OPEN;

    private Host(String name, RunDirectory directory, boolean loadsDrivers) {
        this.life = new Lifecycle("host " + name);
        this.discovery = new Discovery(directory, loadsDrivers, LOG);
        this.loadsDrivers = loadsDrivers;
    }

    /**
     * {@return a host without providers; add them with {@link #register(Provider)}}
     *
     * @param name name for messages
     */
    public static Host create(String name) {
        return create(name, RunDirectory.configured());
    }

    /**
     * {@return a host without providers that finds served devices in another run directory}
     *
     * @param name name for messages
     * @param directory run directory, used if a {@link Driver} is registered
     */
    public static Host create(String name, RunDirectory directory) {
        return new Host(name, directory, false);
    }

    /**
     * {@return a host with an instance of every provider that {@link ServiceLoader} finds} Drivers are loaded when a
     * device needs one. A provider or driver that fails to load is logged and omitted.
     *
     * @param name name for messages
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
     * Adds a provider. The host closes it when the host is closed. Corresponds to {@code verbs_register_driver} and
     * {@code rdma_link_register}.
     *
     * @param provider the provider; owned by the host after the call
     * @throws RdmaException EINVAL if the provider does not support this version of the provider interface, EEXIST if
     *     the host has a provider of this name
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
     * Adds a driver for devices that other processes serve, after the existing drivers. Corresponds to
     * {@code verbs_register_driver}.
     *
     * @param driver called for each entry of the run directory that its match table matches
     * @throws RdmaException EINVAL if the host is closed
     */
    public synchronized void register(Driver driver) {
        life.checkOpen();
        discovery.register(driver);
    }

    /**
     * Sets the server that serves exclusive devices to other processes while they are open.
     *
     * @param deviceServer used instead of the server that {@link ServiceLoader} finds
     * @throws RdmaException EINVAL if the host is closed
     */
    public synchronized void register(DeviceServer deviceServer) {
        life.checkOpen();
        server = deviceServer;
    }

    /** True if the host serves its devices to other processes and uses devices that they serve. */
    boolean sharesDevices() {
        return discovery.isActive();
    }

    /** The server of this host's devices; null if there is none. */
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

    /** The directory with the entries of served devices. */
    RunDirectory runDirectory() {
        return discovery.directory();
    }

    /** The device that another process serves at an address of {@code device}; null if there is none. */
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
     * Creates a device over a network interface. Corresponds to {@code rdma link add NAME type TYPE netdev NETDEV}.
     *
     * @param name name of the new device, unique within the host
     * @param type name of the provider, for example {@code rxe}
     * @param netdev name of the interface
     * @return the device, which exists until {@link #deleteLink}
     * @throws RdmaException EINVAL if the provider does not exist, EEXIST if a device has this name or the interface
     *     has a device of this type already, ENODEV if the interface does not exist, EOPNOTSUPP if the provider does
     *     not support this call
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
     * Removes a device, even if it is in use. Corresponds to {@code rdma link delete NAME}.
     *
     * @param name name of the device
     * @throws RdmaException ENODEV if no device has this name, EOPNOTSUPP if its provider does not support this call
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
     * Registers a client. The host reports all present devices to it, and later each device that is added or removed.
     * Corresponds to {@code ib_register_client}.
     *
     * @param client called on the thread that lists, creates or deletes devices
     * @throws RdmaException EEXIST if the client is registered already, EINVAL if the host is closed
     */
    public synchronized void registerClient(Client client) {
        List<Device> present = devices();
        clients.register(client, present);
    }

    /**
     * Unregisters a client. The host calls {@link Client#remove} for each present device. Corresponds to
     * {@code ib_unregister_client}.
     *
     * @param client the object that was registered
     * @throws RdmaException EINVAL if this object is not registered
     */
    public synchronized void unregisterClient(Client client) {
        clients.unregister(client, known.values());
    }

    /**
     * Adds a network interface over a port of an InfiniBand device. From now on rdma_cm finds the device by the
     * addresses of the interface. Corresponds to {@code ib_client.get_net_dev_by_params}.
     *
     * @param added removed by {@link #removeInterface}
     * @throws RdmaException EINVAL for null, or if the host is closed
     */
    public void addInterface(PortInterface added) {
        Arguments.present("interface", added);
        life.checkOpen();
        interfaces.add(added);
    }

    /**
     * Removes a network interface. No effect if it is not there.
     *
     * @param gone the object that was added
     * @throws RdmaException EINVAL for null
     */
    public void removeInterface(PortInterface gone) {
        Arguments.present("interface", gone);
        interfaces.remove(gone);
    }

    /** {@return the network interfaces over ports of InfiniBand devices, the first one first; a copy} */
    public List<PortInterface> interfaces() {
        return List.copyOf(interfaces);
    }

    synchronized boolean isRegistered(Client client) {
        return clients.contains(client);
    }

    /**
     * {@return the present devices; a device that was listed before is the same object} Devices of a provider that
     * fails are omitted. Corresponds to {@code ibv_get_device_list}.
     *
     * <p>The call reports all changes since the last call to the clients. A provider whose device was added or removed
     * calls this method, so that clients receive the change at once. It must not hold a lock that a client may acquire.
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
     * Lists the devices of this JVM in the order of the providers, then those of other processes. If another process
     * serves the address of a device of this JVM, the served device replaces that device. Under the same name the
     * listed device opens the served one; under another name the device of this JVM is hidden.
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
            return provider.discover();
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "provider " + provider.name() + " could not list its devices", e);
            return List.of();
        }
    }

    /**
     * Finds a device by name.
     *
     * @param name name as {@link Device#name} returns it. A device of this process that is not listed, because another
     *     process serves its address under another name, is found as well
     * @return the device
     * @throws RdmaException ENODEV if no device has this name; the message lists the present devices
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
     * Finds the device of the interface that routes packets to a peer. Corresponds to {@code rdma_resolve_addr}.
     *
     * {@snippet :
     * try (Context context = Rdma.deviceTo(InetAddress.getByName("10.0.0.2")).open()) {
     *     // queue pairs for that peer
     * }
     * }
     *
     * @param peer an address of the peer or of this machine
     * @return the device that has the source address of this machine's packets to the peer
     * @throws RdmaException ENETUNREACH if this machine has no route to the peer; ENODEV if no device has the source
     *     address, which the message contains
     */
    public Device deviceTo(InetAddress peer) {
        return DeviceRoutes.withAddress(devices(), DeviceRoutes.sourceTo(peer));
    }

    /**
     * {@return the source address of this machine's packets to a peer, from the routing table of the operating system;
     * no packet is sent}
     *
     * @param peer an address of the peer or of this machine
     * @throws RdmaException ENETUNREACH if this machine has no route to the peer
     */
    public InetAddress sourceAddressTo(InetAddress peer) {
        return DeviceRoutes.sourceTo(peer);
    }

    /**
     * Finds the device with an address of this machine, for example the local address of a connection. Corresponds to
     * {@code rdma_bind_addr}.
     *
     * @param local an address of this machine; for a loopback address that no device has, the first device with a
     *     loopback address is found
     * @return the device
     * @throws RdmaException ENODEV if no device has the address; the message lists the present devices
     */
    public Device deviceAt(InetAddress local) {
        return DeviceRoutes.withAddress(devices(), local);
    }

    /**
     * Finds and opens a device.
     *
     * @param name name as {@link Device#name} returns it
     * @return an open device; the caller closes it
     * @throws RdmaException ENODEV if no device has this name; errors of {@link Device#open()}
     */
    public Context open(String name) {
        return device(name).open();
    }

    /**
     * Sets the partition policy of all devices of the host, for later calls. Any thread.
     *
     * @param policy called when a queue pair is created and when it joins a partition
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
     * Closes the host and its providers. Idempotent.
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
