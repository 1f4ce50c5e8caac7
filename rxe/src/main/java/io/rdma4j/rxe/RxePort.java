// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.hca.AddressTables;
import io.rdma4j.hca.DeviceIdentity;
import io.rdma4j.hca.GidTable;
import io.rdma4j.hca.HcaCapabilities;
import io.rdma4j.hca.HcaLimits;
import io.rdma4j.hca.InputCounters;
import io.rdma4j.hca.PkeyTable;
import io.rdma4j.hca.PortCounterEvent;
import io.rdma4j.hca.PortCounters;
import io.rdma4j.hca.PortEvents;
import io.rdma4j.hca.PortFailure;
import io.rdma4j.hca.PortInfoBytes;
import io.rdma4j.hca.PortManagement;
import io.rdma4j.hca.PortStateMachine;
import io.rdma4j.hca.ops.DeviceKeys;
import io.rdma4j.hca.ops.DeviceObjects;
import io.rdma4j.hca.ops.DevicePort;
import io.rdma4j.hca.ops.HcaContext;
import io.rdma4j.ip.IpStack;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.rxe.datapath.DeviceLink;
import io.rdma4j.rxe.datapath.GroupMembership;
import io.rdma4j.rxe.datapath.InputErrors;
import io.rdma4j.rxe.datapath.LocalTransport;
import io.rdma4j.rxe.datapath.LoopQp;
import io.rdma4j.rxe.datapath.LoopServices;
import io.rdma4j.rxe.datapath.MulticastTable;
import io.rdma4j.rxe.datapath.NetworkPaths;
import io.rdma4j.rxe.datapath.PortLinkWatch;
import io.rdma4j.rxe.datapath.PortLoop;
import io.rdma4j.rxe.datapath.PortLoopback;
import io.rdma4j.rxe.datapath.PortOutput;
import io.rdma4j.rxe.datapath.QpFactory;
import io.rdma4j.rxe.datapath.QpServices;
import io.rdma4j.rxe.datapath.QpTable;
import io.rdma4j.rxe.datapath.RoceInput;
import io.rdma4j.rxe.datapath.RxeQp;
import io.rdma4j.transport.memory.KeyTable;
import io.rdma4j.transport.memory.NumberSequence;
import io.rdma4j.transport.port.TransportContext;
import io.rdma4j.transport.port.TransportCounters;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.spi.ContextEvents;
import io.rdma4j.verbs.spi.ContextOps;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.wr.WcStatus;
import java.security.SecureRandom;

/**
 * A software RoCEv2 port over one network device. It creates the parts of the port, gives each part those that it uses,
 * and starts and closes them.
 */
public final class RxePort implements AutoCloseable {
    private final PortSite site;
    private final NetDevice device;
    private final NetLoop netLoop;
    private final RxeOptions options;

    /** Seed of the numbers of this opening, so that numbers of an earlier opening do not reveal them. */
    private final long secret = new SecureRandom().nextLong();

    private final PortFailure failure;
    private final PortEvents events;
    private final PortManagement management;
    private final InputCounters inputCounters = new InputCounters();
    private final RoceInput input;
    private final PortLinkWatch linkWatch;
    private final QpServices services;
    private final DevicePort parts;
    private final PortCounterEvent.Writer counterEvents;

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
        this.netLoop = site.loop();
        this.options = options;
        DeviceLink link = new DeviceLink(device, site.stack(), netLoop, options.progress(), options.sharedMemory());
        HcaCapabilities capabilities = new HcaCapabilities(options.profile().withheld());
        HcaLimits limits = new HcaLimits(capabilities, options.profile().limits(), link.rawTypes());

        // The state of the port
        TransportContext context = new TransportContext(device.name(), keys(limits), options.transport());
        TransportCounters counters = context.counters();
        QpTable queuePairs =
                new QpTable((int) limits.of(DeviceLimit.MAX_QP), numbers("queue pairs", QpTable.FIRST_QPN));
        GidTable gids = new GidTable(link);
        AddressTables tables = new AddressTables(gids, new PkeyTable(options.pkeys()));
        this.failure = new PortFailure(device.name());
        PortStateMachine states = new PortStateMachine(link, failure);
        this.events = new PortEvents(capabilities);
        this.management = new PortManagement(states, events, tables, counters, inputCounters, capabilities, link);
        this.linkWatch = new PortLinkWatch(management, events);

