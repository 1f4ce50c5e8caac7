package io.rdma4j.rxe;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import io.rdma4j.ip.IpStack;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.PrivateFlag;
import io.rdma4j.net.TransmitQueues;
import io.rdma4j.transport.memory.KeyTable;
import io.rdma4j.transport.memory.NumberSequence;
import io.rdma4j.transport.port.TransportContext;
import io.rdma4j.transport.port.TransportCounters;
import io.rdma4j.udp.UdpUnderlayEthtool;
import io.rdma4j.verbs.DeviceLimit;
import io.rdma4j.verbs.EventType;
import io.rdma4j.verbs.WcStatus;
import java.security.SecureRandom;

/**
 * A software RoCEv2 port over one network device. It owns the tables of queue pairs, keys, GIDs and P_Keys, the output,
 * and the port loop; it starts and closes them.
 */
public final class RxePort implements AutoCloseable {
    /**
     * Ethernet, IPv6, UDP, BTH and extended headers, and ICRC, rounded up. Linux rxe subtracts it from the interface's
     * MTU.
     */
    private static final int HEADER_ALLOWANCE = 80;

    /** Handle 0 is never valid, so that an uninitialized handle or number is not found. */
    private static final int FIRST_HANDLE = 1;

    private final PortSite site;
    private final NetDevice device;
    private final IpStack stack;
    private final NetLoop netLoop;
    private final PortLoopback loopback;
    private final LocalTransport localTransport;
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

    /** Seed of the numbers of this opening, so that numbers of an earlier opening do not reveal them. */
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
    private final PortLinkWatch linkWatch;
    private final PortCounterEvent.Writer counterEvents = new PortCounterEvent.Writer(this);

    /**
     * Creates a port on its own host, which is closed together with the port.
     *
     * @param device up, without IP handlers; closing the port unregisters it
     * @param options of the port
     */
    public RxePort(NetDevice device, RxeOptions options) {
        this(PortSite.alone(device, options), options);
    }

    /**
     * Creates a port on the host of a site.
     *
     * @param site its device is up and has no other port
     * @param options of the port
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
        this.localTransport = new LocalTransport(this, device, stack);
        this.input = new RoceInput(this, device.flags().has(PrivateFlag.HIDDEN_IDENTIFICATION));
        this.loop = new PortLoop(this, netLoop);
        this.linkWatch = new PortLinkWatch(management, events);
    }

    private static <T> NumberTable<T> table(RxeLimits limits, DeviceLimit limit) {
        return new NumberTable<>(FIRST_HANDLE, (int) limits.of(limit), limit.label());
    }

    private KeyTable keys() {
        int regions = (int) (limits.of(DeviceLimit.MAX_MR) + limits.of(DeviceLimit.MAX_FMR));
        int windows = (int) limits.of(DeviceLimit.MAX_MW);
        return new KeyTable(regions, windows, numbers("memory keys", 1));
    }

    private NumberSequence numbers(String usage, int firstOfCount) {
        return options.randomNumbers() ? new NumberSequence(secret, usage) : NumberSequence.counting(firstOfCount);
    }

    /** Starts to receive, as the port of {@code owner}. */
    void start(RxeDevice owner) {
        gids.begin(owner.nodeGuid(), management::settings);
        management.begin(owner);
        stack.udp().register(options.udpPort(), device, input);
        localTransport.open();
        device.addListener(linkWatch);
        site.open(loop);
        counterEvents.start();
    }

    /** Returns the driver of the network device and whether it uses shared memory, as text for the log. */
    String carrier() {
        return device.ethtool() instanceof UdpUnderlayEthtool udp
                ? udp.driverInfo().driver() + (options.sharedMemory() ? " with" : " without") + " shared memory"
                : device.name() + " without shared memory";
    }

    /** The listeners for events of the device and its port. */
    PortEvents events() {
        return events;
    }

    PortManagement management() {
        return management;
    }

    /** The logical state of the port. */
    PortStateMachine states() {
        return states;
    }

    RxeLimits limits() {
        return limits;
    }

    /**
     * Changes an entry of the P_Key table, as a subnet manager does on InfiniBand. Queue pairs that use the entry move
     * to that partition at once, and PKEY_CHANGE is raised. Any thread.
     *
     * @param index entry of the table, from 0
     * @param pkey 16 bits, bit 15 for a full member; 0 to leave the partition
     * @throws RdmaException EINVAL if there is no such entry, or {@code pkey} is invalid
     */
    public void setPkey(int index, int pkey) {
        boolean changed = netLoop.exclusively(() -> pkeys.set(index, pkey));
        if (changed) {
            management.pkeysChanged();
        }
    }

    /**
     * Takes the device out of service, like an unrecoverable error. The port sends and receives nothing any more, and
     * all queue pairs move to ERR. The oldest request of each send queue completes with FATAL_ERR, and DEVICE_FATAL is
     * raised. For tests of programs that must survive this. The device works again after all its contexts were closed.
     * Any thread.
     *
     * @param reason text for the log and the exception
     */
    public void fail(String reason) {
        netLoop.exclusively(() -> breakDown(new RdmaException(Errno.EIO, reason)));
    }

    /** Returns true if the port depends on a device: it is the port's device or one below it. */
    @SuppressWarnings("ReferenceEquality") // one object per device
    boolean uses(NetDevice other) {
        return other == device || device.stack().isAbove(other);
    }

