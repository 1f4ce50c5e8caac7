// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.host;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.rdmacm.LocalDevice;
import io.rdma4j.rdmacm.LocalDevices;
import io.rdma4j.rdmacm.ResolvedRoute;
import io.rdma4j.verbs.Client;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Host;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The devices of a host. A device is opened when a wildcard listener, an own address or a route needs it, and stays
 * open. With the lock of rdma_cm.
 */
final class HostDevices implements LocalDevices {
    private static final System.Logger LOG = System.getLogger(HostDevices.class.getName());
    private static final int HOP_LIMIT = 64;

    private final Host host;
    private final Consumer<Runnable> tasks;
    private final Function<Device, HostDevice> opener;
    private final Map<Device, HostDevice> open = new LinkedHashMap<>();
    private final Additions additions;
    private final NeighbourQueries queries;
    /** True if the host reports further devices. */
    private boolean isFollowing;

    /**
     * The host calls it with its lock, so it only starts a task. A device that is gone raises an event, which the host
     * does not have to report.
     */
    private record Additions(Runnable handler) implements Client {
        @Override
        public String name() {
            return "rdma_cm";
        }

        @Override
        public void add(Device device) {
            handler.run();
        }

        @Override
        public void remove(Device device, @Nullable Object data) {
            // The event DEVICE_FATAL says so.
        }
    }

    /**
     * @param tasks runs what may block
     * @param onAddition a task: the host has further devices
     */
    HostDevices(
            Host host,
            Consumer<Runnable> tasks,
            Runnable onAddition,
            Function<Device, HostDevice> opener,
            NeighbourQueries queries) {
        this.queries = queries;
        this.host = host;
        this.tasks = tasks;
        additions = new Additions(() -> tasks.accept(onAddition));
        this.opener = opener;
    }

    /** No further devices are reported. */
    void stopFollowing() {
        if (isFollowing) {
            isFollowing = false;
            host.unregisterClient(additions);
        }
    }

    List<HostDevice> opened() {
        return List.copyOf(open.values());
    }

    /** False if the device is forgotten already. */
    boolean forget(HostDevice device) {
        return open.remove(device.device(), device);
    }

    /** Opens a device; null if that is not possible, for example because another process has its queue pair 1. */
    private @Nullable HostDevice open(Device device, System.Logger.Level level) {
        HostDevice known = open.get(device);
        if (known != null) {
            return known;
        }
        try {
            HostDevice opened = opener.apply(device);
            open.put(device, opened);
            return opened;
        } catch (RdmaException e) {
            LOG.log(level, "rdma_cm does without " + device.name(), e);
            return null;
        }
    }

    @Override
    public List<LocalDevice> all() {
        if (!isFollowing) {
            isFollowing = true;
            host.registerClient(additions);
        }
        host.devices().forEach(device -> open(device, System.Logger.Level.DEBUG));
        return List.copyOf(open.values());
    }

    @Override
    public @Nullable LocalDevice at(Gid address, int scope) {
        HostDevice known = openAt(address, scope);
        if (known != null) {
            return known;
        }
        InetAddress ip = address.toInetAddress();
        for (Device device : host.devices()) {
            // Some devices have no addresses before they are open.
            boolean mayHave = device.addresses().isEmpty() || device.addresses().contains(ip);
            if (!open.containsKey(device) && mayHave) {
                HostDevice opened = open(device, System.Logger.Level.WARNING);
                if (opened != null && has(opened, address, scope)) {
                    return opened;
                }
            }
        }
        return null;
    }

    private @Nullable HostDevice openAt(Gid address, int scope) {
        for (HostDevice device : open.values()) {
            if (has(device, address, scope)) {
                return device;
            }
        }
        return null;
    }

    private static boolean has(HostDevice device, Gid address, int scope) {
        return device.hasAddress(address) && isOf(device, scope);
    }

    /** True if the device has an interface, or it is not known which one it has. */
    private static boolean isOf(HostDevice device, int scope) {
        int index = scope == 0 ? 0 : device.interfaceIndex();
        return index == 0 || index == scope;
    }

    /** Each process has a loopback address of its own: the first free one. */
    @Override
    public Gid ownAddress(Gid address) {
        boolean isOfOther = address.toInetAddress().isLoopbackAddress() && at(address, 0) == null;
        if (!isOfOther) {
            return address;
        }
        openForNearest(true);
        return nearest(address, true).source();
    }

    @Override
    public void runTask(Runnable task) {
        tasks.accept(task);
    }

    @Override
    public boolean isLocal(Gid address) {
        return SystemRoutes.isLocal(address.toInetAddress());
    }

    @Override
    public void resolve(ResolvedRoute route, Gid destination, int timeoutMs, Consumer<@Nullable Errno> done) {
        HostDevice device = open.values().stream()
                .filter(route.device()::equals)
                .findFirst()
                .orElseThrow(() -> new RdmaException(Errno.ENODEV, route.device() + " is gone"));
        queries.start(device, route.source(), destination, timeoutMs, done);
    }