        // The way of packets
        MulticastTable<RxeQp> multicast = new MulticastTable<>(new RxeQp[0]);
        InputErrors errors =
                new InputErrors(inputCounters, context.trace(), management, netLoop::nowNs, this::breakDown);
        boolean merged = !options.transport().placesOutOfOrder();
        boolean hidden = device.flags().has(PrivateFlag.HIDDEN_IDENTIFICATION);
        this.input = new RoceInput(queuePairs, multicast, states, errors, merged, hidden);
        PortLoopback loopback = new PortLoopback(
                PortOutput.BUFFERS, new RoceInput(queuePairs, multicast, states, errors, merged, false));
        PortOutput output = new PortOutput(link, loopback, gids, multicast::hasMembers, counters, states);
        LocalTransport local = new LocalTransport(link, queuePairs, gids, states, output, errors, context);
        PortLoop loop = new PortLoop(netLoop, link, output, local, counters, this::breakDown);

        // The objects of contexts
        NetworkPaths paths = new NetworkPaths(gids, link, options.udpPort(), context.controlsCongestion());
        GroupMembership<RxeQp> groups = new GroupMembership<>(multicast, site.ip());
        LoopServices common = new LoopServices(loop, output, queuePairs, states, capabilities);
        this.services = new QpServices(common, link, tables, paths, local, groups, context);
        QpFactory factory = new QpFactory(services, options.rawPackets(), options.privilegedQkeys());
        DeviceKeys keys = new DeviceKeys(context.keys(), loop, output);
        DeviceObjects objects = new DeviceObjects(loop, keys, factory, paths, limits);
        PortCounters all = new PortCounters(link, counters, inputCounters, output, states);
        this.parts = new DevicePort(limits, link, tables, management, all, events, objects);
        this.counterEvents = new PortCounterEvent.Writer(all);
    }

    private KeyTable keys(HcaLimits limits) {
        int regions = (int) (limits.of(DeviceLimit.MAX_MR) + limits.of(DeviceLimit.MAX_FMR));
        int windows = (int) limits.of(DeviceLimit.MAX_MW);
        return new KeyTable(regions, windows, numbers("memory keys", 1));
    }

    private NumberSequence numbers(String usage, int firstOfCount) {
        return options.randomNumbers() ? new NumberSequence(secret, usage) : NumberSequence.counting(firstOfCount);
    }

    /**
     * Starts to receive, as the port of {@code owner}.
     *
     * @param kept the attribute PortInfo as it was when the port was last closed
     */
    void start(DeviceIdentity owner, PortInfoBytes kept) {
        management.begin(owner, kept, options.profile().nonVolatile());
        site.stack().udp().register(options.udpPort(), device, input);
        services.local().open();
        device.addListener(linkWatch);
        site.open(services.common().loop());
        counterEvents.start();
    }

    /**
     * Returns a context that uses the port.
     *
     * @param onClose called when the context is closed
     */
    ContextOps open(DeviceIdentity owner, ContextEvents listener, Runnable onClose) {
        return new HcaContext(owner, parts, listener, onClose);
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
        boolean changed = netLoop.exclusively(() -> services.tables().pkeys().set(index, pkey));
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

    /** Takes the device out of service after an error. For the owner of the loop. */
    private void breakDown(Throwable error) {
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
            services.common().output().breakDown();
        } catch (Throwable e) {
            // The waiting packets may be the cause of the failure.
            failure.set(e);
        }
        services.common().queuePairs().forEach(this::breakDown);
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

    /** The parts that queue pairs use. */
    QpServices services() {
        return services;
    }

    /** The loop that drives the port and its devices. */
    NetLoop netLoop() {
        return netLoop;
    }

    /** The counters of packets dropped on arrival. */
    InputCounters inputCounters() {
        return inputCounters;
    }

    /**
     * {@return the IP stack below: routes, neighbours, counters; for the owner of the port's loop, or before the port
     * is started}
     */
    public IpStack stack() {
        return site.stack();
    }

    /** {@return the network interface of the port} */
    public NetDevice device() {
        return device;
    }

    /** {@return the counters of the transport} */
    public TransportCounters counters() {
        return services.context().counters();
    }

    /** {@return the number of received packets that were dropped before they reached a queue pair} */
    public long droppedPackets() {
        return inputCounters.dropped();
    }

    /** {@return the number of packets whose payload memory was revoked before they were received} */
    public long packetsOfLostMemory() {
        return inputCounters.lostMemory;
    }

    /**
     * {@return the number of packet buffers in use; for the thread that drives the port} It is 0 when no packet is
     * waiting.
     */
    public int buffersInUse() {
        return services.common().output().buffersInUse();
    }

    /** Leaves the host, or closes it if it belongs to the port. No queue pair may be left. */
    @Override
    public void close() {
        counterEvents.close();
        device.removeListener(linkWatch);
        site.leave(services.common().loop());
        netLoop.exclusively(() -> {
            PortOutput output = services.common().output();
            services.local().close();
            site.stack().udp().unregister(input);
            output.dropOwn();
            site.close();
            output.close();
        });
    }
}
