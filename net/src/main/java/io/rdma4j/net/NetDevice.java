package io.rdma4j.net;

import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.ethtool.EthtoolOps;
import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.net.skb.PacketHooks;
import io.rdma4j.net.skb.PacketTimestamps;
import io.rdma4j.packet.PacketDevice;
import io.rdma4j.packet.SkBuff;
import java.util.List;
import java.util.function.Predicate;

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
    private final NetDeviceSetup setup;
    private final DeviceDriver driver;
    private final DeviceFeatures features;
    private final DeviceFlags flags;
    private final NetDeviceStats stats = new NetDeviceStats();
    private final LoopLink loop = new LoopLink();
    private final TransmitQueues output;
    private final ReceiveQueues receiveQueues;
    private final NapiList napis;
    private final Napi napi;
    private final LinkAddresses link;
    private final LinkHeader header;
    private final ProtocolHandlers protocols = new ProtocolHandlers();
    private final DeviceInput input = new DeviceInput(this);
    private final GroReceive gro = new GroReceive(this, input);
    private final RxHandlerSlot rxHandler = new RxHandlerSlot(input);
    private final PacketHooks hooks = new PacketHooks();
    private final VlanGroup vlans;
    private final DeviceStack stack = new DeviceStack(this);
    private final DeviceListeners listeners = new DeviceListeners(this);
    private final DeviceRegistration registration = new DeviceRegistration(this);
    private final LinkState state = new LinkState(this);
    private final AdminState admin = new AdminState(this, loop);
    private final LinkConfiguration configuration;
    private final InterfaceAddresses ip;
    private final DeviceNode node = new DeviceNode(this);
    private final DeviceReferences references = new DeviceReferences(this);
    private volatile String name;
    private volatile int ifindex;
    private volatile EthtoolOps ethtool = EthtoolOps.NONE;

    /**
     * Makes a device over {@code ops}; for drivers that are done with a packet when {@code startXmit} returns.
     *
     * @param setup what it is to be
     * @param ops the driver
     */
    public NetDevice(NetDeviceSetup setup, NetDeviceOps ops) {
        this(setup, ops, 1);
    }

    /**
     * Makes a device over {@code ops}.
     *
     * @param setup what it is to be
     * @param ops the driver
     * @param packetsKept how many packets cut from trains the driver may hold at a time; beyond that, the device is busy
     */
    public NetDevice(NetDeviceSetup setup, NetDeviceOps ops, int packetsKept) {
        this.setup = setup;
        this.driver = new DeviceDriver(this, ops);
        this.features = new DeviceFeatures(this, driver.control(), setup.features());
        this.flags = new DeviceFlags(this, setup.flags(), setup.privateFlags());
        this.name = setup.name();
        this.ifindex = setup.ifindex();
        this.vlans = new VlanGroup(this, ops);
        this.configuration = new LinkConfiguration(this, setup.mtu());
        this.ip = new InterfaceAddresses(this, setup.addresses());
        this.link = LinkAddresses.of(setup);
        this.header = new LinkHeader(link, setup.link().header());
        TransmitFixup fixup = new TransmitFixup(this, packetsKept);
        DeviceAllocation made = setup.allocation();
        this.output = new TransmitQueues(this, made.txQueues(ops), made.queueLength(ops), fixup, loop);
        this.receiveQueues = new ReceiveQueues(this, made.rxQueues(ops), loop);
        this.napis = new NapiList(setup.name(), loop, gro);
        this.napi = napis.add(new LinkPoll(this), Napi.POLL_WEIGHT);
        link.listener(new ReceiveMode(this, driver.control())::update);
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

    /** {@return what was made along with it} */
    public DeviceAllocation allocation() {
        return setup.allocation();
    }

    /** {@return what it is in the tree of devices ({@code dev})} */
    public DeviceNode node() {
        return node;
    }

    /** {@return its life, and where it is at home} */
    public DeviceRegistration registration() {
        return registration;
    }

    /** {@return who holds it} */
    public DeviceReferences references() {
        return references;
    }

    /** {@return what its packets begin with ({@code dev->type})} */
    public LinkType linkType() {
        return setup.link();
    }

    /** {@return its link address, 48 bits, 0 if there is none ({@code dev_addr})} */
    public long macAddress() {
        return link.own();
    }

    /**
     * Changes the link address ({@code dev_set_mac_address}).
     *
     * @param mac 48 bits
     * @throws RdmaException EOPNOTSUPP for an IP device, and what the driver refuses it with, see {@link DeviceControl}: usually
     *     EADDRNOTAVAIL for a group or zero, EBUSY if the device is up and no {@link PrivateFlag#LIVE_ADDR_CHANGE}
     */
    public void setMacAddress(long mac) {
        configuration.setMacAddress(mac);
    }

    /** {@return which link addresses it has and receives; means something on an Ethernet device only} */
    public LinkAddresses link() {
        return link;
    }

    /** {@return what it does beyond carrying finished packets, and what of that may be changed} */
    public DeviceFeatures features() {
        return features;
    }

    /** {@return what tools show of it, and what only the core knows} */
    public DeviceFlags flags() {
        return flags;
    }

    /** {@return counters, the same object for ever} */
    public NetDeviceStats stats() {
        return stats;
    }

    /** {@return the device's first receiver, which polls {@link NetDeviceOps#pollReceive} while the device is up} */
    public Napi napi() {
        return napi;
    }

    /** {@return its receive queues} */
    public ReceiveQueues receiveQueues() {
        return receiveQueues;
    }

    /** {@return its transmit queues} */
    public TransmitQueues transmitQueues() {
        return output;
    }

    /** {@return all its receivers} */
    public NapiList napis() {
        return napis;
    }

    /** {@return largest packet in bytes, IP header included, link header not} */
    public int mtu() {
        return configuration.mtu();
    }

    /** {@return largest buffer that the link carries: the MTU, link header and a tag} */
    public int maxFrameBytes() {
        return mtu() + setup.link().overheadBytes();
    }

    /**
     * Changes the MTU ({@code dev_set_mtu}).
     *
     * @param bytes largest IP packet from now on
     * @throws RdmaException EINVAL if it is less than 68 or more than the device was made with, and what the driver refuses it
     *     with, see {@link DeviceControl#changeMtu}
     */
    public void setMtu(int bytes) {
        configuration.setMtu(bytes);
    }

    /** {@return its IP addresses, see {@link InterfaceAddresses#gids}} */
    public List<Gid> addresses() {
        return ip.gids();
    }

    /** {@return its IP addresses with their prefixes, and the groups that it receives} */
    public InterfaceAddresses ip() {
        return ip;
    }

    /** {@return true between {@link #up} and {@link #down} ({@code netif_running})} */
    public boolean isUp() {
        return state.isRunning();
    }

    /**
     * Brings the device up ({@code dev_open}); nothing happens if it is.
     *
     * @throws RdmaException ENODEV unless it is registered, EADDRNOTAVAIL for an Ethernet device whose address is a group
     */
    public void up() {
        registration.exclusively(admin::up);
    }

    /** Takes the device down ({@code dev_close}); what waits to be sent is dropped. Nothing happens if it is down. */
    public void down() {
        registration.exclusively(admin::down);
    }

    /** {@return whether it can carry packets, and what is told of that} */
    public LinkState linkState() {
        return state;
    }

    /** {@return false while the link is lost ({@code netif_carrier_ok})} */
    public boolean isCarrierOk() {
        return state.isCarrierOk();
    }

    /**
     * The link came or went ({@code netif_carrier_on}, {@code netif_carrier_off}); followers hear of it a little later.
     *
     * @param present true if it came
     */
    public void setCarrier(boolean present) {
        state.setCarrier(present);
    }

    /**
     * Takes the device down for good and out of its namespace ({@code unregister_netdevice}). As soon as nobody holds a
     * reference, it gives back what it and the driver hold. A device that was never registered does so at once.
     */
    public void unregister() {
        registration.unregister();
    }

    /**
     * Adds a follower of events.
     *
     * @param listener the same object at both calls
     */
    public void addListener(NetDeviceListener listener) {
        listeners.add(listener);
    }

    /**
     * Removes a follower; nothing happens if it is none.
     *
     * @param listener the same object at both calls
     */
    public void removeListener(NetDeviceListener listener) {
        listeners.remove(listener);
    }

    /** See {@link DeviceListeners#tell}. */
    void tell(NetDeviceEvent event) {
        listeners.tell(event);
    }

    /** {@return who sees its packets before their protocols do} */
    public RxHandlerSlot rxHandler() {
        return rxHandler;
    }

    /** {@return who gets the frames of which VLAN} */
    public VlanGroup vlans() {
        return vlans;
    }

    /** {@return which devices stand on it, and on which it stands} */
    public DeviceStack stack() {
        return stack;
    }

    /** {@return who gets the packets of which protocol, and who sees them besides} */
    public ProtocolHandlers protocols() {
        return protocols;
    }

    /** {@return how its packets get their link header} */
    public LinkHeader header() {
        return header;
    }

    /** {@return what the driver shows of itself, and lets be set; {@link EthtoolOps#NONE} if it never said} */
    public EthtoolOps ethtool() {
        return ethtool;
    }

    /**
     * For drivers: installs what {@link #ethtool} is ({@code SET_ETHTOOL_OPS}).
     *
     * @param ops the driver's
     */
    public void setEthtool(EthtoolOps ops) {
        ethtool = ops;
    }

    /**
     * {@return filters of all that it receives ({@link HookPoint#INGRESS}) and sends ({@link HookPoint#EGRESS}),
     * whatever the protocol}
     */
    public PacketHooks hooks() {
        return hooks;
    }

    /** {@return whether its host stamps packets, and with what time; a device without a host knows no time} */
    public PacketTimestamps timestamps() {
        return registration.timestamps();
    }

    /**
     * See {@link LinkHeader#push}.
     *
     * @param skb stays the caller's
     * @param protocol what the packet is, 16 bits
     * @param destination address of the link, 48 bits
     */
    public void pushLinkHeader(SkBuff skb, int protocol, long destination) {
        header.push(skb, protocol, destination);
    }

    /**
     * Sends a packet, or a train, that starts with its link header ({@code dev_queue_xmit}). What the driver cannot do is
     * done in software before. Packets the link refuses, or that exceed the MTU, only count. Allocates nothing.
     *
     * @param skb the device's if the answer is OK
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
     * {@return true if nothing would happen to packets between driver and IP but that they are counted: the device is up, nobody watches, filters, delays
     * or diverts them, and none waits} By the owner of the loop.
     */
    public boolean isPassedUnseen() {
        return state.maySend()
                && !protocols.hasTaps()
                && !hooks.isWatched()
                && rxHandler.handler() == null
                && receiveQueues.ingress() == null
                && !transmitQueues().isActive()
                && !transmitQueues().hasQdisc();
    }

    /**
     * Goes on with what waits for the driver ({@code net_tx_action}). Who drives a device without a loop calls it as long as it
     * says so, if nothing else is sent.
     *
     * @return false if something that the driver took, or a train of which it took only a part, still waits
     */
    public boolean flush() {
        return !isUp() || output.flush();
    }

    /**
     * Drops what still waits to be sent and {@code condition} holds of, here or at a device below, because the memory that it points
     * into is given back; by the owner of the loop.
     *
     * @param condition asked of each; changes nothing
     * @return how many buffers
     */
    public int dropWaiting(Predicate<? super SkBuff> condition) {
        int dropped = output.dropWaiting(condition);
        for (NetDevice lower : stack.below()) {
            dropped += lower.output.dropWaiting(condition);
        }
        return dropped;
    }

    /**
     * Takes a packet from the link, or from a device below, that begins with its link header ({@code netif_receive_skb}): whoever it is for
     * gets it. By the owner of the loop; a device that is down drops it.
     *
     * @param skb the receiver's from now on
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

    /** {@return who drives it} */
    public DeviceDriver driver() {
        return driver;
    }

    /**
     * {@return number of the interrupt vector that wakes a worker of its loop, 0 if there is none ({@code dev->irq});
     * any thread}
     */
    public int irq() {
        return loop.irq();
    }

    @Override
    public String toString() {
        return ifindex() + ": " + name() + " mtu " + mtu() + (isUp() ? " up" : " down")
                + (isCarrierOk() ? "" : " no-carrier");
    }
}
