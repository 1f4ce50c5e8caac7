// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.wire.ib.Lid;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.MadStatus;
import io.rdma4j.wire.mad.sm.Notice;
import io.rdma4j.wire.mad.sm.SmInfo;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.sm.SwitchInfo;
import io.rdma4j.wire.mad.sm.TrapDetails;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A subnet manager (IBA 14.4). A heavy sweep finds the topology and writes LIDs, forwarding tables and port states; a
 * light sweep asks the switches whether a port has changed. One thread at a time; the caller passes the time, ns.
 *
 * <p>A sweep has steps, and a step begins when all requests of the one before have their responses: discovery; LIDs and
 * links; tables; ARMED; ACTIVE.
 */
public final class SubnetManager {
    /** States of SMInfo. */
    private static final int DISCOVERING = 1;

    private static final int MASTER = 3;

    private final SmpOutput output;
    private final SubnetOptions options;
    private final SmpRequests requests;
    private final LidTable lids;
    private final TableWriter tables;
    private final PortWriter ports;
    private final Map<Integer, Set<Long>> groups = new TreeMap<>();
    private final Set<Integer> mlids = new TreeSet<>();

    private SubnetNotices notices = new SubnetNotices((_, _) -> {});
    private SubnetTopology topology = new SubnetTopology();
    private @Nullable SubnetSnapshot snapshot;
    private Runnable next = () -> {};
    private boolean isSweeping;
    private boolean isSweepWanted;
    private boolean isUp;
    private int depth;
    private int failures;
    private int sweeps;
    private long nowNs;
    private long lightSweepNs = Deadline.NEVER;

    /**
     * Creates a manager that does nothing before {@link #sweep}.
     *
     * @param output sends its datagrams
     * @param options of the subnet
     * @param seed upper half of the transaction ids
     */
    public SubnetManager(SmpOutput output, SubnetOptions options, int seed) {
        this.output = output;
        this.options = options;
        this.requests = new SmpRequests(output, options, seed);
        this.lids = new LidTable(options.lmc());
        this.tables = new TableWriter(requests, this::answered);
        this.ports = new PortWriter(requests, options, this::answered);
    }

    // State

    /** {@return true if the last heavy sweep ended without an unanswered or rejected request} */
    public boolean isUp() {
        return isUp;
    }

    /** {@return number of heavy sweeps that have begun} */
    public int sweeps() {
        return sweeps;
    }

    /** {@return number of datagrams sent, repetitions included} */
    public long datagramsSent() {
        return requests.sent();
    }

    /** {@return a line for each node, port and LID of the last heavy sweep} */
    public List<String> describe() {
        return TopologyText.lines(topology);
    }

    /** What the administrator answers from; null before the first sweep has written tables. */
    @Nullable
    SubnetSnapshot snapshot() {
        return snapshot;
    }

    SubnetOptions options() {
        return options;
    }

    /** Called once, before the first sweep. Returns what makes notices. */
    SubnetNotices listen(NoticeListener listener) {
        notices = new SubnetNotices(listener);
        return notices;
    }

    // Orders

    /**
     * Sets the members of a multicast group. The next heavy sweep routes it.
     *
     * @param mlid multicast LID
     * @param portGuids of the members; none ends the group
     * @throws RdmaException EINVAL for a LID that is no multicast LID
     */
    public void group(int mlid, Set<Long> portGuids) {
        if (!Lid.isMulticast(mlid)) {
            throw new RdmaException(Errno.EINVAL, "0x" + Integer.toHexString(mlid) + " is no multicast LID");
        }
        mlids.add(mlid);
        if (portGuids.isEmpty()) {
            groups.remove(mlid);
        } else {
            groups.put(mlid, new HashSet<>(portGuids));
        }
    }

    /**
     * Begins a heavy sweep, or another one after the present one.
     *
     * @param timeNs now
     */
    public void sweep(long timeNs) {
        enter(timeNs);
        isSweepWanted = true;
        leave();
    }

    /**
     * The port of the manager has changed its state: begins a heavy sweep if the last one failed.
     *
     * @param timeNs now
     */
    public void portChanged(long timeNs) {
        enter(timeNs);
        isSweepWanted |= !isSweeping && !isUp;
        leave();
    }

    /**
     * {@return the time at which {@link #advance} is due, or {@link Deadline#NEVER}}
     */
    public long nextNs() {
        return Deadline.earlier(requests.nextNs(), isSweeping ? Deadline.NEVER : lightSweepNs);
    }

    /**
     * Repeats requests, and begins a light sweep if it is due.
     *
     * @param timeNs now
     */
    public void advance(long timeNs) {
        enter(timeNs);
        requests.expire();
        if (!isSweeping && Deadline.isDue(lightSweepNs, timeNs)) {
            lightSweep();
        }
        leave();
    }

    /**
     * Takes a datagram that has arrived at queue pair 0: a response, a trap, or a request for SMInfo.
     *
     * @param memory of the datagram; valid during the call
     * @param offset of its first byte
     * @param sourceLid of its sender
     * @param timeNs now
     */
    public void receive(MemorySegment memory, long offset, int sourceLid, long timeNs) {
        enter(timeNs);
        int method = Mad.METHOD.getInt(memory, offset);
        if (method == MadMethod.TRAP.code()) {
            trap(memory, offset);
        } else if ((method & MadMethod.RESPONSE) == 0) {
            smInfo(memory, offset, sourceLid);
        } else {
            requests.receive(memory, offset);
        }
        leave();
    }

