package io.rdma4j.control;

import io.rdma4j.base.Errno;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.ClientGroups;
import io.rdma4j.net.DeviceFlag;
import io.rdma4j.net.InterfaceAddress;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceEvent;
import io.rdma4j.net.NetDeviceListener;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.ip.IpSettings;
import io.rdma4j.net.ip.IpStack;
import io.rdma4j.net.ip.NamespaceIp;
import io.rdma4j.net.loop.NetLoop;
import io.rdma4j.net.loop.ProgressMode;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.ns.NetNamespace;
import io.rdma4j.rxe.PortSite;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxePort;
import io.rdma4j.transport.TransportOptions;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Host;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A machine in the JVM: network namespaces with their devices, an IP stack for each, one loop that drives it all, and RDMA devices
 * over the network devices. What is registered in one of its namespaces is driven, and speaks IP, from then on.
 *
 * <p>Any thread may call. Whoever makes a machine closes it, after the contexts of its RDMA devices.
 */
public final class Machine implements AutoCloseable {
    /** What users call the namespace that is there from the start. */
    public static final String INITIAL = "";

    private final String name;
    private final Instant startTime = Instant.now();
    private final ProgressMode mode;
    private final NetLoop loop;
    private final NetHost net;
    private final Map<NetNamespace, NamespaceIp> stacks = new HashMap<>();
    private final Map<String, NetNamespace> namespaces = new LinkedHashMap<>();
    private final NetDeviceListener follower = this::onNetDeviceEvent;
    private final RxeModule module = new RxeModule(this);
    private final MachineFunctions functions = new MachineFunctions(this);
    private final MachineDevices devices;
    private final Host rdma;
    private final ClientGroups groups = new ClientGroups();
    private final SecurityContexts contexts = new SecurityContexts();
    private final Map<NetNamespace, PacketTables> tables = new HashMap<>();

    /**
     * Makes a machine with a loopback interface, which is up.
     *
     * @param name for messages, and of its threads
     * @param clock of all that happens on it
     * @param mode who drives it: threads of its own, or the caller by way of its {@link #loop}
     */
    public Machine(String name, NanoClock clock, ProgressMode mode) {
        this(name, clock, mode, TransportOptions.DEFAULT);
    }

    /**
     * Makes a machine with a loopback interface, which is up, and with other choices of its RDMA devices.
     *
     * @param name for messages, and of its threads
     * @param clock of all that happens on it
     * @param mode who drives it: threads of its own, or the caller by way of its {@link #loop}
     * @param transport the choices
     */
    public Machine(String name, NanoClock clock, ProgressMode mode, TransportOptions transport) {
        this.name = name;
        this.mode = mode;
        this.loop = new NetLoop(clock, mode);
        this.net = NetHost.create(clock);
        this.rdma = Host.create(name);
        RxeOptions options = new RxeOptions(clock, mode, transport, RxeOptions.ROCE_V2_PORT);
        this.devices = new MachineDevices(this, options);
        rdma.register(devices);
        net.drivenBy(loop);
        admit(net.initial());
        namespaces.put(INITIAL, net.initial());
        net.addListener(follower);
        raiseLoopback(net.initial());
        loop.start(name);
    }

    /** {@return what messages call it} */
    public String name() {
        return name;
    }

    /** {@return when it was made, by the clock of the computer: the time of its files} */
    public Instant startTime() {
        return startTime;
    }

    /** {@return who drives it} */
    public ProgressMode mode() {
        return mode;
    }

    /** {@return its devices and namespaces} */
    public NetHost net() {
        return net;
    }

    /** {@return what drives it} */
    public NetLoop loop() {
        return loop;
    }

    /**
     * {@return its RDMA devices: {@code newLink(NAME, "rxe", NETDEV)} puts one over a device of the initial namespace}
     */
    public Host rdma() {
        return rdma;
    }

    /**
     * {@return the port of an RDMA device while somebody has it open, for who reads its counters; null if nobody has,
     * or there is none of this name}
     *
     * @param rdmaDevice name of the device
     */
    public @Nullable RxePort port(String rdmaDevice) {
        return devices.port(rdmaDevice);
    }

    /**
     * {@return the network device below one of them; null if it is gone}
     *
     * @param device one of this machine's RDMA devices
     */
    public @Nullable NetDevice below(Device device) {
        return devices.below(device.name());
    }

    /** {@return the module that makes its RDMA devices} */
    public RxeModule rxeModule() {
        return module;
    }

    /** {@return the virtual functions of its network devices} */
    public MachineFunctions functions() {
        return functions;
    }

    /** {@return what its packets are labelled with} */
    public SecurityContexts contexts() {
        return contexts;
    }

    /**
     * {@return the rules for the packets of a namespace of this machine}
     *
     * @param namespace of this machine
     * @throws RdmaException ENOENT if the namespace is gone, or of another machine
     */
    public PacketTables tables(NetNamespace namespace) {
        IpStack stack = stack(namespace);
        return net.rtnl().call(() -> tables.computeIfAbsent(namespace, _ -> new PacketTables(stack.hooks())));
    }

    /** {@return the groups of its senders} */
    public ClientGroups groups() {
        return groups;
    }