    /** Takes the device out of service after an error. For the owner of the loop. */
    void breakDown(Throwable error) {
        if (failure.set(error)) {
            goOutOfService();
            events.tell(EventType.DEVICE_FATAL, PortEvents.NO_PORT);
        }
    }

    /** Takes the device out of service because it was removed. The caller raises the event. Any thread. */
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
            // The waiting packets may be the cause of the failure.
            failure.set(e);
        }
        queuePairs.forEach(this::breakDown);
    }

    private void breakDown(LoopQp qp) {
        try {
            qp.engine().breakDown(WcStatus.FATAL_ERR);
        } catch (Throwable e) {
            // This queue pair may be the cause of the failure.
            failure.set(e);
        }
    }

    /**
     * Adds a permanent entry to the neighbour table, so that no address resolution is needed. Any thread.
     *
     * @param address of a port at the station
     * @param mac of the station, 48 bits
     * @throws RdmaException EINVAL for a group address or an invalid station; ENOSPC if the table is full
     */
    public void addNeighbour(Gid address, long mac) {
        netLoop.exclusively(() -> site.ip().neighbours().add(address, mac));
    }

    /** Holds the error that took the port out of service, if any. */
    PortFailure failure() {
        return failure;
    }

    /**
     * Runs the loop once; for {@link ProgressMode#MANUAL}.
     *
     * @param now ns of the port's clock
     * @return true if anything was received or sent, so that more work may be pending
     */
    public boolean progress(long now) {
        return netLoop.progress(now);
    }

    /**
     * {@return the latest time of the next call of {@link #progress} if no packet arrives before, ns of the port's
     * clock, or {@link io.rdma4j.base.Deadline#NEVER}}
     */
    public long nextDeadlineNs() {
        return netLoop.nextDeadlineNs();
    }

    // Receiving, for the owner of the loop

    /** The multicast members of the port. */
    MulticastTable multicast() {
        return multicast;
    }

    /** Adds a queue pair to a multicast group. The interface joins the group for the first member. */
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

    void detachMulticast(Gid group, RxeQp qp) {
        if (multicast.detach(group, qp)) {
            leave(group);
        }
    }

    /** Makes the interface join a multicast group. */
    void join(Gid group) {
        site.ip().join(group);
    }

    void leave(Gid group) {
        site.ip().leave(group);
    }

    // Components

    /** For the owner of the loop only. */
    PortOutput output() {
        return output;
    }

    QpTable queuePairs() {
        return queuePairs;
    }

    NumberTable<RxeAh> addressHandles() {
        return addressHandles;
    }

    NumberTable<RxeSrq> sharedReceiveQueues() {
        return sharedReceiveQueues;
    }

    XrcDomains xrcDomains() {
        return xrcDomains;
    }

    GidTable gids() {
        return gids;
    }

    PkeyTable pkeys() {
        return pkeys;
    }

    /** The device memory that is left. */
    DeviceMemoryPool deviceMemory() {
        return deviceMemory;
    }

    TransportContext context() {
        return context;
    }

    PortLoop loop() {
        return loop;
    }

    /** The loop that drives the port and its devices. */
    NetLoop netLoop() {
        return netLoop;
    }

    RxeOptions options() {
        return options;
    }

    /**
     * {@return the IP stack below: routes, neighbours, counters; for the owner of the port's loop, or before the port
     * is started}
     */
    public IpStack stack() {
        return stack;
    }

    /** {@return the network interface of the port} */
    public NetDevice device() {
        return device;
    }

    /** The path for packets to the port itself. */
    PortLoopback loopback() {
        return loopback;
    }

    LocalTransport localTransport() {
        return localTransport;
    }

    /** {@return the counters of the transport} */
    public TransportCounters counters() {
        return context.counters();
    }

    /** {@return the counters of packets dropped on arrival} */
    public RxeCounters inputCounters() {
        return inputCounters;
    }

    /**
     * {@return the number of packet buffers in use; for the thread that drives the port} It is 0 when no packet is
     * waiting.
     */
    public int buffersInUse() {
        return output.buffersInUse();
    }

    /** Returns the UDP source port for packets of a queue pair. */
    int sourcePort(int flowLabel, int localQpn, int remoteQpn) {
        int fixed = device.driver().udpSourcePort();
        return fixed != 0 ? fixed : NetworkPath.flowPort(flowLabel, localQpn, remoteQpn);
    }

    /** Returns the largest path MTU that fits into the interface's MTU; at least 256. */
    Mtu activeMtu() {
        return Mtu.largestWithin(device.mtu() - HEADER_ALLOWANCE);
    }

    /** Returns the number of traffic classes of the interface, or the number of its queues if it has no classes. */
    int lanes() {
        TransmitQueues queues = device.transmitQueues();
        int classes = queues.classes().count();
        return classes > 0 ? classes : queues.count();
    }

    /** Leaves the host, or closes it if it belongs to the port. No queue pair may be left. */
    @Override
    public void close() {
        counterEvents.close();
        device.removeListener(linkWatch);
        site.leave(loop);
        netLoop.exclusively(() -> {
            localTransport.close();
            stack.udp().unregister(input);
            output.dropWaiting(output::isOwn);
            site.close();
            loopback.close();
            output.close();
        });
    }
}
