package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.spi.DeviceOps;
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
 * A device that can be opened. Answers to {@code struct ibv_device}; belongs to its {@link Host}. Any thread may call.
 *
 * <p>A device may go while it is in use. Then its contexts hear {@link EventType#DEVICE_FATAL}, its queue pairs flush what was
 * posted, and everything that would need the device fails with EIO; polling, fetching events and closing go on.
 *
 * {@snippet :
 * for (Device device : Rdma.devices()) {
 *     try (Context context = device.open()) {
 *         System.out.println(device.name() + ": port 1 is " + context.queryPort(1).state());
 *     }
 * }
 * }
 */
public final class Device {
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

    /** {@return unique within the host} Answers to {@code ibv_get_device_name}. */
    public String name() {
        return ops.name();
    }

    /**
     * {@return EUI-64; print it with {@link io.rdma4j.base.Guid#toString(long)}} Answers to
     * {@code ibv_get_device_guid}.
     */
    public long guid() {
        return ops.nodeGuid();
    }

    /** {@return a few words for people, 64 bytes at most} Answers to {@code node_desc}. */
    public String nodeDescription() {
        return ops.nodeDescription();
    }

    /**
     * {@return which driver other processes need for it, a number of {@code enum rdma_driver_id}; 0 if they cannot have
     * it}
     */
    public int driverId() {
        return ops.driverId();
    }

    /** {@return the kind of node} Answers to {@code node_type}. */
    public NodeType nodeType() {
        return ops.nodeType();
    }

    /** {@return the transport it speaks, which follows from the kind of node} Answers to {@code transport_type}. */
    public TransportType transport() {
        return nodeType().transport();
    }

    /**
     * {@return the IP addresses of its port, in the order of the GID table; empty if it has none, or does not know them before it is
     * open} A device that takes a free loopback address when it is opened, such as {@code rxe_lo}, answers 127.0.0.1.
     */
    public List<InetAddress> addresses() {
        return endpoints().stream().map(InetSocketAddress::getAddress).toList();
    }

    /** {@return its {@link #addresses}, each with the UDP port} */
    public List<InetSocketAddress> endpoints() {
        return ops.endpoints();
    }

    /** {@return the machine it belongs to} */
    public Host host() {
        return host;
    }

    /**
     * Opens the device for this process; each context is independent of the others, and the caller closes it. Answers to
     * {@code ibv_open_device}.
     *
     * <p>A device over a network interface belongs to the first process that opens it, which serves it to the other processes of
     * this user as long as it has it open. If another process serves it, the context works through that process. When that
     * process ends, or closes the device, such a context hears {@link EventType#DEVICE_FATAL} and its verbs fail with EIO; the next
     * opening makes the device this process's own.
     *
     * @return an open device
     * @throws RdmaException whatever keeps it from opening, EINVAL if the host is closed, ENODEV once the device is gone, EADDRINUSE
     *     if a program has its address that does not serve it to this process
     */
    public Context open() {
        return open(Owner.current(), DeviceShare.Purpose.USE);
    }

    /**
     * As {@link #open()}, for a program that only looks at the device: other processes are not told of it.
     *
     * @return an open device
     * @throws RdmaException as {@link #open()}
     */
    public Context openToQuery() {
        return open(Owner.current(), DeviceShare.Purpose.QUERY);
    }

    /**
     * Opens this process's own device for a client that the caller works for. The device of another process is not looked for.
     *
     * @param owner who stands for it in {@link Context#owner} and in {@code rdma resource show}
     * @return an open device
     * @throws RdmaException whatever keeps it from opening, EINVAL if the host is closed, ENODEV once the device is gone, EADDRINUSE
     *     if another program has its address
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
        // Devices of machines inside the JVM have no address that is known before they are open, and are not of
        // interest.
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

    /** A context of it is closed. */
    void closed(Context context) {
        contexts.remove(context);
        register.remove(context);
        if (context.opening().served()) {
            share.closed();
        }
        disposeIfUnused();
    }

    /** {@return false once it is gone, for good: a device of the same name that comes later is another one} */
    public boolean isPresent() {
        return present;
    }

    /** It is gone: what is open hears of it. */
    void remove() {
        present = false;
        contexts.forEach(Context::remove);
        disposeIfUnused();
    }

    /** The references that the kernel's and libibverbs' devices count are those of the list and of each context. */
    private void disposeIfUnused() {
        if (!present && contexts.isEmpty() && disposed.compareAndSet(false, true)) {
            ops.dispose();
        }
    }

    /**
     * Changes what can be changed. Answers to {@code ib_modify_device}.
     *
     * @param change what shall be different; what is absent stays
     * @throws RdmaException EOPNOTSUPP if the device cannot, ENODEV once it is gone
     */
    public void modify(DeviceModification change) {
        if (!present) {
            throw new RdmaException(Errno.ENODEV, name() + " is gone: there is nothing to change");
        }
        ops.modify(change);
    }

    /**
     * Leaves something at the device for the client, null to take it away; it is gone with the device or the registration. Answers to
     * {@code ib_set_client_data}.
     *
     * @param client who is registered with the host
     * @param data what {@link #clientData} shall return to it
     * @throws RdmaException EINVAL if the client is not registered, or the device is gone
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
     * {@return what the client left at the device, null if nothing} Answers to {@code ib_get_client_data}.
     *
     * @param client who left it
     */
    public @Nullable Object clientData(Client client) {
        synchronized (clientData) {
            return clientData.get(client);
        }
    }

    /** The same, for the last time. */
    @Nullable
    Object takeClientData(Client client) {
        synchronized (clientData) {
            return clientData.remove(client);
        }
    }

    /**
     * {@return the live objects of all its contexts, in the order in which they were made} Answers to
     * {@code rdma_restrack_root} and {@code rdma resource show}.
     */
    public List<Resource> resources() {
        return register.list();
    }

    /** {@return the open contexts of this process, oldest first; a copy} */
    public List<Context> contexts() {
        return List.copyOf(contexts);
    }

    /**
     * {@return the live objects of the device, whatever process has made them, in the order in which they were made} For a device of
     * this process that is {@link #resources}; another process is asked for those of the device that it serves.
     *
     * @throws RdmaException ECONNREFUSED, EIO if the process that serves the device is gone
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
