// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.address.InterfaceAddresses;
import io.rdma4j.net.address.LinkAddresses;
import io.rdma4j.net.device.DeviceCore;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.device.NetDeviceEvent;
import io.rdma4j.net.device.NetDeviceStats;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.net.device.StateBits;
import io.rdma4j.net.ethtool.EthtoolOps;
import io.rdma4j.net.feature.DeviceFeatures;
import io.rdma4j.net.receive.DeviceHandlers;
import io.rdma4j.net.receive.DeviceInput;
import io.rdma4j.net.receive.LoopLink;
import io.rdma4j.net.receive.Napi;
import io.rdma4j.net.receive.NapiList;
import io.rdma4j.net.receive.NetdevRxQueues;
import io.rdma4j.net.receive.ProtocolHandlers;
import io.rdma4j.net.receive.RxHandlerSlot;
import io.rdma4j.net.receive.SteeredDevice;
import io.rdma4j.net.receive.VlanGroup;
import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.net.skb.PacketHooks;
import io.rdma4j.net.skb.PacketTimestamps;
import io.rdma4j.net.transmit.DeviceOutput;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.net.transmit.QueueSize;
import io.rdma4j.net.transmit.TransmitQueues;
import io.rdma4j.net.transmit.TransmittingDevice;
import io.rdma4j.packet.SkBuff;
import java.util.List;
import java.util.function.Predicate;

/**
 * A network interface ({@code net_device}). It carries packets over the link of its driver, see {@link LinkType}.
 *
 * <p>A received packet passes the taps of its protocol. Then the device's receive handler may take it, otherwise the
 * handler of its protocol receives it.
 *
 * <p>Before its registration with a namespace, only the thread that created the device uses it, and it cannot be
 * brought up.
 *
 * <p>A new device is down and has a carrier. Only the owner of the device's loop calls {@link #transmit},
 * {@link #flush} and {@link Napi#poll}. Any thread may call the other methods. Those that change the device wait for
 * the RTNL lock of its host; the owner of a loop calls them through {@link #queueWork}.
 */
public final class NetDevice implements SteeredDevice, TransmittingDevice {
    private final NetDeviceSetup setup;
    private final DeviceCore core;
    private final DriverCalls calls;
    private final DeviceDriver driver;
    private final DeviceFeatures features;
    private final LinkAddresses link;
    private final LinkHeader header;
    private final InterfaceAddresses ip;
    private final LoopLink loop = new LoopLink();
    private final DeviceHandlers handlers;
    private final DeviceInput input;
    private final DeviceOutput output;
    private final AdminState admin;
    private final DeviceStack stack;
    private final DeviceRegistration registration;
    private final DeviceReferences references;
    private final DeviceNode node;
    private final LinkState state;
    private final DeviceFlags flags;
    private final DeviceListeners listeners = new DeviceListeners(this);
    private volatile EthtoolOps ethtool = EthtoolOps.NONE;

    /**
     * Creates a device for a driver that no longer uses a packet after {@code startXmit} returns.
     *
     * @param setup properties of the device
     * @param ops the driver
     */
    public NetDevice(NetDeviceSetup setup, NetDeviceOps ops) {
        this(setup, ops, 1);
    }

    /**
     * Creates a device.
     *
     * @param setup properties of the device
     * @param ops the driver
     * @param packetsKept maximum number of packets cut from trains that the driver may hold at a time; above it, the
     *     device is busy
     */
    public NetDevice(NetDeviceSetup setup, NetDeviceOps ops, int packetsKept) {
        this.setup = setup;
        this.core = new DeviceCore(
                this, setup.link(), setup.name(), setup.ifindex(), setup.mtu(), setup.privateFlags(), this::tell);
        this.calls = new DriverCalls(this, ops);
        this.driver = new DeviceDriver(this, core, calls);
        this.features = new DeviceFeatures(core, calls, setup.features());
        this.link = new LinkAddresses(core, calls, setup.macAddress());
        this.header = new LinkHeader(link, setup.link());
        this.ip = new InterfaceAddresses(core, calls, link, setup.addresses());
        DeviceAllocation made = setup.allocation().or(ops.transmitQueues(), ops.receiveQueues(), ops.queueLength());
        this.handlers = new DeviceHandlers(
                new ProtocolHandlers(core),
                new RxHandlerSlot(core),
                new NetdevRxQueues(core, made.rxQueues(), loop),
                new PacketHooks(watched -> core.state().change(StateBits.FILTERS, watched)),
                new VlanGroup(core, features, calls));
        this.input = new DeviceInput(core, features, link, calls, handlers, loop);
        QueueSize size = new QueueSize(made.txQueues(), made.queueLength(), packetsKept);
        this.output = new DeviceOutput(core, features, calls, handlers, loop, size);
        this.admin = new AdminState(core, calls, link, output, input.napi(), loop);
        this.stack = new DeviceStack(this, core, calls);
        this.registration = new DeviceRegistration(this, core, calls);
        this.references = new DeviceReferences(core, registration::referencesGone);
        this.node = new DeviceNode(this, core);
        this.state = new LinkState(core, registration::linkEvent, stack::isLowerDown);
        this.flags = new DeviceFlags(core, state, link, admin, setup.flags());
    }