    /** A response may arrive while its request is sent, so calls nest. */
    private void enter(long timeNs) {
        nowNs = timeNs;
        requests.now(timeNs);
        depth++;
    }

    private void leave() {
        if (depth == 1) {
            proceed();
        }
        depth--;
    }

    private void trap(MemorySegment memory, long offset) {
        MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);
        MemorySegment.copy(memory, offset, mad, 0, Mad.BYTES);
        Mad.write(
                mad,
                0,
                MadClass.SUBN_LID_ROUTED,
                MadMethod.TRAP_REPRESS.code(),
                MadAttribute.SM_NOTICE.attributeId(),
                Mad.TRANSACTION_ID.get(memory, offset));
        output.send(mad, Notice.ISSUER_LID.getInt(memory, offset + Smp.DATA));
        notices.forward(memory, offset, snapshot, nowNs);
        int number = Notice.TRAP_NUMBER.getInt(memory, offset + Smp.DATA);
        isSweepWanted |= number == TrapDetails.LINK_STATE_CHANGE || number == TrapDetails.CAPABILITY_CHANGE;
    }

    /** Answers a request for SMInfo. There is no election, so nothing can be set. */
    private void smInfo(MemorySegment memory, long offset, int sourceLid) {
        MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);
        MemorySegment.copy(memory, offset, mad, 0, Mad.BYTES);
        boolean isGet = Mad.METHOD.getInt(mad, 0) == MadMethod.GET.code();
        boolean isDirected = Mad.MGMT_CLASS.getInt(mad, 0) == MadClass.SUBN_DIRECTED_ROUTE.code();
        Mad.METHOD.put(mad, 0, MadMethod.GET.responseCode());
        Mad.STATUS.put(
                mad, 0, (isGet ? MadStatus.SUCCESS : MadStatus.BAD_FIELD) | (isDirected ? MadStatus.DIRECTION : 0));
        mad.asSlice(Smp.DATA, Smp.DATA_BYTES).fill((byte) 0);
        List<SmPort> ends = topology.ends();
        SmInfo.GUID.put(mad, Smp.DATA, ends.isEmpty() ? 0 : ends.getFirst().guid);
        SmInfo.ACT_COUNT.put(mad, Smp.DATA, requests.sent());
        SmInfo.STATE.put(mad, Smp.DATA, ends.isEmpty() ? DISCOVERING : MASTER);
        output.send(mad, isDirected ? Lid.PERMISSIVE : sourceLid);
    }

    // Steps

    /** Begins the next step when the present one has all its responses. */
    private void proceed() {
        while (requests.areDone()) {
            if (isSweeping) {
                Runnable step = next;
                next = this::end;
                step.run();
            } else if (isSweepWanted) {
                begin();
            } else {
                return;
            }
        }
    }

    private void answered(@Nullable MemorySegment mad) {
        boolean isGood = mad != null && (Mad.STATUS.getInt(mad, 0) & ~MadStatus.DIRECTION) == MadStatus.SUCCESS;
        failures += isGood ? 0 : 1;
    }

    private void begin() {
        isSweepWanted = false;
        isSweeping = true;
        failures = 0;
        sweeps++;
        SubnetDiscovery discovery = new SubnetDiscovery(requests);
        next = () -> configure(discovery);
        discovery.begin();
    }

    private void configure(SubnetDiscovery discovery) {
        failures += discovery.lost();
        topology = discovery.found();
        List<SmPort> ends = topology.ends();
        if (ends.isEmpty()) {
            failures++; // the port of the manager is down
            return;
        }
        int top = lids.assign(ends);
        int managerLid = ends.getFirst().lid;
        ends.forEach(port -> ports.writeEnd(port, managerLid));
        linked().forEach(ports::writeLink);
        next = () -> route(top);
    }

    /** The ports with a cable to a known port. */
    private List<SmPort> linked() {
        return topology.ports().stream()
                .filter(port -> port.number != 0 && port.peer != null && port.isUp())
                .toList();
    }

    private void route(int topLid) {
        MinHopRoutes routes = new MinHopRoutes(topology, topLid);
        snapshot = new SubnetSnapshot(topology, routes, options);
        MulticastTrees trees = new MulticastTrees(topology, routes, groups);
        for (SmNode node : topology.switches()) {
            tables.writeLinear(node, routes.table(node));
            tables.writeMulticast(node, trees, mlids);
        }
        next = this::arm;
    }

    private void arm() {
        linked().stream()
                .filter(port -> port.state() == PortState.INIT)
                .forEach(port -> ports.writeState(port, PortState.ARMED));
        next = this::activate;
    }

    private void activate() {
        linked().stream()
                .filter(port -> port.state() == PortState.ARMED)
                .forEach(port -> ports.writeState(port, PortState.ACTIVE));
        next = this::end;
    }

    private void end() {
        isSweeping = false;
        isUp = failures == 0;
        SubnetSnapshot swept = snapshot;
        if (isUp && swept != null) {
            notices.swept(swept, nowNs);
        }
        lightSweepNs = Deadline.after(nowNs, options.sweepIntervalNs());
        next = () -> {};
    }

    /** Asks each switch whether the state of a port has changed. */
    private void lightSweep() {
        lightSweepNs = Deadline.after(nowNs, options.sweepIntervalNs());
        isSweepWanted |= !isUp;
        for (SmNode node : topology.switches()) {
            requests.get(node.path, MadAttribute.SWITCH_INFO, 0, mad -> {
                if (mad == null || SwitchInfo.PORT_STATE_CHANGE.isSet(mad, Smp.DATA)) {
                    isSweepWanted = true;
                }
            });
        }
    }
}
