// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.ObjectKind;
import io.rdma4j.verbs.device.DeviceModification;
import io.rdma4j.verbs.device.NodeType;
import io.rdma4j.verbs.device.TransportType;
import io.rdma4j.verbs.local.ServedDevice;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.state.MulticastGroups;
import io.rdma4j.verbs.state.ObjectQuota;
import io.rdma4j.verbs.state.PortAnnouncements;
import io.rdma4j.verbs.values.Owner;
import io.rdma4j.verbs.values.Resource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A device that can be opened. Corresponds to {@code struct ibv_device}. Belongs to its {@link Host}. Any thread.
 *
 * <p>A device may be removed while it is in use. Its contexts then receive {@link
 * io.rdma4j.verbs.values.EventType#DEVICE_FATAL}, and its queue pairs flush the posted requests. Calls that require the
 * device fail with EIO; polling, fetching events and closing still work.
 *
 * {@snippet :
 * for (Device device : Rdma.devices()) {
 *     try (Context context = device.open()) {
 *         System.out.println(device.name() + ": port 1 is " + context.queryPort(1).state());
 *     }
 * }
 * }
 */
public final class Device implements ServedDevice {
    private static final Logger LOG = System.getLogger(Device.class.getName());

    private final Host host;
    private final DeviceOps ops;
    private final DeviceShare share;
    private final ObjectQuota quota = new ObjectQuota();
    private final ResourceRegister register = new ResourceRegister();
    private final MulticastGroups multicastGroups = new MulticastGroups();
    private final PortAnnouncements announcements = new PortAnnouncements();
    private final List<Context> contexts = new CopyOnWriteArrayList<>();
    private final IdentityHashMap<Client, Object> clientData = new IdentityHashMap<>();
    private final AtomicBoolean disposed = new AtomicBoolean();
    private volatile boolean present = true;

    Device(Host host, DeviceOps ops) {
        this.host = host;
        this.ops = ops;
        this.share = new DeviceShare(this, ops);
    }

    /** {@return the name, unique within the host} Corresponds to {@code ibv_get_device_name}. */
    @Override
    public String name() {
        return ops.name();
    }

    /**
     * {@return the EUI-64 of the device, which {@link io.rdma4j.base.Guid#toString(long)} formats} Corresponds to
     * {@code ibv_get_device_guid}.
     */
    @Override
    public long guid() {
        return ops.nodeGuid();
    }

    /** {@return a description for users, at most 64 bytes} Corresponds to {@code node_desc}. */
    public String nodeDescription() {
        return ops.nodeDescription();
    }

    /**
     * {@return the number of the driver that other processes need for the device, a value of
     * {@code enum rdma_driver_id}; 0 if the device cannot be shared}
     */
    @Override
    public int driverId() {
        return ops.driverId();
    }

    /** {@return the kind of node} Corresponds to {@code node_type}. */
    @Override
    public NodeType nodeType() {
        return ops.nodeType();
    }

    /** {@return the transport protocol, which follows from the kind of node} Corresponds to {@code transport_type}. */
    public TransportType transport() {
        return nodeType().transport();
    }

    /**
     * {@return the IP addresses of the device's port, in the order of the GID table} The list is empty if the port has
     * no address, or if the addresses are unknown before the device is opened. A device that binds a free loopback
     * address when it is opened, such as {@code rxe_lo}, returns 127.0.0.1.
     */
    public List<InetAddress> addresses() {
        return endpoints().stream().map(InetSocketAddress::getAddress).toList();
    }

    /** {@return the {@link #addresses}, each with the UDP port} */
    @Override
    public List<InetSocketAddress> endpoints() {
        return ops.endpoints();
    }

    /** {@return the host that the device belongs to} */
    public Host host() {
        return host;
    }

    /**
     * Opens the device for this process. Contexts are independent of each other; the caller closes each one.
     * Corresponds to {@code ibv_open_device}.
     *
     * <p>The first process that opens a device over a network interface becomes its owner. While the owner has the
     * device open, it serves the device to other processes of the same user. If another process is the owner, the
     * context works through that process. When the owner ends or closes the device, such a context receives {@link
     * io.rdma4j.verbs.values.EventType#DEVICE_FATAL} and its verbs fail with EIO. The process that opens the device
     * next becomes the owner.
     *
     * @return an open device
     * @throws RdmaException EINVAL if the host is closed; ENODEV if the device was removed; EADDRINUSE if a program
     *     uses the device's address and does not serve it to this process; errors of the provider
     */
    public Context open() {
        return open(Owner.current(), DeviceShare.Purpose.USE);
    }

    /**
     * As {@link #open()}, for a program that only queries the device: the device is not served to other processes.
     *
     * @return an open device
     * @throws RdmaException as {@link #open()}
     */
    public Context openToQuery() {
        return open(Owner.current(), DeviceShare.Purpose.QUERY);
    }

    /**
     * Opens the device of this process on behalf of a client process. Unlike {@link #open()}, the call does not use a
     * device that another process serves.
     *
     * @param owner owner of the context, for {@link Context#owner} and {@code rdma resource show}
     * @return an open device
     * @throws RdmaException EINVAL if the host is closed; ENODEV if the device was removed; EADDRINUSE if another
     *     program uses the device's address; errors of the provider
     */
    public Context open(Owner owner) {
        return open(owner, DeviceShare.Purpose.CLIENT);
    }

    private Context open(Owner owner, DeviceShare.Purpose purpose) {
        if (!present) {
            throw new RdmaException(Errno.ENODEV, name() + " is gone: list the devices again");
        }
        boolean first = contexts.isEmpty();
        Context context = host.life()
                .admit(ObjectKind.CONTEXT, () -> new Context(this, owner, events -> share.open(purpose, events)));
        register.add(ObjectKind.CONTEXT, context, context);
        contexts.add(context);
        if (!present) {
            context.remove();
        }
        if (first && purpose == DeviceShare.Purpose.USE) {
            logOpening(context);
        }
        return context;
    }

    private void logOpening(Context context) {
        // Devices of machines inside the JVM have no address before they are opened; their openings are not logged.
        if (!ops.endpoints().isEmpty() && LOG.isLoggable(Level.INFO)) {
            String carrier = context.ops().carrier();
            String way = context.opening().way();
            LOG.log(
                    Level.INFO,
                    name() + " is open" + (carrier.isEmpty() ? "" : ", by " + carrier) + ", addresses "
                            + addresses().stream()
                                    .map(InetAddress::getHostAddress)
                                    .collect(Collectors.joining(", "))
                            + (way.isEmpty() ? "" : "; " + way));
        }
    }

    /** Tells other processes the new addresses if they reach the device by its entry in the run directory. */
    void addressesChanged() {
        share.addressesChanged();
    }

    /** Removes a closed context. */
    void closed(Context context) {
        contexts.remove(context);
        register.remove(context);
        share.closed(context.opening());
        disposeIfUnused();
    }

    /** {@return false after the device was removed} A device of the same name that is added later is another object. */
    public boolean isPresent() {
        return present;
    }

    /** Marks the device as removed and notifies its contexts. */
    void remove() {
        present = false;
        contexts.forEach(Context::remove);
        disposeIfUnused();
    }

    /**
     * Disposes of a removed device after its last context is closed. The list of devices and each context hold a
     * reference, as in the kernel and in libibverbs.
     */
    private void disposeIfUnused() {
        if (!present && contexts.isEmpty() && disposed.compareAndSet(false, true)) {
            ops.dispose();
        }
    }

    /**
     * Modifies the device. Corresponds to {@code ib_modify_device}.
     *
     * @param change new values; absent values stay unchanged
     * @throws RdmaException EOPNOTSUPP if the device does not support the modification, ENODEV if it was removed
     */
    public void modify(DeviceModification change) {
        if (!present) {
            throw new RdmaException(Errno.ENODEV, name() + " is gone: there is nothing to change");
        }
        ops.modify(change);
    }

    /**
     * Attaches an object of a client to the device. It is detached when the device is removed or the client is
     * unregistered. Corresponds to {@code ib_set_client_data}.
     *
     * @param client a client that is registered with the host
     * @param data the object that {@link #clientData} returns for this client; null to detach it
     * @throws RdmaException EINVAL if the client is not registered, or the device was removed
     */
    public void setClientData(Client client, @Nullable Object data) {
        if (!present || !host.isRegistered(client)) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "client \"" + client.name() + "\" can leave nothing at " + this + ": "
                            + (present ? "it is not registered" : "the device is gone"));
        }
        synchronized (clientData) {
            if (data == null) {
                clientData.remove(client);
            } else {
                clientData.put(client, data);
            }
        }
    }

    /**
     * {@return the object that a client attached to the device; null if there is none} Corresponds to
     * {@code ib_get_client_data}.
     *
     * @param client the client that attached it
     */
    public @Nullable Object clientData(Client client) {
        synchronized (clientData) {
            return clientData.get(client);
        }
    }

    /** Detaches and returns the object of a client. */
    @Nullable
    Object takeClientData(Client client) {
        synchronized (clientData) {
            return clientData.remove(client);
        }
    }

    /**
     * {@return the open objects of all contexts of this process, in the order of their creation, and then those of
     * other modules} Corresponds to {@code rdma_restrack_root} and {@code rdma resource show}.
     */
    public List<Resource> resources() {
        List<Resource> resources = register.list();
        contexts.forEach(context -> resources.addAll(context.addedResources()));
        return resources;
    }

    /** {@return the open contexts of this process, oldest first; a copy} */
    public List<Context> contexts() {
        return List.copyOf(contexts);
    }

    /**
     * {@return the open objects of the device in all processes} For a device of this process the result equals
     * {@link #resources}. For a device of another process, the call requests the list from that process, which asks its
     * clients for objects of other modules; clients that do not answer within a second are left out.
     *
     * @throws RdmaException ECONNREFUSED or EIO if the process that serves the device has ended
     */
    public List<Resource> resourcesOfAllProcesses() {
        List<Resource> elsewhere = ops.resourcesOfAllProcesses();
        return elsewhere != null ? elsewhere : resources();
    }

    ResourceRegister register() {
        return register;
    }

    MulticastGroups multicastGroups() {
        return multicastGroups;
    }

    PortAnnouncements announcements() {
        return announcements;
    }

    ObjectQuota quota() {
        return quota;
    }

    @Override
    public String toString() {
        return name();
    }
}
