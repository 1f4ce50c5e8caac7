// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.port;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.hca.AddressTables;
import io.rdma4j.hca.DeviceIdentity;
import io.rdma4j.hca.GidTable;
import io.rdma4j.hca.HcaCapabilities;
import io.rdma4j.hca.HcaLimits;
import io.rdma4j.hca.InputCounters;
import io.rdma4j.hca.InputErrors;
import io.rdma4j.hca.PkeyTable;
import io.rdma4j.hca.PortCounterEvent;
import io.rdma4j.hca.PortCounters;
import io.rdma4j.hca.PortEvents;
import io.rdma4j.hca.PortFailure;
import io.rdma4j.hca.PortInfoBytes;
import io.rdma4j.hca.PortLink;
import io.rdma4j.hca.PortManagement;
import io.rdma4j.hca.PortStateMachine;
import io.rdma4j.hca.carrier.Carrier;
import io.rdma4j.hca.ops.DeviceKeys;
import io.rdma4j.hca.ops.DeviceObjects;
import io.rdma4j.hca.ops.DevicePort;
import io.rdma4j.hca.ops.HcaContext;
import io.rdma4j.hca.qp.GroupMembership;
import io.rdma4j.hca.qp.HcaQp;
import io.rdma4j.hca.qp.LocalTransport;
import io.rdma4j.hca.qp.LoopQp;
import io.rdma4j.hca.qp.LoopServices;
import io.rdma4j.hca.qp.MulticastTable;
import io.rdma4j.hca.qp.PortInput;
import io.rdma4j.hca.qp.PortLoop;
import io.rdma4j.hca.qp.PortLoopback;
import io.rdma4j.hca.qp.PortOutput;
import io.rdma4j.hca.qp.QpFactory;
import io.rdma4j.hca.qp.QpLinks;
import io.rdma4j.hca.qp.QpServices;
import io.rdma4j.hca.qp.QpTable;
import io.rdma4j.hca.qp.RawQps;
import io.rdma4j.loop.NetLoop;
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
import java.util.Arrays;

/**
 * The port of a device over a carrier. It creates the parts of the port, gives each part those that it uses, and starts
 * and stops them.
 */
public final class HcaPort {
    private final NetLoop netLoop;
    private final PortOptions options;
    private final Carrier carrier;

    /** Seed of the numbers of this opening, so that numbers of an earlier opening do not reveal them. */
    private final long secret = new SecureRandom().nextLong();

    private final PortFailure failure;
    private final PortEvents events;
    private final PortManagement management;
    private final InputCounters inputCounters = new InputCounters();
    private final PortInput input;
    private final QpServices services;
    private final DevicePort parts;
    private final PortCounterEvent.Writer counterEvents;

