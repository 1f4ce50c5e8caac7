package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.Provider;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

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
    private IdentityHashMap<DeviceOps, Device> known = new IdentityHashMap<>();

    private volatile PartitionPolicy partitionPolicy = PartitionPolicy.OPEN;

    private Host(String name) {
        this.life = new Lifecycle("host " + name);
    }

    /** A machine without providers: {@link #register} some. */
    public static Host create(String name) {
        return new Host(name);
    }

    /** A machine with an instance of every provider that {@link ServiceLoader} finds; one that fails to load is left out. */
    public static Host withServiceProviders(String name) {
        Host host = new Host(name);
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
     * Adds a kind of device; the host closes it in the end. Answers to {@code verbs_register_driver}.
     *
     * @throws RdmaException EINVAL if the provider speaks other versions of the provider interface only
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
        providers.add(provider);
    }

    /**
     * The devices that are there now; a device seen before is the same object. A provider that fails is left out. Answers
     * to {@code ibv_get_device_list}.
     */
    public synchronized List<Device> devices() {
        life.checkOpen();
        IdentityHashMap<DeviceOps, Device> present = new IdentityHashMap<>();
        Map<String, Device> byName = new LinkedHashMap<>();
        for (Provider provider : providers) {
            for (DeviceOps ops : discover(provider)) {
                Device seen = known.get(ops);
                Device device = seen != null ? seen : new Device(this, ops);
                if (byName.putIfAbsent(device.name(), device) == null) {
                    present.put(ops, device);
                } else {
                    LOG.log(Level.WARNING, "a second device called " + device.name() + " was left out");
                }
            }
        }
        known = present;
        return List.copyOf(byName.values());
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
     * @throws RdmaException ENODEV if there is none of this name; the message lists those there are
     */
    public Device device(String name) {
        List<Device> devices = devices();
        for (Device device : devices) {
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
     * Finds and opens a device.
     *
     * @throws RdmaException ENODEV if there is none of this name; whatever keeps it from opening
     */
    public Context open(String name) {
        return device(name).open();
    }

    /** Puts the partitions of all its devices under a policy, for whatever is done from now on. Any thread may call. */
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
            providers.forEach(Provider::close);
        }
    }

    @Override
    public String toString() {
        return life.name();
    }
}
