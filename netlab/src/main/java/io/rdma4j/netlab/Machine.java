// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab;

import io.rdma4j.base.Errno;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.ip.IpSettings;
import io.rdma4j.ip.IpStack;
import io.rdma4j.ip.NamespaceIp;
import io.rdma4j.loop.HostLoop;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceListener;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.address.InterfaceAddress;
import io.rdma4j.net.device.DeviceFlag;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.device.NetDeviceEvent;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.ns.NetNamespace;
import io.rdma4j.net.transmit.ClientGroups;
import io.rdma4j.rxe.PortSite;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxePort;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.spi.PortInterface;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A machine in the JVM: network namespaces with their devices, an IP stack for each namespace, one loop that drives
 * them, and RDMA devices over the network devices. A device is driven and has IP from its registration in a namespace
 * on.
 *
 * <p>Any thread may call. The creator closes the machine after all contexts of its RDMA devices.
 */
public final class Machine implements AutoCloseable {
    /** Name of the initial namespace. */
    public static final String INITIAL = "";

    private final String name;
    private final Instant startTime = Instant.now();
    private final ProgressMode mode;
    private final NetLoop loop;
    private final NetHost net;
    private final Map<NetNamespace, NamespaceIp> stacks = new ConcurrentHashMap<>();
    private final Map<String, NetNamespace> namespaces = new LinkedHashMap<>();
    /** Devices for IP over InfiniBand; changed with the lock of RTNL. */
    private final Map<NetDevice, PortInterface> interfaces = new HashMap<>();

    private final NetDeviceListener follower = this::onNetDeviceEvent;
    private final RxeModule module = new RxeModule(this);
    private final MachineFunctions functions;
    private final MachineDevices devices;
    private final Host rdma;
    private final ClientGroups groups = new ClientGroups();
    private final SecurityContexts contexts = new SecurityContexts();
    private final Map<NetNamespace, PacketTables> tables = new HashMap<>();

    /**
     * Creates a machine with a loopback interface that is up.
     *
     * @param name name in messages and of the machine's threads
     * @param clock clock of everything on the machine
     * @param mode whether threads of the machine or the caller drive the {@link #loop}
     */
    public Machine(String name, NanoClock clock, ProgressMode mode) {
        this(name, clock, mode, TransportOptions.DEFAULT);
    }

    /**
     * Creates a machine with a loopback interface that is up, and with options for its RDMA devices.
     *
     * @param name name in messages and of the machine's threads
     * @param clock clock of everything on the machine
     * @param mode whether threads of the machine or the caller drive the {@link #loop}
     * @param transport options of its RDMA devices
     */
    public Machine(String name, NanoClock clock, ProgressMode mode, TransportOptions transport) {
        this.name = name;
        this.mode = mode;
        this.loop = new NetLoop(clock, mode);
        this.net = NetHost.create(clock);
        this.functions = new MachineFunctions(net);
        this.rdma = Host.create(name);
        RxeOptions options = new RxeOptions(clock, mode, transport, RxeOptions.ROCE_V2_PORT);
        this.devices = new MachineDevices(this, options);
        rdma.register(devices);
        HostLoop.connect(net, loop);
        admit(net.initial());
        namespaces.put(INITIAL, net.initial());
        net.addListener(follower);
        raiseLoopback(net.initial());
        loop.start(name);
    }

    /** {@return the name in messages} */
    public String name() {
        return name;
    }

    /** {@return time of creation by the operating system's clock; also the time of the machine's files} */
    public Instant startTime() {
        return startTime;
    }

    /** {@return whether threads of the machine or the caller drive the loop} */
    public ProgressMode mode() {
        return mode;
    }

    /** {@return the network devices and namespaces} */
    public NetHost net() {
        return net;
    }

    /** {@return the loop that drives the machine} */
    public NetLoop loop() {
        return loop;
    }

    /**
     * {@return the RDMA devices: {@code newLink(NAME, "rxe", NETDEV)} creates one over a device of the initial
     * namespace}
     */
    public Host rdma() {
        return rdma;
    }

    /**
     * {@return the port of an open RDMA device, for its counters; null if no context has it open or it does not exist}
     *
     * @param rdmaDevice name of the device
     */
    public @Nullable RxePort port(String rdmaDevice) {
        return devices.port(rdmaDevice);
    }

    /**
     * {@return the network device below an RDMA device; null if it was removed}
     *
     * @param device RDMA device of this machine
     */
    public @Nullable NetDevice below(Device device) {
        return devices.below(device.name());
    }

