// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.host;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.cm.Cm;
import io.rdma4j.cm.gsi.CmServices;
import io.rdma4j.rdmacm.LocalDevice;
import io.rdma4j.rdmacm.RdmaCm;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.EventRegistration;
import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.device.GidEntry;
import io.rdma4j.verbs.spi.AddressResolver;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.Owner;
import java.net.InetAddress;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Port 1 of an open device. */
final class HostDevice implements LocalDevice {
    private static final int PORT = 1;

    private final Device device;
    private final CmServices services;
    private final EventRegistration events;
    private final int maxResponderResources;
    private final int maxInitiatorDepth;

    /** Null if the operating system knows the routes and neighbours. */
    private final @Nullable AddressResolver resolver;

    /**
     * @param handler gets the events of the device and of its port; called by the thread of the device, does not wait
     */
    HostDevice(Device device, CmServices services, RdmaCm manager, BiConsumer<HostDevice, EventType> handler) {
        this.device = device;
        this.services = services;
        DeviceAttributes attributes = services.context().queryDevice();
        maxResponderResources = (int) attributes.limit(DeviceLimit.MAX_QP_RD_ATOM);
        maxInitiatorDepth = (int) attributes.limit(DeviceLimit.MAX_QP_INIT_RD_ATOM);
        resolver = services.context().extension(AddressResolver.class);
        services.onProgress(manager::completeFutures);
        Owner owner = services.context().owner();
        services.context().addResources(() -> manager.resources(this, owner));
        events = services.context().registerEventHandler(event -> handler.accept(this, event.type()));
    }

    Device device() {
        return device;
    }

    @Override
    public List<Gid> addresses() {
        return services.context().queryGidTable().stream()
                .filter(entry -> entry.port() == PORT)
                .map(GidEntry::gid)
                .toList();
    }

    long progress(long nowNs) {
        return services.progress(nowNs);
    }

    /** Leaves the device. If objects of the program are left, a later call closes the context. */
    void close() {
        events.close();
        services.close();
    }

    @Override
    public String name() {
        return device.name();
    }

    @Override
    public int port() {
        return PORT;
    }

    @Override
    public <T> T call(Function<Cm, T> action) {
        return services.call(action);
    }

    @Override
    public Context context() {
        return services.context();
    }

    @Override
    public int gidIndex(Gid address) {
        return services.context().queryGidTable().stream()
                .filter(entry -> entry.port() == PORT && entry.gid().equals(address))
                .mapToInt(GidEntry::index)
                .findFirst()
                .orElse(-1);
    }

    @Override
    public int interfaceIndex() {
        AddressResolver own = resolver;
        return own != null ? own.interfaceIndex() : SystemRoutes.interfaceIndex(interfaceName());
    }

    /** The name of the network interface; empty without addresses. */
    private String interfaceName() {
        return services.context().queryGidTable().stream()
                .filter(entry -> entry.port() == PORT)
                .map(GidEntry::netDeviceName)
                .findFirst()
                .orElse("");
    }

    @Override
    public boolean hasRoute(Gid own, Gid peer) {
        InetAddress ip = peer.toInetAddress();
        if (gidIndex(peer) >= 0 || ip.isLoopbackAddress()) {
            return true;
        }
        AddressResolver known = resolver;
        return known != null ? known.hasRoute(peer) : SystemRoutes.leaves(device.host(), this, own.toInetAddress(), ip);
    }

    /** Returns false if the routes of the network of the device lead to an address through another interface. */
    boolean mayReach(Gid destination) {
        AddressResolver known = resolver;
        return known == null || known.hasRoute(destination);
    }

    /** Returns true if packets to an address can be sent now; otherwise the link address is requested. */
    boolean resolve(Gid destination) {
        AddressResolver known = resolver;
        return known == null || gidIndex(destination) >= 0 || known.resolve(destination);
    }

    @Override
    public Mtu pathMtu() {
        return services.context().queryPort(PORT).activeMtu();
    }

    @Override
    public int maxResponderResources() {
        return maxResponderResources;
    }

    @Override
    public int maxInitiatorDepth() {
        return maxInitiatorDepth;
    }

    @Override
    public void bindPort(long serviceId, Gid address, boolean reuse) {
        services.bindPort(serviceId, address, reuse);
    }

    @Override
    public void releasePort(long serviceId, Gid address) {
        services.releasePort(serviceId, address);
    }

    @Override
    public void wakeup() {
        services.wakeup();
    }

    @Override
    public String toString() {
        return device.name();
    }
}