    @Override
    public ResolvedRoute route(@Nullable Gid source, Gid destination, int scope) {
        if (source != null) {
            return found(at(source, scope), source, destination);
        }
        if (scope != 0) {
            return onLink(destination, scope);
        }
        InetAddress peer = destination.toInetAddress();
        ResolvedRoute known = openRoute(destination, peer);
        if (known != null) {
            return known;
        }
        LocalDevice own = at(destination, 0);
        if (own != null) {
            return new ResolvedRoute(own, destination, HOP_LIMIT);
        }
        if (peer.isLoopbackAddress()) {
            openForNearest(true);
            return nearest(destination, true);
        }
        if (open.values().stream().anyMatch(HostDevices::isInsideJvm)) {
            openForNearest(false);
            return nearest(destination, false);
        }
        Gid routed = Gid.of(host.sourceAddressTo(peer));
        LocalDevice device = at(routed, 0);
        // A device with addresses of its own may reach a peer that the system reaches through another interface.
        if (device == null) {
            openForNearest(false);
            return nearest(destination, false);
        }
        return found(device, routed, destination);
    }

    /** The route to a link-local address from the device of its interface, and from a link-local address of that. */
    private ResolvedRoute onLink(Gid destination, int scope) {
        for (Device device : host.devices()) {
            HostDevice opened = mayHave(device, scope) ? open(device, System.Logger.Level.WARNING) : null;
            if (opened != null && isOf(opened, scope)) {
                for (Gid own : opened.addresses()) {
                    if (!own.isIpv4() && own.toInetAddress().isLinkLocalAddress()) {
                        return new ResolvedRoute(opened, own, HOP_LIMIT);
                    }
                }
            }
        }
        throw new RdmaException(
                Errno.ENODEV,
                "no device with a link-local address has interface " + scope + ", on which "
                        + destination.toInetAddress().getHostAddress() + " is");
    }

    /** False if the addresses of a device show that it has another interface. */
    private static boolean mayHave(Device device, int scope) {
        List<InetAddress> addresses = device.addresses();
        return addresses.isEmpty()
                || addresses.stream()
                        .anyMatch(address -> address instanceof Inet6Address ip
                                && ip.isLinkLocalAddress()
                                && (ip.getScopeId() == 0 || ip.getScopeId() == scope));
    }

    /** A route from an open device, without a look at the others; null if another device may have it. */
    private @Nullable ResolvedRoute openRoute(Gid destination, InetAddress peer) {
        HostDevice own = openAt(destination, 0);
        if (own != null) {
            return new ResolvedRoute(own, destination, HOP_LIMIT);
        }
        boolean isPlain = open.values().stream().noneMatch(HostDevices::isInsideJvm);
        if (!isPlain || peer.isLoopbackAddress()) {
            return null;
        }
        Gid routed = Gid.of(host.sourceAddressTo(peer));
        HostDevice device = openAt(routed, 0);
        return device == null ? null : new ResolvedRoute(device, routed, HOP_LIMIT);
    }

    private static ResolvedRoute found(@Nullable LocalDevice device, Gid source, Gid destination) {
        if (device == null) {
            throw new RdmaException(
                    Errno.ENODEV,
                    "no device has the address " + source.toInetAddress().getHostAddress()
                            + ", from which packets go to "
                            + destination.toInetAddress().getHostAddress());
        }
        return new ResolvedRoute(device, source, HOP_LIMIT);
    }

    /** True for a device on a network of this JVM, of which the system knows nothing. */
    private static boolean isInsideJvm(HostDevice device) {
        return device.device().addresses().isEmpty() && !device.addresses().isEmpty();
    }

    private void openForNearest(boolean loopback) {
        for (Device device : host.devices()) {
            boolean isLoopback = device.addresses().stream().anyMatch(InetAddress::isLoopbackAddress);
            if (device.addresses().isEmpty() || isLoopback == loopback) {
                open(device, System.Logger.Level.WARNING);
            }
        }
    }

    /** The open device with a route to the destination whose address has the most leading bits in common with it. */
    private ResolvedRoute nearest(Gid destination, boolean loopback) {
        ResolvedRoute best = null;
        int bestBits = -1;
        for (HostDevice device : open.values()) {
            for (Gid address : device.addresses()) {
                int bits = commonBits(address, destination);
                if (bits > bestBits
                        && address.isIpv4() == destination.isIpv4()
                        && loopback == address.toInetAddress().isLoopbackAddress()
                        && device.mayReach(address, destination)) {
                    bestBits = bits;
                    best = new ResolvedRoute(device, address, HOP_LIMIT);
                }
            }
        }
        if (best == null) {
            throw new RdmaException(
                    Errno.ENODEV,
                    "no device reaches " + destination.toInetAddress().getHostAddress());
        }
        return best;
    }

    private static int commonBits(Gid a, Gid b) {
        int high = Long.numberOfLeadingZeros(a.prefix() ^ b.prefix());
        return high < Long.SIZE ? high : high + Long.numberOfLeadingZeros(a.interfaceId() ^ b.interfaceId());
    }
}