    /** {@return the module that creates the RDMA devices} */
    public RxeModule rxeModule() {
        return module;
    }

    /** {@return the virtual functions of the network devices} */
    public MachineFunctions functions() {
        return functions;
    }

    /** {@return the security contexts with which packets are labelled} */
    public SecurityContexts contexts() {
        return contexts;
    }

    /**
     * {@return the packet filter tables of a namespace}
     *
     * @param namespace namespace of this machine
     * @throws RdmaException ENOENT if the namespace was deleted or belongs to another machine
     */
    public PacketTables tables(NetNamespace namespace) {
        IpStack stack = stack(namespace);
        return net.rtnl().call(() -> tables.computeIfAbsent(namespace, _ -> new PacketTables(stack.hooks())));
    }

    /** {@return the control groups of packet senders} */
    public ClientGroups groups() {
        return groups;
    }

    /**
     * {@return the IP stack of a namespace, with all devices that are registered now} Any thread may call this
     * method, but only the owner of the loop may access the stack's state.
     *
     * @param namespace namespace of this machine
     * @throws RdmaException ENOENT if the namespace was deleted or belongs to another machine
     */
    public IpStack stack(NetNamespace namespace) {
        NamespaceIp ip = stacks.get(namespace);
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
     * Creates a namespace with a loopback interface that is down ({@code ip netns add}).
     *
     * @param called name of the namespace; the same characters are valid as in the name of a device
     * @return the namespace, which has only the loopback interface
     * @throws RdmaException EINVAL for an invalid name, EEXIST if the name is in use
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
     * Creates a namespace without a name, with a loopback interface that is down ({@code unshare --net}).
     *
     * @return the namespace, which has only the loopback interface
     */
    public NetNamespace addNamespace() {
        return net.rtnl().call(() -> {
            NetNamespace made = net.createNamespace();
            admit(made);
            return made;
        });
    }

    /**
     * Deletes a namespace ({@code ip netns delete}). Devices that can change namespaces move to the initial one.
     *
     * @param called name of the namespace
     * @throws RdmaException ENOENT if no namespace has this name, EBUSY for the initial one
     */
    public void deleteNamespace(String called) {
        deleteNamespace(namespace(called));
    }

    /**
     * Deletes a namespace, with or without a name.
     *
     * @param gone namespace of this machine
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
     * {@return the namespace of this name; {@link #INITIAL} for the initial one}
     *
     * @param called name of the namespace
     * @throws RdmaException ENOENT if no namespace has this name
     */
    public NetNamespace namespace(String called) {
        NetNamespace found = net.rtnl().call(() -> namespaces.get(called));
        if (found == null) {
            throw new RdmaException(Errno.ENOENT, "there is no namespace \"" + called + "\" on " + name);
        }
        return found;
    }

    /** {@return a copy of all namespaces that have a name, the initial one first} */
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

    /** The device, IP stack and loop of an RDMA device over a network device. */
    PortSite site(NetDevice device) {
        return PortSite.on(device, stack(NetNamespace.of(device)), loop);
    }

    private void onNetDeviceEvent(NetDevice device, NetDeviceEvent event) {
        if (event == NetDeviceEvent.UNREGISTER) {
            devices.gone(device);
            functions.gone(device);
            PortInterface below = interfaces.remove(device);
            if (below != null) {
                rdma.removeInterface(below);
            }
        } else if (event == NetDeviceEvent.REGISTER && device.linkType() == LinkType.INFINIBAND) {
            PortInterface below = new InfinibandInterface(device, () -> stack(NetNamespace.of(device)), loop);
            interfaces.put(device, below);
            rdma.addInterface(below);
        } else if (event == NetDeviceEvent.UP && device.flags().has(DeviceFlag.LOOPBACK)) {
            addressLoopback(device);
        }
    }

    /** Adds 127.0.0.1/8 and ::1/128 to a loopback interface that comes up without addresses ({@code inetdev_event}). */
    private static void addressLoopback(NetDevice device) {
        if (device.addresses().isEmpty()) {
            device.ip().set(List.of(InterfaceAddress.parse("127.0.0.1/8"), InterfaceAddress.parse("::1/128")));
        }
    }

    /**
     * {@return the device of this name in a namespace; null if there is none}
     *
     * @param namespace name of the namespace
     * @param device name of the device
     */
    public @Nullable NetDevice find(String namespace, String device) {
        return namespace(namespace).find(device);
    }

    /**
     * Closes the machine with its devices, IP stacks and threads.
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
