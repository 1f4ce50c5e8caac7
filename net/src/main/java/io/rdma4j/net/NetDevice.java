package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.ethtool.EthtoolOps;
import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.net.skb.PacketHooks;
import io.rdma4j.net.skb.PacketTimestamps;
import io.rdma4j.packet.PacketDevice;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import java.security.SecureRandom;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A network interface ({@code net_device}): carries packets over the link of its driver, see {@link LinkType}.
 *
 * <p>What arrives is shown to the taps of its protocol. Then the receive handler has it, if the device has one, else the
 * handler of its protocol.
 *
 * <p>Before it is registered with a namespace, a device belongs to the thread that makes it, and cannot be brought up.
 *
 * <p>Starts down, with carrier. {@link #transmit}, {@link #flush} and {@link Napi#poll} belong to the thread that owns
 * the device's loop at the moment. Everything else may be called by any thread, except {@link #down} and
 * {@link #unregister}, during which nobody may be in the loop.
 */
public final class NetDevice implements PacketDevice {
    /** Bytes kept free in front of packets that the device builds, a multiple of a cache line. */
    static final int HEADROOM = 64;

    /** What a driver has to say that says nothing. */
    private static final DeviceControl DEFAULTS = new DeviceControl() {};

    private final NetDeviceSetup setup;
    private volatile NetDeviceOps ops;
    private final DeviceControl control;
    private final DeviceFeatures features;
    private final DeviceFlags flags;
    private final ReceiveMode receiveMode;
    private final NetDeviceStats stats = new NetDeviceStats();
    private final SkBuffPool scratch;
    private final TransmitFixup fixup;
    private final LoopLink loop = new LoopLink();
    private final TransmitQueues output;
    private final ReceiveQueues receiveQueues;
    private final NapiList napis;
    private final Napi napi;
    private final LinkAddresses link;
    private final ProtocolHandlers protocols = new ProtocolHandlers();
    private final DeviceInput input = new DeviceInput(this);
    private final GroReceive gro = new GroReceive(this, input);
    private final PacketHooks hooks = new PacketHooks();

    /** For a device without a host, which knows no time. */
    private final PacketTimestamps timeless = new PacketTimestamps(() -> 0);

    private final VlanGroup vlans;
    private final DeviceStack stack;
    private final List<NetDeviceListener> listeners = new CopyOnWriteArrayList<>();
    private final DeviceRegistration registration;
    private final LinkState state = new LinkState(this);
    private final DeviceNode node = new DeviceNode(this);
    private final DeviceReferences references = new DeviceReferences(this);
    private volatile String name;
    private volatile int ifindex;
    private volatile int mtu;
    private volatile List<InterfaceAddress> interfaceAddresses;
    private volatile List<Gid> addresses;
    private volatile HeaderOps header;
    private volatile EthtoolOps ethtool = EthtoolOps.NONE;

    /** Makes a device over {@code ops}; for drivers that are done with a packet when {@code startXmit} returns. */
    public NetDevice(NetDeviceSetup setup, NetDeviceOps ops) {
        this(setup, ops, 1);
    }

    /**
     * Makes a device over {@code ops}.
     *
     * @param packetsKept how many packets cut from trains the driver may hold at a time; beyond that, the device is busy
     */
    public NetDevice(NetDeviceSetup setup, NetDeviceOps ops, int packetsKept) {
        this.setup = setup;
        this.ops = ops;
        this.control = ops instanceof DeviceControl driver ? driver : DEFAULTS;
        this.features = new DeviceFeatures(this, control, setup.features());
        this.flags = new DeviceFlags(this, setup.flags(), setup.privateFlags());
        this.receiveMode = new ReceiveMode(this, control);
        this.name = setup.name();
        this.ifindex = setup.ifindex();
        this.registration = new DeviceRegistration(this);
        this.vlans = new VlanGroup(this, ops);
        this.stack = new DeviceStack(this, control);
        this.mtu = setup.mtu();
        this.addresses = setup.addresses();
        this.interfaceAddresses = addresses.stream().map(InterfaceAddress::of).toList();
        this.link = linkAddresses(setup);
        this.header = setup.link().header();
        this.scratch = new SkBuffPool(packetsKept, HEADROOM + setup.link().overheadBytes() + setup.mtu());
        this.fixup = new TransmitFixup(this, scratch);
        DeviceAllocation made = setup.allocation();
        this.output = new TransmitQueues(this, made.txQueues(ops), made.queueLength(ops), fixup, loop);
        this.receiveQueues = new ReceiveQueues(this, made.rxQueues(ops), loop);
        this.napis = new NapiList(setup.name(), loop, gro);
        this.napi = napis.add(new LinkPoll(this), Napi.POLL_WEIGHT);
        link.listener(receiveMode::update);
    }

    /**
     * A device that is never registered and always up, only there for its receiver to be polled: for drivers whose receiver is
     * not that of one of their devices ({@code init_dummy_netdev}). {@link DeviceRegistration#free} ends it.
     */
    public static NetDevice dummy(NetDeviceOps ops) {
        NetDevice dummy =
                new NetDevice(new NetDeviceSetup("dummy", 0, NetDeviceSetup.MIN_MTU, 0, List.of(), Set.of()), ops);
        dummy.registration.makeDummy();
        return dummy;
    }

    private static LinkAddresses linkAddresses(NetDeviceSetup setup) {
        boolean draws = setup.link() == LinkType.ETHERNET && setup.macAddress() == 0;
        return draws
                ? new LinkAddresses(MacAddress.random(new SecureRandom()), AddressAssignment.RANDOM)
                : new LinkAddresses(setup.macAddress(), AddressAssignment.PERMANENT);
    }

    @Override
    public String name() {
        return name;
    }

    /** {@inheritDoc} 0 if the namespace has yet to choose one. */
    @Override
    public int ifindex() {
        return ifindex;
    }

    /** The namespace chose, or somebody renames it, who holds the lock. */
    void identify(String newName, int newIndex) {
        name = newName;
        ifindex = newIndex;
    }

    /**
     * What its driver keeps for it ({@code netdev_priv}), bound to it when it was made.
     *
     * @throws ClassCastException if that is something else, or nothing
     */
    public <P> P priv(Class<P> type) {
        Object priv = setup.allocation().priv();
        if (priv == null) {
            throw new ClassCastException(name + " was made without anything of its driver's");
        }
        return type.cast(priv);
    }

    /** What was made along with it. */
    public DeviceAllocation allocation() {
        return setup.allocation();
    }

    /** What it is in the tree of devices ({@code dev}). */
    public DeviceNode node() {
        return node;
    }

    /** Its life, and where it is at home. */
    public DeviceRegistration registration() {
        return registration;
    }

    /** Who holds it. */
    public DeviceReferences references() {
        return references;
    }

    /** What its packets begin with ({@code dev->type}). */
    public LinkType linkType() {
        return setup.link();
    }

    /** 48 bits, 0 if there is none ({@code dev_addr}). */
    public long macAddress() {
        return link.own();
    }

    /**
     * Changes the link address ({@code dev_set_mac_address}).
     *
     * @throws RdmaException EOPNOTSUPP for an IP device, and what the driver refuses it with, see {@link DeviceControl}: usually
     *     EADDRNOTAVAIL for a group or zero, EBUSY if the device is up and no {@link PrivateFlag#LIVE_ADDR_CHANGE}
     */
    public void setMacAddress(long mac) {
        if (setup.link() != LinkType.ETHERNET) {
            throw new RdmaException(Errno.EOPNOTSUPP, name() + " is no Ethernet device: it has no address to change");
        }
        exclusively(() -> {
            control.validateAddress(this, mac);
            control.setMacAddress(this, mac);
            link.own(mac);
            tell(NetDeviceEvent.MAC_CHANGE);
        });
    }

    /** Which link addresses it has and receives; means something on an Ethernet device only. */
    public LinkAddresses link() {
        return link;
    }

    /** What it does beyond carrying finished packets, and what of that may be changed. */
    public DeviceFeatures features() {
        return features;
    }

    /** What tools show of it, and what only the core knows. */
    public DeviceFlags flags() {
        return flags;
    }

    /** Does {@code action} as the only one who changes the device ({@code rtnl_lock}). */
    void exclusively(Runnable action) {
        registration.exclusively(action);
    }

    /** Counters, the same object for ever. */
    public NetDeviceStats stats() {
        return stats;
    }

    /** A picture of all counters, the driver's own among them ({@code dev_get_stats}). */
    public LinkStats64 stats64() {
        return LinkStats64.of(this, control);
    }

    /** What the driver wants to remember of a neighbour, see {@link DeviceControl#neighbourAttachment}. */
    public @Nullable Object neighbourAttachment(Gid address) {
        return control.neighbourAttachment(this, address);
    }

    /** The device's first receiver, which polls {@link NetDeviceOps#pollReceive} while the device is up. */
    public Napi napi() {
        return napi;
    }

    /** Its receive queues. */
    public ReceiveQueues receiveQueues() {
        return receiveQueues;
    }

    /** Its transmit queues. */
    public TransmitQueues transmitQueues() {
        return output;
    }

    /**
     * From now on {@code driving} drives the device: its receivers, also those to come, and its transmit queues.
     *
     * @throws RdmaException EBUSY if another loop does
     */
    public void attach(PollLoop driving) {
        napis.attach(driving);
    }

    /** Undoes {@link #attach}, while nobody is in the loop; nothing happens without a loop. */
    public void detach() {
        napis.detach();
    }

    /** All its receivers. */
    public NapiList napis() {
        return napis;
    }

    /** Largest packet in bytes, IP header included, link header not. */
    public int mtu() {
        return mtu;
    }

    /** Largest buffer that the link carries: the MTU, link header and a tag. */
    public int maxFrameBytes() {
        return mtu + setup.link().overheadBytes();
    }

    /**
     * Changes the MTU ({@code dev_set_mtu}).
     *
     * @throws RdmaException EINVAL if it is less than 68 or more than the device was made with, and what the driver refuses it
     *     with, see {@link DeviceControl#changeMtu}
     */
    public void setMtu(int bytes) {
        if (bytes < NetDeviceSetup.MIN_MTU || bytes > setup.mtu()) {
            throw new RdmaException(
                    Errno.EINVAL,
                    name() + ": MTU " + bytes + " is not in " + NetDeviceSetup.MIN_MTU + ".." + setup.mtu());
        }
        exclusively(() -> {
            if (bytes != mtu) {
                control.changeMtu(this, bytes);
                mtu = bytes;
                tell(NetDeviceEvent.MTU_CHANGE);
            }
        });
    }

    /** IP addresses of the interface, unmodifiable; IPv4 mapped into IPv6. */
    public List<Gid> addresses() {
        return addresses;
    }

    /** IP addresses of the interface with their prefixes, unmodifiable, in the order of {@link #addresses}. */
    public List<InterfaceAddress> interfaceAddresses() {
        return interfaceAddresses;
    }

    /** Replaces the list of addresses by such that say nothing of other stations. */
    public void setAddresses(List<Gid> list) {
        setInterfaceAddresses(list.stream().map(InterfaceAddress::of).toList());
    }

    /** Replaces the list of addresses ({@code ip addr add}, {@code ip addr del}). */
    public synchronized void setInterfaceAddresses(List<InterfaceAddress> list) {
        List<InterfaceAddress> copy = List.copyOf(list);
        if (!copy.equals(interfaceAddresses)) {
            interfaceAddresses = copy;
            addresses = copy.stream().map(InterfaceAddress::address).toList();
            tell(NetDeviceEvent.ADDRESS_CHANGE);
        }
    }

    /** True between {@link #up} and {@link #down} ({@code netif_running}). */
    public boolean isUp() {
        return state.isRunning();
    }

    /**
     * Brings the device up ({@code dev_open}); nothing happens if it is.
     *
     * @throws RdmaException ENODEV unless it is registered, EADDRNOTAVAIL for an Ethernet device whose address is a group
     */
    public void up() {
        exclusively(() -> {
            if (!registration.isRegistered()) {
                throw new RdmaException(Errno.ENODEV, name + " is " + registration.state() + ": register it first");
            }
            if (!state.isPresent()) {
                throw new RdmaException(Errno.ENODEV, name + " is detached");
            }
            if (!isUp()) {
                open();
            }
        });
    }

    private void open() {
        if (setup.link() == LinkType.ETHERNET) {
            control.validateAddress(this, link.own());
        }
        ops.open(this);
        state.setRunning(true);
        output.start();
        napi.enable();
        // What came while it could not be scheduled.
        napi.schedule();
        link.changed();
        tell(NetDeviceEvent.UP);
    }

    /** Takes the device down ({@code dev_close}); what waits to be sent is dropped. Nothing happens if it is down. */
    public void down() {
        exclusively(() -> {
            if (isUp()) {
                state.setRunning(false);
                napi.disable();
                output.drop(_ -> true);
                loop.drop(this, _ -> true);
                ops.stop(this);
                tell(NetDeviceEvent.DOWN);
            }
        });
    }

    /** Whether it can carry packets, and what is told of that. */
    public LinkState linkState() {
        return state;
    }

    /** False while the link is lost ({@code netif_carrier_ok}). */
    public boolean isCarrierOk() {
        return state.isCarrierOk();
    }

    /** The link came or went ({@code netif_carrier_on}, {@code netif_carrier_off}); followers hear of it a little later. */
    public void setCarrier(boolean present) {
        state.setCarrier(present);
    }

    /** The device that it stands on, or at the other end of its link ({@code dev_get_iflink}); null if it has a link of its own. */
    public @Nullable NetDevice lower() {
        return control.lower(this);
    }

    /**
     * Takes the device down for good and out of its namespace ({@code unregister_netdevice}). As soon as nobody holds a
     * reference, it gives back what it and the driver hold. A device that was never registered does so at once.
     */
    public void unregister() {
        registration.unregister();
    }

    /** Nobody holds the device any more. */
    void release() {
        scratch.close();
    }

    /**
     * Hands the driver a request of its own kind ({@code ndo_do_ioctl}).
     *
     * @return the driver's answer
     * @throws RdmaException EOPNOTSUPP for a key that it does not know, and what else it refuses
     */
    public String command(String key, String value) {
        return control.command(this, key, value);
    }

    /** Adds a follower of events. */
    public void addListener(NetDeviceListener listener) {
        listeners.add(listener);
    }

    /** Removes a follower; nothing happens if it is none. */
    public void removeListener(NetDeviceListener listener) {
        listeners.remove(listener);
    }

    /** Tells the followers of the host, then those of the device ({@code call_netdevice_notifiers}). */
    void tell(NetDeviceEvent event) {
        DeviceHome home = registration.home();
        if (home != null) {
            home.tell(this, event);
        }
        for (NetDeviceListener listener : listeners) {
            listener.onNetDeviceEvent(this, event);
        }
    }

    /**
     * Installs who gets all packets, whatever their protocol; as {@link #registerRxHandler}.
     *
     * @throws RdmaException EBUSY if there is one
     */
    public void registerReceiveHandler(ReceiveHandler handler) {
        input.register(
                skb -> {
                    handler.receive(skb);
                    return true;
                },
                null);
    }

    /**
     * Installs who sees all packets before their protocols do, and may have them ({@code netdev_rx_handler_register}).
     *
     * @throws RdmaException EBUSY if there is one
     */
    public void registerRxHandler(RxHandler handler) {
        registerRxHandler(handler, null);
    }

    /**
     * The same, with something that others find by {@link #rxHandlerData}: a bridge or bond leaves itself there.
     *
     * @param data null for nothing
     * @throws RdmaException EBUSY if there is one
     */
    public void registerRxHandler(RxHandler handler, @Nullable Object data) {
        input.register(handler, data);
    }

    /** What was registered with the handler; null if nothing ({@code rx_handler_data}). */
    public @Nullable Object rxHandlerData() {
        return input.handlerData();
    }

    /** Who was installed so; null if nobody ({@code rx_handler}). */
    public @Nullable RxHandler rxHandler() {
        return input.handler();
    }

    /** Removes the handler ({@code netdev_rx_handler_unregister}): protocols have their own again. */
    public void unregisterReceiveHandler() {
        input.unregister();
    }

    /** Who gets the frames of which VLAN. */
    public VlanGroup vlans() {
        return vlans;
    }

    /** Which devices stand on it, and on which it stands. */
    public DeviceStack stack() {
        return stack;
    }

    /** Who gets the packets of which protocol, and who sees them besides. */
    public ProtocolHandlers protocols() {
        return protocols;
    }

    /** How its packets get their header ({@code header_ops}). */
    public HeaderOps header() {
        return header;
    }

    /** For drivers, before packets are sent: replaces the way that is usual on such a link. */
    public void setHeader(HeaderOps ops) {
        header = ops;
    }

    /** What the driver shows of itself, and lets be set; {@link EthtoolOps#NONE} if it never said. */
    public EthtoolOps ethtool() {
        return ethtool;
    }

    /** For drivers: installs what {@link #ethtool} is ({@code SET_ETHTOOL_OPS}). */
    public void setEthtool(EthtoolOps ops) {
        ethtool = ops;
    }

    /** Filters of all that it receives ({@link HookPoint#INGRESS}) and sends ({@link HookPoint#EGRESS}), whatever the protocol. */
    public PacketHooks hooks() {
        return hooks;
    }

    /** Whether its host stamps packets, and with what time; a device without a host knows no time. */
    public PacketTimestamps timestamps() {
        DeviceHome home = registration.home();
        return home == null ? timeless : home.timestamps();
    }

    /**
     * Puts the link header in front of a packet that begins with its network header ({@code dev_hard_header}), see
     * {@link HeaderOps#create}. Allocates nothing.
     *
     * @param protocol what the packet is, 16 bits
     * @param destination address of the link, 48 bits
     */
    public void pushLinkHeader(SkBuff skb, int protocol, long destination) {
        skb.protocol(protocol);
        skb.setNetworkHeader(0);
        header.create(skb, protocol, destination, link.own());
        skb.setMacHeader(0);
    }

    /**
     * Sends a packet, or a train, that starts with its link header ({@code dev_queue_xmit}). What the driver cannot do is
     * done in software before. Packets the link refuses, or that exceed the MTU, only count. Allocates nothing.
     *
     * @return OK: the buffer is the device's; BUSY: it stays the caller's
     */
    public NetdevTx transmit(SkBuff skb) {
        if (!state.maySend()) {
            stats.countTransmitDrop();
            skb.free();
            return NetdevTx.OK;
        }
        skb.device(this);
        if (!hooks.pass(HookPoint.EGRESS, skb, null, this)) {
            stats.countTransmitDrop();
            return NetdevTx.OK;
        }
        return output.transmit(skb);
    }

    /**
     * Goes on with what waits for the driver ({@code net_tx_action}). Who drives a device without a loop calls it as long as it
     * says so, if nothing else is sent.
     *
     * @return false if a train of which the driver took only a part still waits
     */
    public boolean flush() {
        return !isUp() || output.flush();
    }

    /**
     * Drops what still waits to be sent and {@code condition} holds of, because the memory that it points into is given back;
     * by the owner of the loop.
     *
     * @return how many buffers
     */
    public int dropWaiting(Predicate<? super SkBuff> condition) {
        int dropped = output.drop(condition) + ops.dropWaiting(condition) + loop.drop(this, condition);
        for (int i = 0; i < dropped; i++) {
            stats.countTransmitDrop();
        }
        return dropped;
    }

    /**
     * Takes a packet from the link, or from a device below, that begins with its link header ({@code netif_receive_skb}): whoever it is for
     * gets it. By the owner of the loop; a device that is down drops it.
     */
    public void receive(SkBuff skb) {
        if (isUp()) {
            input.receive(skb);
        } else {
            stats.countReceiveDrop();
            skb.free();
        }
    }

    /** A packet from the link that has waited for its worker. */
    void receiveSteered(SkBuff skb) {
        input.deliver(skb);
    }

    /** The driver that is asked, or what was put over it last. */
    public NetDeviceOps driver() {
        return ops;
    }

    /**
     * Puts something between the device and its driver, or takes it away again: from now on, the device asks what {@code change} returns. What the
     * driver says of itself ({@link DeviceControl}, {@link VlanFilter}) it still says itself.
     *
     * @param change gets who is asked until now
     * @throws RdmaException EBUSY while the device is up
     */
    public void interpose(UnaryOperator<NetDeviceOps> change) {
        exclusively(() -> {
            if (isUp()) {
                throw new RdmaException(Errno.EBUSY, name() + " is up: take it down to change what is below it");
            }
            ops = change.apply(ops);
        });
    }

    /** Number of the interrupt vector that wakes a worker of its loop, 0 if there is none ({@code dev->irq}); any thread. */
    public int irq() {
        return loop.irq();
    }

    /** Sets it; by who drives the device. */
    public void irq(int number) {
        loop.irq(number);
    }

    /** True if a thread can sleep until the link has something: {@link #awaitReadable} does so. */
    public boolean hasInterrupt() {
        return ops.hasInterrupt();
    }

    /**
     * Sleeps until a packet may be there, {@link #wakeup} is called, or the time is up; may return early. For the one
     * thread that watches over the device while nobody is in its loop.
     */
    public void awaitReadable(long timeoutNs) {
        ops.awaitReadable(timeoutNs);
    }

    /** Ends the {@link #awaitReadable} of another thread, or its next one; from any thread. */
    public void wakeup() {
        ops.wakeup();
    }

    /** Begins to receive what is sent to a multicast address; by the owner of the loop, once for each group. */
    public void joinMulticast(Gid group) {
        ops.joinMulticast(group, this);
        link.addMulticast(MacAddress.ofGroup(group));
    }

    /** Undoes {@link #joinMulticast}. */
    public void leaveMulticast(Gid group) {
        link.removeMulticast(MacAddress.ofGroup(group));
        ops.leaveMulticast(group, this);
    }

    /** The UDP source port that every packet leaves from, whatever its header says; 0 if the sender may choose. */
    public int udpSourcePort() {
        return ops.udpSourcePort();
    }

    @Override
    public String toString() {
        return ifindex() + ": " + name() + " mtu " + mtu + (isUp() ? " up" : " down")
                + (isCarrierOk() ? "" : " no-carrier");
    }
}
