// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.host;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import io.rdma4j.cm.Cm;
import io.rdma4j.cm.gsi.CmServices;
import io.rdma4j.rdmacm.LocalDevice;
import io.rdma4j.rdmacm.RdmaCm;
import io.rdma4j.rdmacm.SubnetServices;
import io.rdma4j.sa.SubnetAccess;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.EventRegistration;
import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.device.GidEntry;
import io.rdma4j.verbs.device.LinkLayer;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.Owner;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Port 1 of an open device. */
final class HostDevice implements LocalDevice {
    private static final int PORT = 1;
    /** Shifts the bit of full membership out of a P_Key. */
    private static final int MEMBERSHIP_SHIFT = 17;

    private final Device device;
    private final CmServices services;
    private final EventRegistration events;
    private final int maxResponderResources;
    private final int maxInitiatorDepth;

    private final PortAddresses addresses;

    /** Null on RoCE. */
    private final @Nullable PortSubnet paths;

    /**
     * @param isThreaded false if the caller drives the device
     * @param handler gets the events of the device and of its port; called by the thread of the device, does not wait
     */
    HostDevice(
            Device device,
            CmServices services,
            RdmaCm manager,
            boolean isThreaded,
            BiConsumer<HostDevice, EventType> handler) {
        this.device = device;
        this.services = services;
        DeviceAttributes attributes = services.context().queryDevice();
        maxResponderResources = (int) attributes.limit(DeviceLimit.MAX_QP_RD_ATOM);
        maxInitiatorDepth = (int) attributes.limit(DeviceLimit.MAX_QP_INIT_RD_ATOM);
        if (services.context().linkLayer(PORT) == LinkLayer.INFINIBAND) {
            SubnetAccess served = services.context().extension(SubnetAccess.class);
            SubnetAddresses own =
                    new SubnetAddresses(this, served != null ? served::interfaces : device.host()::interfaces);
            addresses = own;
            paths = new PortSubnet(PORT, own, services, manager, isThreaded);
        } else {
            addresses = new GidAddresses(this, services.context());
            paths = null;
        }
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
        return addresses.list();
    }

    long progress(long nowNs) {
        return services.progress(nowNs);
    }

    /** Leaves the device. If objects of the program are left, a later call closes the context. */
    void close() {
        events.close();
        if (paths != null) {
            paths.close();
        }
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
    public int gidIndex(Gid gid) {
        return services.context().queryGidTable().stream()
                .filter(entry -> entry.port() == PORT && entry.gid().equals(gid))
                .mapToInt(GidEntry::index)
                .findFirst()
                .orElse(-1);
    }

    @Override
    public boolean hasAddress(Gid address) {
        return addresses.has(address);
    }

    @Override
    public boolean accepts(Gid address, int pkey) {
        return addresses.has(address) && (paths == null || (addresses.pkey(address) ^ pkey) << MEMBERSHIP_SHIFT == 0);
    }

    @Override
    public int pkeyIndex(Gid address) {
        int index = paths == null ? 0 : services.pkeyIndex(PORT, addresses.pkey(address));
        if (index < 0) {
            throw new RdmaException(Errno.EINVAL, name() + " is no member of the partition of " + address);
        }
        return index;
    }

    @Override
    public @Nullable Gid gidOf(Gid own, Gid peer) {
        return addresses.gidOf(own, peer);
    }

    @Override
    public @Nullable SubnetServices subnet() {
        return paths;
    }

    @Override
    public int interfaceIndex() {
        return addresses.interfaceIndex();
    }

    @Override
    public boolean hasRoute(Gid own, Gid peer) {
        return addresses.hasRoute(own, peer);
    }

    /** Returns false if the routes of the network of the device lead to an address through another interface. */
    boolean mayReach(Gid own, Gid destination) {
        return addresses.mayReach(own, destination);
    }

    /** Returns true if packets to an address can be sent now; otherwise the link address is requested. */
    boolean resolve(Gid own, Gid destination) {
        return addresses.resolve(own, destination);
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
