package io.rdma4j.rxe;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.PrivateFlag;
import io.rdma4j.net.TransmitQueues;
import io.rdma4j.net.driver.UdpUnderlayEthtool;
import io.rdma4j.net.ip.IpStack;
import io.rdma4j.net.loop.NetLoop;
import io.rdma4j.net.loop.ProgressMode;
import io.rdma4j.transport.MemoryKeys;
import io.rdma4j.transport.NumberSequence;
import io.rdma4j.transport.TransportContext;
import io.rdma4j.transport.TransportCounters;
import io.rdma4j.verbs.DeviceLimit;
import io.rdma4j.verbs.EventType;
import io.rdma4j.verbs.WcStatus;
import java.security.SecureRandom;

/**
 * A software RoCEv2 port over one network device: what it is made of (tables of queue pairs, keys, GIDs and partitions, its
 * output, the loop that drives it all), and its beginning and end.
 */
public final class RxePort implements AutoCloseable {
    /** Ethernet, IPv6, UDP, BTH and extended headers, ICRC, rounded up: what Linux rxe takes off the interface's MTU. */
    private static final int HEADER_ALLOWANCE = 80;

    /** So that a handle or number that was never written finds nothing. */
    private static final int FIRST_HANDLE = 1;

    private final PortSite site;
    private final NetDevice device;
    private final IpStack stack;
    private final NetLoop netLoop;
    private final PortLoopback loopback;
    private final PortHandover handover;
    private final RxeOptions options;
    private final TransportContext context;
    private final QpTable queuePairs;
    private final NumberTable<RxeAh> addressHandles;
    private final NumberTable<RxeSrq> sharedReceiveQueues;
    private final XrcDomains xrcDomains = new XrcDomains();
    private final MulticastTable multicast = new MulticastTable();
    private final GidTable gids;
    private final PkeyTable pkeys;
    private final RxeLimits limits;

    /** Of this opening: whoever knew numbers of an earlier one knows nothing of this. */
    private final long secret = new SecureRandom().nextLong();

    private final DeviceMemoryPool deviceMemory;
    private final PortFailure failure;
    private final PortStateMachine states;
    private final PortEvents events;
    private final PortManagement management;
    private final PortOutput output;
    private final RxeCounters inputCounters = new RxeCounters();
    private final RoceInput input;
    private final PortLoop loop;
    private final LinkWatch linkWatch;
    private final PortCounterEvent.Writer counterEvents = new PortCounterEvent.Writer(this);

    /**
     * A port that is alone on a host of its own, which begins and ends with it.
     *
     * @param device up, without handlers of IP; unregistered with the port
     * @param options what it is to be
     */
    public RxePort(NetDevice device, RxeOptions options) {
        this(PortSite.alone(device, options), options);
    }

    /**
     * A port that is a guest, or alone, as its site says.
     *
     * @param site whose device is up and carries no other port
     * @param options what it is to be
     */
    public RxePort(PortSite site, RxeOptions options) {
        this.site = site;
        this.device = site.device();
        this.stack = site.stack();
        this.netLoop = site.loop();
        this.options = options;
        this.limits = new RxeLimits(options.profile(), device);
        this.deviceMemory = new DeviceMemoryPool(limits.of(DeviceLimit.MAX_DM_SIZE));
        this.loopback = new PortLoopback(PortOutput.BUFFERS, new RoceInput(this, false));
        this.context = new TransportContext(device.name(), keys(), options.transport());
        this.queuePairs = new QpTable((int) limits.of(DeviceLimit.MAX_QP), numbers("queue pairs", QpTable.FIRST_QPN));
        this.addressHandles = table(limits, DeviceLimit.MAX_AH);
        this.sharedReceiveQueues = table(limits, DeviceLimit.MAX_SRQ);
        this.gids = new GidTable(device);
        this.pkeys = new PkeyTable(options.pkeys());
        this.failure = new PortFailure(device.name());
        this.states = new PortStateMachine(device, failure);
        this.events = new PortEvents(options.profile());
        this.management = new PortManagement(this, states, events);
        this.output = new PortOutput(device, stack, loopback, gids, multicast, context.counters(), failure, states);
        this.handover = new PortHandover(this, device, stack);
        this.input = new RoceInput(this, device.flags().has(PrivateFlag.HIDDEN_IDENTIFICATION));
        this.loop = new PortLoop(this, netLoop);
        this.linkWatch = new LinkWatch(management, events);
    }