    /**
     * {@return IP in a namespace of this machine, with all devices that are registered now; its state belongs to the
     * owner of the loop}
     *
     * @param namespace of this machine
     * @throws RdmaException ENOENT if the namespace is gone, or of another machine
     */
    public IpStack stack(NetNamespace namespace) {
        NamespaceIp ip = net.rtnl().call(() -> stacks.get(namespace));
        if (ip == null) {
            throw new RdmaException(Errno.ENOENT, "namespace " + namespace.id() + " is none of " + name);
        }
        ip.settle();
        return ip.stack();
    }

    private void admit(NetNamespace namespace) {
        NamespaceIp ip = new NamespaceIp(namespace, loop, IpSettings.DEFAULT);
        ip.start();
        stacks.put(namespace, ip);
    }

    // Namespaces

    /**
     * Makes a namespace with a loopback interface, down ({@code ip netns add}).
     *
     * @param called a name that a file can have
     * @return the namespace, with nothing in it but the loopback interface
     * @throws RdmaException EINVAL for a name that is none, EEXIST if there is one of this name
     */
    public NetNamespace addNamespace(String called) {
        if (!NetDeviceSetup.isValidName(called)) {
            throw new RdmaException(Errno.EINVAL, "\"" + called + "\" is no name of a namespace");
        }
        return net.rtnl().call(() -> {
            if (namespaces.containsKey(called)) {
                throw new RdmaException(Errno.EEXIST, "there is a namespace \"" + called + "\" already");
            }
            NetNamespace made = addNamespace();
            namespaces.put(called, made);
            return made;
        });
    }

    /**
     * Makes a namespace without a name, with a loopback interface, down ({@code unshare --net}).
     *
     * @return the namespace, with nothing in it but the loopback interface
     */
    public NetNamespace addNamespace() {
        return net.rtnl().call(() -> {
            NetNamespace made = net.createNamespace();
            admit(made);
            return made;
        });
    }

    /**
     * Takes a namespace away ({@code ip netns delete}): devices that can live elsewhere go to the initial one.
     *
     * @param called its name
     * @throws RdmaException ENOENT if there is none of this name, EBUSY for the initial one
     */
    public void deleteNamespace(String called) {
        deleteNamespace(namespace(called));
    }

    /**
     * The same for one that need not have a name.
     *
     * @param gone of this machine
     * @throws RdmaException EBUSY for the initial one
     */
    public void deleteNamespace(NetNamespace gone) {
        net.rtnl().run(() -> {
            gone.close();
            namespaces.values().remove(gone);
            tables.remove(gone);
            NamespaceIp ip = stacks.remove(gone);
            if (ip != null) {
                ip.close();
            }
        });
    }

    /**
     * {@return the namespace of this name; {@link #INITIAL} is that of the one that is there from the start}
     *
     * @param called its name
     * @throws RdmaException ENOENT if there is none
     */
    public NetNamespace namespace(String called) {
        NetNamespace found = net.rtnl().call(() -> namespaces.get(called));
        if (found == null) {
            throw new RdmaException(Errno.ENOENT, "there is no namespace \"" + called + "\" on " + name);
        }
        return found;
    }

    /** {@return all namespaces that have a name, the initial one first; a copy} */
    public Map<String, NetNamespace> namespaces() {
        return net.rtnl().call(() -> new LinkedHashMap<>(namespaces));
    }

    private static void raiseLoopback(NetNamespace namespace) {
        NetDevice loopback = namespace.find("lo");
        if (loopback != null) {
            loopback.up();
        }
    }

    // Devices

    /** Where an RDMA device over a device of this machine is. */
    PortSite site(NetDevice device) {
        return PortSite.on(device, stack(NetNamespace.of(device)), loop);
    }

    private void onNetDeviceEvent(NetDevice device, NetDeviceEvent event) {
        if (event == NetDeviceEvent.UNREGISTER) {
            devices.gone(device);
            functions.gone(device);
        } else if (event == NetDeviceEvent.UP && device.flags().has(DeviceFlag.LOOPBACK)) {
            addressLoopback(device);
        }
    }

    /** A loopback interface that comes up has its usual addresses, unless somebody gave it others ({@code inetdev_event}). */
    private static void addressLoopback(NetDevice device) {
        if (device.addresses().isEmpty()) {
            device.ip().set(List.of(InterfaceAddress.parse("127.0.0.1/8"), InterfaceAddress.parse("::1/128")));
        }
    }

    /**
     * {@return the device of this name in a namespace; null if there is none}
     *
     * @param namespace its name
     * @param device its name there
     */
    public @Nullable NetDevice find(String namespace, String device) {
        return namespace(namespace).find(device);
    }

    /**
     * Ends it all.
     *
     * @throws RdmaException EBUSY while a context of an RDMA device is open
     */
    @Override
    public void close() {
        rdma.close();
        loop.close();
        net.removeListener(follower);
        net.unregister(net.devices());
        net.rtnl().run(() -> {
            stacks.values().forEach(NamespaceIp::close);
            stacks.clear();
        });
    }

    @Override
    public String toString() {
        return name;
    }
}