    @Override
    public String name() {
        return core.name();
    }

    /** {@inheritDoc} 0 if the namespace has not chosen it yet. */
    @Override
    public int ifindex() {
        return core.ifindex();
    }

    /** {@return the parameters of its allocation} */
    public DeviceAllocation allocation() {
        return setup.allocation();
    }

    /** {@return its node in the device tree ({@code dev})} */
    public DeviceNode node() {
        return node;
    }

    /** {@return its registration state and namespace} */
    public DeviceRegistration registration() {
        return registration;
    }

    /** {@return its reference count} */
    public DeviceReferences references() {
        return references;
    }

    /** {@return its link type, which determines the first header of its packets ({@code dev->type})} */
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
     * @throws RdmaException EOPNOTSUPP for an IP device, or the driver's error, see {@link DeviceControl}: usually
     *     EADDRNOTAVAIL for a multicast address or zero, EBUSY if the device is up and has no
     *     {@link PrivateFlag#LIVE_ADDR_CHANGE}
     */
    public void setMacAddress(long mac) {
        link.own(mac);
    }

    /** {@return its link addresses and address filter; meaningful on an Ethernet device only} */
    public LinkAddresses link() {
        return link;
    }

    /** {@return its offload features, active and changeable ones} */
    public DeviceFeatures features() {
        return features;
    }

    /** {@return its public and private flags} */
    public DeviceFlags flags() {
        return flags;
    }

    /** {@return its counters, always the same object} */
    public NetDeviceStats stats() {
        return core.stats();
    }

    /** {@return its first polling context, which polls {@link NetDeviceOps#pollReceive} while the device is up} */
    public Napi napi() {
        return input.napi();
    }

    /** {@return its receive queues} */
    public NetdevRxQueues receiveQueues() {
        return handlers.queues();
    }

    @Override
    public TransmitQueues transmitQueues() {
        return output.queues();
    }

    /** {@return all its polling contexts} */
    public NapiList napis() {
        return input.napis();
    }

    /** {@return maximum packet size in bytes, with IP header and without link header} */
    public int mtu() {
        return core.mtu();
    }

    /** {@return maximum frame size of the link in bytes: MTU, link header and one tag} */
    public int maxFrameBytes() {
        return core.maxFrameBytes();
    }

    /**
     * Changes the MTU ({@code dev_set_mtu}).
     *
     * @param bytes maximum size of an IP packet
     * @throws RdmaException EINVAL for less than 68 or more than the initial MTU, or the driver's error, see
     *     {@link DeviceControl#changeMtu}
     */
    public void setMtu(int bytes) {
        if (bytes < NetDeviceSetup.MIN_MTU || bytes > setup.mtu()) {
            throw new RdmaException(
                    Errno.EINVAL,
                    name() + ": MTU " + bytes + " is not in " + NetDeviceSetup.MIN_MTU + ".." + setup.mtu());
        }
        core.exclusively(() -> {
            if (bytes != core.mtu()) {
                calls.control().changeMtu(this, bytes);
                core.mtu(bytes);
                tell(NetDeviceEvent.MTU_CHANGE);
            }
        });
    }

    /** {@return its IP addresses, see {@link InterfaceAddresses#gids}} */
    public List<Gid> addresses() {
        return ip.gids();
    }

    /** {@return its IP addresses with their prefixes, and its multicast groups} */
    public InterfaceAddresses ip() {
        return ip;
    }

    /** {@return true between {@link #up} and {@link #down} ({@code netif_running})} */
    public boolean isUp() {
        return core.state().isRunning();
    }

    /**
     * Brings the device up ({@code dev_open}). No effect if it is up.
     *
     * @throws RdmaException ENODEV unless it is registered and present, EADDRNOTAVAIL for an Ethernet device with an
     *     invalid address
     */
    public void up() {
        core.exclusively(admin::up);
    }

    /**
     * Brings the device down ({@code dev_close}). A poll that another thread has begun ends first. Packets that wait
     * for transmission are dropped. No effect if it is down.
     */
    public void down() {
        core.exclusively(admin::down);
    }

    /**
     * Runs {@code work} under the RTNL lock: at once if the lock is free, otherwise in the thread that holds it, when
     * it releases it. For a driver that changes its device in a poll, because the owner of a loop must not wait for the
     * lock ({@code rtnl_trylock} in a work item). An exception of {@code work} is logged.
     *
     * @param work short
     */
    public void queueWork(Runnable work) {
        core.queueWork(work);
    }

    /** {@return the state of its link, with the operational state} */
    public LinkState linkState() {
        return state;
    }

    /** {@return true if the link has a carrier ({@code netif_carrier_ok})} */
    public boolean isCarrierOk() {
        return core.state().isCarrierOk();
    }

    /**
     * Reports that the link gained or lost its carrier ({@code netif_carrier_on}, {@code netif_carrier_off}). Listeners
     * are notified a little later.
     *
     * @param present true if there is a carrier
     */
    public void setCarrier(boolean present) {
        state.setCarrier(present);
    }

    /**
     * Brings the device down and unregisters it ({@code unregister_netdevice}). When the last reference is released,
     * the device and its driver release their resources. A device that was never registered does so at once.
     */
    public void unregister() {
        registration.unregister();
    }

    /**
     * Adds a listener for events.
     *
     * @param listener the listener
     */
    public void addListener(NetDeviceListener listener) {
        listeners.add(listener);
    }

    /**
     * Removes a listener. No effect if it was not added.
     *
     * @param listener the same object as for {@link #addListener}
     */
    public void removeListener(NetDeviceListener listener) {
        listeners.remove(listener);
    }

    /** See {@link DeviceListeners#tell}. */
    void tell(NetDeviceEvent event) {
        listeners.tell(registration.home(), event);
    }

    /** {@return the slot of its receive handler, which sees packets before their protocols} */
    public RxHandlerSlot rxHandler() {
        return handlers.rxHandler();
    }

    /** {@return the VLAN devices above it} */
    public VlanGroup vlans() {
        return handlers.vlans();
    }

    /** {@return its upper and lower devices} */
    public DeviceStack stack() {
        return stack;
    }

    /** {@return the protocol handlers and taps of its packets} */
    public ProtocolHandlers protocols() {
        return handlers.protocols();
    }

    /** {@return its link header operations} */
    public LinkHeader header() {
        return header;
    }

    /** {@return its ethtool operations; {@link EthtoolOps#NONE} by default} */
    public EthtoolOps ethtool() {
        return ethtool;
    }

    /**
     * Sets the ethtool operations ({@code SET_ETHTOOL_OPS}). For drivers.
     *
     * @param ops the driver's operations
     */
    public void setEthtool(EthtoolOps ops) {
        ethtool = ops;
    }

    /**
     * {@return filters of all packets that it receives ({@link HookPoint#INGRESS}) and sends
     * ({@link HookPoint#EGRESS}), for any protocol}
     */
    public PacketHooks hooks() {
        return handlers.hooks();
    }

    /** {@return the packet timestamping of its host; without a host the time is always 0} */
    public PacketTimestamps timestamps() {
        return core.timestamps();
    }

    /**
     * Prepends the link header, see {@link LinkHeader#push}.
     *
     * @param skb the packet; the caller keeps it
     * @param protocol protocol number of the packet, 16 bits
     * @param destination link address of the destination, 48 bits
     */
    public void pushLinkHeader(SkBuff skb, int protocol, long destination) {
        header.push(skb, protocol, destination);
    }

    /**
     * Sends a packet or train that begins with its link header ({@code dev_queue_xmit}). Software does the offloads
     * that the driver does not support. Packets that exceed the MTU, or that the link does not accept, are counted and
     * dropped. Allocates nothing.
     *
     * @param skb the packet; the device owns it if the result is OK
     * @return OK: the device owns the buffer; BUSY: the caller keeps it
     */
    public NetdevTx transmit(SkBuff skb) {
        return output.transmit(skb);
    }

    /**
     * {@return true if packets between driver and IP would only be counted: the device is up, no tap, filter, qdisc or
     * receive handler is active, and no packet waits} Any thread; a hint for others than the owner of the loop.
     */
    public boolean isPassedUnseen() {
        return core.state().passesUnseen() && !output.queues().isActive();
    }

    /**
     * Continues with packets that wait for the driver ({@code net_tx_action}). A thread that drives a device without a
     * loop repeats the call until it returns true.
     *
     * @return false if packets still wait, in the driver or before it
     */
    public boolean flush() {
        return output.flush();
    }

    /**
     * Drops matching packets that wait for transmission, here or in a lower device, because the memory that they point
     * into is released. Called by the loop's owner.
     *
     * @param condition selects packets; changes nothing
     * @return number of dropped buffers
     */
    public int dropWaiting(Predicate<? super SkBuff> condition) {
        int dropped = output.dropWaiting(condition);
        for (NetDevice lower : stack.below()) {
            dropped += lower.output.dropWaiting(condition);
        }
        return dropped;
    }

    /**
     * Receives a packet that begins with its link header, from the link or from a lower device
     * ({@code netif_receive_skb}). A device that is down drops it. Called by the loop's owner.
     *
     * @param skb the packet; the receiver owns it from now on
     */
    public void receive(SkBuff skb) {
        input.receive(skb);
    }

    @Override
    public void receiveSteered(SkBuff skb) {
        input.deliver(skb);
    }

    /** Releases the buffers of the transmit path; the device has no references. */
    void releaseBuffers() {
        output.close();
    }

    /** {@return its driver} */
    public DeviceDriver driver() {
        return driver;
    }

    /**
     * {@return number of the interrupt vector that wakes a worker of its loop, 0 if there is none ({@code dev->irq})}
     * Any thread may call it.
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