    private static <T> NumberTable<T> table(RxeLimits limits, DeviceLimit limit) {
        return new NumberTable<>(FIRST_HANDLE, (int) limits.of(limit), limit.label());
    }

    private MemoryKeys keys() {
        int regions = (int) (limits.of(DeviceLimit.MAX_MR) + limits.of(DeviceLimit.MAX_FMR));
        int windows = (int) limits.of(DeviceLimit.MAX_MW);
        return new MemoryKeys(regions, windows, numbers("memory keys", 1));
    }

    private NumberSequence numbers(String usage, int firstOfCount) {
        return options.randomNumbers() ? new NumberSequence(secret, usage) : NumberSequence.counting(firstOfCount);
    }

    /** Begins to receive, as the port of {@code owner}. */
    void start(RxeDevice owner) {
        gids.begin(owner.nodeGuid(), management::settings);
        management.begin(owner);
        stack.udp().register(options.udpPort(), device, input);
        handover.open();
        device.addListener(linkWatch);
        site.open(loop);
        counterEvents.start();
    }

    /** The driver of the network device, and whether it uses shared memory, for the log. */
    String carrier() {
        return device.ethtool() instanceof UdpUnderlayEthtool udp
                ? udp.driverInfo().driver() + (options.sharedMemory() ? " with" : " without") + " shared memory"
                : device.name() + " without shared memory";
    }

    /** Who is told of events of the device and its port. */
    PortEvents events() {
        return events;
    }

    /** What management reads and writes here. */
    PortManagement management() {
        return management;
    }

    /** The logical state. */
    PortStateMachine states() {
        return states;
    }

    /** What the device says that it can. */
    RxeLimits limits() {
        return limits;
    }

    /**
     * Changes an entry of the P_Key table, as a subnet manager does on InfiniBand: queue pairs that use it are in that partition from
     * now on, and PKEY_CHANGE is raised. Any thread.
     *
     * @param index slot of the table, from 0
     * @param pkey 16 bits, bit 15 for a full member; 0 to leave the partition
     * @throws RdmaException EINVAL if there is no such entry, or {@code pkey} is none
     */
    public void setPkey(int index, int pkey) {
        boolean changed = netLoop.exclusively(() -> pkeys.set(index, pkey));
        if (changed) {
            management.pkeysChanged();
        }
    }

    /**
     * Takes the device out of service, as an error does that it cannot recover from: nothing is sent or received any more, all
     * queue pairs go to ERR, the oldest request of each send queue ends with FATAL_ERR, and DEVICE_FATAL is raised. It is there
     * for tests of programs that must survive this. The device works again when all its contexts were closed. Any thread.
     *
     * @param reason for people
     */
    public void fail(String reason) {
        netLoop.exclusively(() -> breakDown(new RdmaException(Errno.EIO, reason)));
    }

    /** True if the port does not work without a device: it is the port's, or below it. */
    @SuppressWarnings("ReferenceEquality") // a device is itself
    boolean uses(NetDevice other) {
        return other == device || device.stack().isAbove(other);
    }

    /** The same for an error that has happened; by the owner of the loop. */
    void breakDown(Throwable error) {
        if (failure.set(error)) {
            goOutOfService();
            events.tell(EventType.DEVICE_FATAL, PortEvents.NO_PORT);
        }
    }

    /** The device was removed: as {@link #fail}, but the core tells of it. Any thread. */
    void remove() {
        device.removeListener(linkWatch);
        netLoop.exclusively(() -> {
            if (failure.retire(new RdmaException(Errno.ENODEV, "the device was removed"))) {
                goOutOfService();
            }
        });
    }

    private void goOutOfService() {
        try {
            output.breakDown();
        } catch (Throwable e) {
            // What waits to be sent may be what is broken.
            failure.set(e);
        }
        queuePairs.forEach(this::breakDown);
    }

    private void breakDown(LoopQp qp) {
        try {
            qp.engine().breakDown(WcStatus.FATAL_ERR);
        } catch (Throwable e) {
            // This one may be what is broken.
            failure.set(e);
        }
    }

    /**
     * Makes a station answer to an address for good, so that nobody need be asked; any thread.
     *
     * @param address of a port there
     * @param mac of the station, 48 bits
     * @throws RdmaException EINVAL for an address of a group, or a station that is none; ENOSPC if there are too many
     */
    public void addNeighbour(Gid address, long mac) {
        netLoop.exclusively(() -> site.ip().neighbours().add(address, mac));
    }

    /** Whether the port is out of service. */
    PortFailure failure() {
        return failure;
    }