    /**
     * @param carrier of the packets
     * @param gids of the carrier's link
     * @param netLoop drives the carrier
     * @param raw creates raw queue pairs
     * @param options of the port
     */
    public HcaPort(Carrier carrier, GidTable gids, NetLoop netLoop, RawQps raw, PortOptions options) {
        this.netLoop = netLoop;
        this.options = options;
        this.carrier = carrier;
        PortLink link = carrier.link();
        HcaCapabilities capabilities = new HcaCapabilities(options.withheld());
        HcaLimits limits = new HcaLimits(capabilities, options.limits(), raw.types());

        // The state of the port
        TransportContext context = new TransportContext(link.name(), keys(limits), options.transport());
        TransportCounters counters = context.counters();
        QpTable queuePairs =
                new QpTable((int) limits.of(DeviceLimit.MAX_QP), numbers("queue pairs", QpTable.FIRST_QPN));
        AddressTables tables = new AddressTables(gids, new PkeyTable(options.pkeys()));
        this.failure = new PortFailure(link.name());
        PortStateMachine states = new PortStateMachine(link, failure);
        this.events = new PortEvents(capabilities);
        this.management = new PortManagement(states, events, tables, counters, inputCounters, capabilities, link);

        // The way of packets
        MulticastTable<HcaQp> multicast = new MulticastTable<>(new HcaQp[0]);
        GroupMembership<HcaQp> groups = new GroupMembership<>(multicast, carrier);
        InputErrors errors =
                new InputErrors(inputCounters, context.trace(), management, netLoop::nowNs, this::breakDown);
        QpLinks links = new QpLinks(netLoop, carrier.headers(), states, context);
        this.input = new PortInput(carrier, queuePairs, multicast, errors, states, management, events, links);
        PortLoopback loopback = new PortLoopback(PortOutput.BUFFERS, carrier.headers(), input);
        PortOutput output = new PortOutput(carrier, loopback, groups, counters, states);
        LocalTransport local = new LocalTransport(carrier, queuePairs, states, output, errors, links, context);
        PortLoop loop = new PortLoop(netLoop, link, output, local, counters, this::breakDown);

        // The objects of contexts
        LoopServices common = new LoopServices(loop, output, queuePairs, states, capabilities);
        this.services = new QpServices(common, carrier, tables, local, links, groups, context);
        QpFactory factory = new QpFactory(services, raw, options.privilegedQkeys());
        DeviceKeys keys = new DeviceKeys(context.keys(), loop, output, links, carrier.localPeers());
        DeviceObjects objects = new DeviceObjects(loop, keys, factory, carrier.paths(), limits);
        PortCounters all = new PortCounters(link, counters, inputCounters, output, states, links::settle);
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
     * Starts to receive, as the port of {@code owner}. The caller then adds {@link #loop} to the loop of the host.
     *
     * @param kept the attribute PortInfo as it was when the port was last closed
     */
    public void start(DeviceIdentity owner, PortInfoBytes kept) {
        management.begin(owner, kept, options.nonVolatile());
        carrier.start(input);
        services.local().open();
    }

    /** Starts to write counters to recordings. */
    public void startRecording() {
        counterEvents.start();
    }

    /**
     * Returns a context that uses the port.
     *
     * @param onClose called when the context is closed
     */
    public ContextOps open(DeviceIdentity owner, ContextEvents listener, Runnable onClose) {
        return new HcaContext(owner, parts, listener, onClose);
    }

    /** The part of the host's loop that serves the port. */
    public PortLoop loop() {
        return services.common().loop();
    }

    /** The parts that queue pairs use. */
    public QpServices services() {
        return services;
    }

    /** The counters of the transport. Any thread. */
    public TransportCounters counters() {
        services.links().settle();
        return services.context().counters();
    }

    /** The counters of packets dropped on arrival. */
    public InputCounters inputCounters() {
        return inputCounters;
    }

    /** Returns the number of packet buffers in use; for the thread that drives the port. */
    public int buffersInUse() {
        return services.common().output().buffersInUse();
    }

    /**
     * Changes an entry of the P_Key table. Any thread.
     *
     * @param index entry of the table, from 0
     * @param pkey 16 bits, bit 15 for a full member; 0 to leave the partition
     * @throws RdmaException EINVAL if there is no such entry, or {@code pkey} is invalid
     */
    public void setPkey(int index, int pkey) {
        boolean changed = netLoop.exclusively(() -> services.tables().pkeys().set(index, pkey));
        if (changed) {
            services.links().dissolveAll();
            management.pkeysChanged();
        }
    }

    /**
     * Replaces the P_Key table, and raises PKEY_CHANGE if it differs. For the owner of the loop.
     *
     * @param pkeys 16 bits each; 0 for an empty entry
     */
    public void setPkeys(int[] pkeys) {
        PkeyTable table = services.tables().pkeys();
        if (!Arrays.equals(table.toArray(), pkeys)) {
            table.replace(pkeys);
            management.pkeysChanged();
        }
    }

    /** The management attributes of the port. */
    public PortManagement management() {
        return management;
    }

    /** Takes the port out of service, like an unrecoverable error. Any thread. */
    public void fail(String reason) {
        netLoop.exclusively(() -> breakDown(new RdmaException(Errno.EIO, reason)));
    }

    /** Takes the port out of service after an error. For the owner of the loop. */
    private void breakDown(Throwable error) {
        if (failure.set(error)) {
            goOutOfService();
            events.tell(EventType.DEVICE_FATAL, PortEvents.NO_PORT);
        }
    }

    /** Takes the port out of service because its device was removed. The caller raises the event. Any thread. */
    public void remove() {
        netLoop.exclusively(() -> {
            if (failure.retire(new RdmaException(Errno.ENODEV, "the device was removed"))) {
                goOutOfService();
            }
        });
    }

    private void goOutOfService() {
        try {
            services.links().dissolveAll();
            services.common().output().dropOwn();
        } catch (Throwable e) {
            // The waiting packets may be the cause of the failure.
            failure.set(e);
        }
        services.common().queuePairs().forEach(this::breakDown);
    }

    private void breakDown(LoopQp qp) {
        try {
            qp.breakDown(WcStatus.FATAL_ERR);
        } catch (Throwable e) {
            // This queue pair may be the cause of the failure.
            failure.set(e);
        }
    }

    /** Stops to write counters to recordings. */
    public void stopRecording() {
        counterEvents.close();
    }

    /** Stops to receive, and drops what waits in the carrier. No queue pair may be left. For the owner of the loop. */
    public void stop() {
        services.local().close();
        carrier.stop();
        services.common().output().dropOwn();
    }

    /** Frees the buffers, after the carrier has freed its packets. For the owner of the loop. */
    public void close() {
        services.common().output().close();
    }
}
