// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.Guid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.linux.PacketSocketDevice;
import io.rdma4j.linux.PacketSocketSettings;
import io.rdma4j.linux.TapDevice;
import io.rdma4j.linux.TapSettings;
import io.rdma4j.net.NetDevice;
import io.rdma4j.udp.UdpUnderlaySettings;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.Provider;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Provides the software RoCEv2 devices of a host.
 *
 * <p>By default there is {@code rxe_lo} on the first free loopback address, so that processes of one machine reach each
 * other without configuration. In addition there is one device for each interface that is up, such as {@code rxe_eth0}.
 * The environment variable {@code RDMA4J_DEVICES} or the system property {@code rdma4j.devices} replaces this list; the
 * format is that of {@link DeviceSpec}.
 *
 * <p>Processes of one user on one machine use shared memory instead of UDP sockets, unless
 * {@link RxeOptions#sharedMemory} is false.
 */
public final class RxeProvider implements Provider {
    /** Environment variable with a list of devices in the format of {@link DeviceSpec}. */
    public static final String DEVICES_VARIABLE = "RDMA4J_DEVICES";

    /** System property with the same content; it takes precedence over the variable. */
    public static final String DEVICES_PROPERTY = "rdma4j.devices";

    private static final String DEFAULT_LOOPBACK_NAME = "rxe_lo";
    /** Maximum wait for duplicate address detection. In Linux it takes up to 1 s of delay and one probe. */
    private static final long DETECTION_NS = TimeUnit.SECONDS.toNanos(4);

    private static final long RETRY_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LOCALLY_ADMINISTERED_MAC = 0x0200_0000_0000L;

    private final @Nullable List<DeviceSpec> explicit;
    private final RxeOptions options;

    /** Devices of {@link #newLink} and their interfaces, by name. */
    private final Map<String, String> added = new LinkedHashMap<>();

    private final Set<String> deleted = new HashSet<>();

    /** The devices by name: a device stays the same when the addresses of its interface change. */
    private final Map<String, RxeDevice> known = new HashMap<>();

    /**
     * Creates a provider of the devices that environment and interfaces define; used by {@link
     * java.util.ServiceLoader}.
     */
    public RxeProvider() {
        this(configured(), RxeOptions.DEFAULT);
    }

    /**
     * Creates a provider of the given devices.
     *
     * @param devices the only devices; null for the default ones
     * @param options of all devices
     */
    public RxeProvider(@Nullable List<DeviceSpec> devices, RxeOptions options) {
        this.explicit = devices;
        this.options = options;
    }

    private static @Nullable List<DeviceSpec> configured() {
        String text = System.getProperty(DEVICES_PROPERTY, System.getenv(DEVICES_VARIABLE));
        return text == null || text.isBlank() ? null : DeviceSpec.parseList(text);
    }

    @Override
    public String name() {
        return "rxe";
    }

    @Override
    public synchronized Collection<? extends DeviceOps> discover() {
        forgetRemoved();
        Set<RxeDevice> devices = new LinkedHashSet<>();
        for (DeviceSpec spec : specs()) {
            RxeDevice device = known.computeIfAbsent(spec.name(), _ -> make(spec));
            if (!device.isOpen()) {
                device.follow(spec.endpoints());
            }
            devices.add(device);
        }
        // An open device stays while its interface has no address.
        known.values().stream().filter(RxeDevice::isOnInterface).forEach(devices::add);
        known.values().retainAll(devices);
        return devices;
    }

    private void forgetRemoved() {
        for (Map.Entry<String, RxeDevice> entry : List.copyOf(known.entrySet())) {
            if (entry.getValue().isRemoved()) {
                known.remove(entry.getKey());
                if (added.remove(entry.getKey()) == null) {
                    deleted.add(entry.getKey());
                }
            }
        }
    }

    private List<DeviceSpec> specs() {
        List<DeviceSpec> specs = new ArrayList<>(explicit != null ? explicit : defaults());
        specs.removeIf(spec -> deleted.contains(spec.name()));
        added.forEach((name, netdev) -> {
            List<InetAddress> addresses = HostInterfaces.addressesOf(netdev);
            if (addresses != null && !addresses.isEmpty()) {
                specs.add(new DeviceSpec(name, addresses, RxeOptions.ROCE_V2_PORT));
            }
        });
        return specs;
    }

    /** Adds a device with all addresses of the interface. As in Linux, an interface has at most one device. */
    @Override
    public synchronized void newLink(String name, String netdev) {
        DeviceSpec wanted = HostInterfaces.device(name, netdev);
        for (DeviceSpec spec : specs()) {
            if (spec.port() == wanted.port() && !Collections.disjoint(spec.addresses(), wanted.addresses())) {
                throw new RdmaException(Errno.EEXIST, netdev + " carries the device " + spec.name() + " already");
            }
        }
        added.put(name, netdev);
    }

    private static List<DeviceSpec> defaults() {
        List<DeviceSpec> specs = new ArrayList<>();
        specs.add(new DeviceSpec(DEFAULT_LOOPBACK_NAME, List.of(), RxeOptions.ROCE_V2_PORT));
        specs.addAll(HostInterfaces.devices());
        return specs;
    }

    private RxeDevice make(DeviceSpec spec) {
        AddressWatch watch = watch(spec);
        RxeDevice device = new RxeDevice(
                spec.name(),
                guid(spec),
                spec.endpoints(),
                spec.isExclusive(),
                () -> new RxePort(
                        open(watch == null ? spec : spec.at(watch.addresses()), options),
                        options.withUdpPort(spec.port())));
        if (watch != null) {
            device.watch(watch);
        }
        return device;
    }

    /** Returns what follows the addresses of a device's interface; null for a device with addresses of its own. */
    private @Nullable AddressWatch watch(DeviceSpec spec) {
        String netdev = added.get(spec.name());
        if (netdev != null) {
            return new AddressWatch(netdev, spec.port());
        }
        return explicit == null && !spec.addresses().isEmpty()
                ? new AddressWatch(HostInterfaces.interfaceOf(spec), spec.port())
                : null;
    }

    /**
     * Returns a GUID made from the interface's MAC address, as Linux rxe does. Without a MAC address, the low bits of
     * the IP address form a locally administered one.
     */
    private static long guid(DeviceSpec spec) {
        EthernetLink link = spec.link();
        if (link != null && link.macAddress() != 0) {
            return Guid.ofMac(link.macAddress());
        }
        InetAddress address = spec.addresses().isEmpty()
                ? LoopbackAddresses.first()
                : spec.addresses().getFirst();
        long mac = HostInterfaces.macAddress(address);
        int low = (int) Gid.of(address).interfaceId();
        return Guid.ofMac(mac != 0 ? mac : LOCALLY_ADMINISTERED_MAC | Integer.toUnsignedLong(low));
    }

    private static NetDevice open(DeviceSpec spec, RxeOptions options) {
        NetDevice device = attach(spec, options.sharedMemory());
        device.up();
        return device;
    }

    private static NetDevice attach(DeviceSpec spec, boolean sharedMemory) {
        EthernetLink link = spec.link();
        if (link != null) {
            NetDevice device = attach(link);
            device.ip().set(link.addresses());
            return device;
        }
        return spec.addresses().isEmpty()
                ? LoopbackAddresses.firstFree(address -> bind(spec, List.of(address), sharedMemory))
                : bind(spec, spec.addresses(), sharedMemory);
    }

    private static NetDevice attach(EthernetLink link) {
        String interfaceName = link.interfaceName();
        long mac = link.macAddress();
        return switch (link.kind()) {
            case TAP -> {
                int buffers = TapSettings.DEFAULT_RECEIVE_BUFFERS;
                yield TapDevice.open(new TapSettings(interfaceName, mac, List.of(), link.mtu(), buffers))
                        .netDevice();
            }
            case PACKET -> {
                int buffers = PacketSocketSettings.DEFAULT_RECEIVE_BUFFERS;
                yield PacketSocketDevice.open(new PacketSocketSettings(interfaceName, mac, List.of(), buffers))
                        .netDevice();
            }
        };
    }

    private static NetDevice bind(DeviceSpec spec, List<InetAddress> addresses, boolean sharedMemory) {
        InetAddress first = addresses.getFirst();
        String name = HostInterfaces.name(first);
        if (name == null) {
            throw new RdmaException(
                    Errno.EADDRNOTAVAIL,
                    spec.name() + ": " + first.getHostAddress() + " is not an address of this host");
        }
        int index = HostInterfaces.index(first);
        InetAddress[] all = addresses.toArray(InetAddress[]::new);
        UdpUnderlaySettings settings =
                UdpUnderlaySettings.of(name, index, all).withPort(spec.port()).withSharedMemory(sharedMemory);
        return openWhenReady(settings);
    }

    /**
     * Opens the sockets. An IPv6 address during duplicate address detection (RFC 4862) is listed but cannot be bound.
     * The caller then waits for its end, at most {@link #DETECTION_NS}.
     */
    private static NetDevice openWhenReady(UdpUnderlaySettings settings) {
        long endNs = System.nanoTime() + DETECTION_NS;
        while (true) {
            try {
                return UdpDriverChoice.configured().open(settings).netDevice();
            } catch (RdmaException e) {
                boolean mayBecomeReady = e.errno() == Errno.EADDRNOTAVAIL
                        && settings.addresses().stream()
                                .anyMatch(address ->
                                        address instanceof Inet6Address && HostInterfaces.name(address) != null);
                if (!mayBecomeReady
                        || System.nanoTime() - endNs >= 0
                        || Thread.currentThread().isInterrupted()) {
                    throw e;
                }
                LockSupport.parkNanos(RETRY_NS);
            }
        }
    }
}