    /**
     * Does all that is due at {@code now}: what {@link ProgressMode#MANUAL} is driven by.
     *
     * @param now nanoseconds of the port's clock
     * @return true if anything was received or sent: there may be more
     */
    public boolean progress(long now) {
        return netLoop.progress(now);
    }

    /**
     * {@return when {@link #progress} must be called at the latest if no packet arrives before, or
     * {@link io.rdma4j.base.Deadline#NEVER}}
     */
    public long nextDeadlineNs() {
        return netLoop.nextDeadlineNs();
    }

    // Receiving, by the owner of the loop

    /** Who gets the datagrams of which group. */
    MulticastTable multicast() {
        return multicast;
    }

    /** Lets the queue pair have the datagrams of a group, which the interface joins for the first one. */
    void attachMulticast(Gid group, RxeQp qp) {
        if (multicast.attach(group, qp)) {
            try {
                join(group);
            } catch (RuntimeException e) {
                multicast.detach(group, qp);
                throw e;
            }
        }
    }

    /** Undoes {@link #attachMulticast}. */
    void detachMulticast(Gid group, RxeQp qp) {
        if (multicast.detach(group, qp)) {
            leave(group);
        }
    }

    /** The interface is to take in what is sent to a group. */
    void join(Gid group) {
        site.ip().join(group);
    }

    /** Undoes {@link #join}. */
    void leave(Gid group) {
        site.ip().leave(group);
    }

    // What the port is made of

    /** The sending half; for the owner of the loop. */
    PortOutput output() {
        return output;
    }

    QpTable queuePairs() {
        return queuePairs;
    }

    /** Address handles by number. */
    NumberTable<RxeAh> addressHandles() {
        return addressHandles;
    }

    /** Shared receive queues by number. */
    NumberTable<RxeSrq> sharedReceiveQueues() {
        return sharedReceiveQueues;
    }

    XrcDomains xrcDomains() {
        return xrcDomains;
    }

    /** The port's own addresses. */
    GidTable gids() {
        return gids;
    }

    /** The partitions of the port. */
    PkeyTable pkeys() {
        return pkeys;
    }

    /** What is left of the device's own memory. */
    DeviceMemoryPool deviceMemory() {
        return deviceMemory;
    }

    TransportContext context() {
        return context;
    }

    PortLoop loop() {
        return loop;
    }

    /** What drives the port and its devices. */
    NetLoop netLoop() {
        return netLoop;
    }

    RxeOptions options() {
        return options;
    }

    /**
     * {@return the IP layer below: routes, neighbours, counters; for the owner of the port's loop, or before it is
     * started}
     */
    public IpStack stack() {
        return stack;
    }

    /** {@return the interface below} */
    public NetDevice device() {
        return device;
    }

    /** The way to the port itself. */
    PortLoopback loopback() {
        return loopback;
    }

    PortHandover handover() {
        return handover;
    }

    /** {@return what the transport counts} */
    public TransportCounters counters() {
        return context.counters();
    }

    /** {@return what was dropped on arrival} */
    public RxeCounters inputCounters() {
        return inputCounters;
    }

    /**
     * {@return packet buffers under way to the network; by the thread that drives the port} 0 whenever nothing is held
     * back.
     */
    public int buffersInUse() {
        return output.buffersInUse();
    }

    /** UDP port that packets of this queue pair leave from. */
    int sourcePort(int flowLabel, int localQpn, int remoteQpn) {
        int fixed = device.driver().udpSourcePort();
        return fixed != 0 ? fixed : NetworkPath.flowPort(flowLabel, localQpn, remoteQpn);
    }

    /** The largest path MTU that fits the interface's; never below 256. */
    Mtu activeMtu() {
        return Mtu.largestWithin(device.mtu() - HEADER_ALLOWANCE);
    }

    /** How many kinds of traffic the interface keeps apart: its classes, and without those its queues. */
    int lanes() {
        TransmitQueues queues = device.transmitQueues();
        int classes = queues.classes().count();
        return classes > 0 ? classes : queues.count();
    }

    /** Leaves its host, or ends it if there is nothing else on it; no queue pair may be left. */
    @Override
    public void close() {
        counterEvents.close();
        device.removeListener(linkWatch);
        site.leave(loop);
        netLoop.exclusively(() -> {
            handover.close();
            stack.udp().unregister(input);
            output.dropWaiting(output::isOwn);
            site.close();
            loopback.close();
            output.close();
        });
    }
}
