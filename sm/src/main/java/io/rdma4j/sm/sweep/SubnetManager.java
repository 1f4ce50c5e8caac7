// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.sweep;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.sm.SmState;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.sm.routing.CreditLoop;
import io.rdma4j.sm.routing.MulticastTrees;
import io.rdma4j.sm.topology.SmNode;
import io.rdma4j.sm.topology.SmPort;
import io.rdma4j.sm.topology.SubnetTopology;
import io.rdma4j.sm.topology.TopologyText;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.wire.ib.Lid;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.MadStatus;
import io.rdma4j.wire.mad.sm.Notice;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import io.rdma4j.wire.mad.sm.SmInfo;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.sm.SwitchInfo;
import io.rdma4j.wire.mad.sm.TrapDetails;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A subnet manager (IBA 14.4). A heavy sweep finds the topology and writes LIDs, forwarding tables and port states; a
 * light sweep asks the switches whether a port has changed. Of several managers one is the master; the others poll it.
 * One thread at a time; the caller passes the time, ns.
 *
 * <p>A sweep has steps, and a step begins when all requests of the one before have their responses: discovery and
 * election; LIDs and links; tables; ARMED; ACTIVE.
 */
public final class SubnetManager {
    private static final int[] HERE = {};

    private final SmpOutput output;
    private final SubnetOptions options;
    private final SmpRequests requests;
    private final SubnetWriter writer;

    private final SmElection election;
    private final long portGuid;
    private @Nullable SubnetNotices notices;
    private List<String> contradictions = List.of();
    private SubnetTopology topology = new SubnetTopology();
    private @Nullable SubnetSnapshot routed;
    private @Nullable SubnetSnapshot snapshot;
    private Runnable next = () -> {};
    private boolean isSweeping;
    private boolean isSweepWanted;
    private boolean isRegroupWanted;
    private boolean isUp;
    private int depth;
    private int failures;
    private int sweeps;
    private long foreignKeys;
    private long nowNs;
    private long timerNs = Deadline.NEVER;

    /**
     * Creates a manager that does nothing before {@link #sweep}.
     *
     * @param output sends its datagrams
     * @param options of the subnet
     * @param portGuid GUID of its port
     */
    public SubnetManager(SmpOutput output, SubnetOptions options, long portGuid) {
        this.output = output;
        this.options = options;
        this.portGuid = portGuid;
        this.requests = new SmpRequests(output, options, (int) portGuid);
        this.election = new SmElection(options, portGuid);
        this.writer = new SubnetWriter(requests, options, this::answered);
    }

    // State

    /** {@return the state among the managers of the subnet} */
    public SmState state() {
        return election.state();
    }

    /** {@return number of requests for SMInfo that were dropped because their key is that of another subnet} */
    public long foreignKeys() {
        return foreignKeys;
    }

    /** {@return true for a master whose last heavy sweep ended without an unanswered or rejected request} */
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

    /**
     * {@return a line for each node, port and LID of the last heavy sweep, and for each link that contradicts another}
     */
    public List<String> describe() {
        List<String> lines = new ArrayList<>(TopologyText.lines(topology));
        lines.addAll(contradictions);
        return lines;
    }

    /**
     * {@return the links of a credit loop in the forwarding tables, as node and sending port, in the order of the
     * packets; none if there is no loop} Packets among channel adapters can block each other on a loop for ever.
     */
    public List<String> creditLoop() {
        SubnetSnapshot swept = snapshot;
        return swept == null
                ? List.of()
                : CreditLoop.find(swept.topology(), swept.routes()).stream()
                        .map(TopologyText::name)
                        .toList();
    }

    /** What the administrator answers from; null before the first sweep as master has ended. */
    @Nullable
    public SubnetSnapshot snapshot() {
        return snapshot;
    }

    public SubnetOptions options() {
        return options;
    }

    /** The further GUIDs of ports. */
    public AliasGuids aliases() {
        return writer.aliases();
    }

    /** Called once, before the first sweep. Returns what makes notices. */
    public SubnetNotices listen(SubnetListener listener) {
        SubnetNotices made = new SubnetNotices(listener);
        notices = made;
        return made;
    }

    // Orders

    /**
     * Sets the members of a multicast group. {@link #regroup} or the next heavy sweep routes it.
     *
     * @param mlid multicast LID
     * @param portGuids of the members; none ends the group
     * @throws RdmaException EINVAL for a LID that is no multicast LID
     */
    public void group(int mlid, Set<Long> portGuids) {
        if (!Lid.isMulticast(mlid)) {
            throw new RdmaException(Errno.EINVAL, "0x" + Integer.toHexString(mlid) + " is no multicast LID");
        }
        group(mlid, new MulticastTrees.Members(portGuids, Set.of()));
    }

    public void group(int mlid, MulticastTrees.Members ports) {
        writer.group(mlid, ports);
    }

    /**
     * Routes the groups whose members have changed, and writes their tables, after a present sweep. A manager that is
     * not master does nothing.
     *
     * @param timeNs now
     */
    public void regroup(long timeNs) {
        enter(timeNs);
        isRegroupWanted = true;
        leave();
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
        return Deadline.earlier(requests.nextNs(), isSweeping ? Deadline.NEVER : timerNs);
    }

    /**
     * Repeats requests, and begins a light sweep or polls the master if it is due.
     *
     * @param timeNs now
     */
    public void advance(long timeNs) {
        enter(timeNs);
        requests.expire();
        if (!isSweeping && Deadline.isDue(timerNs, timeNs)) {
            switch (election.state()) {
                case MASTER -> lightSweep();
                case STANDBY -> poll();
                case DISCOVERING -> isSweepWanted = true;
                case NOT_ACTIVE -> timerNs = Deadline.NEVER;
            }
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
     * @return false for a response to another program of the node, and for a request for another attribute
     */
    public boolean receive(MemorySegment memory, long offset, int sourceLid, long timeNs) {
        enter(timeNs);
        boolean isTaken = true;
        if (Mad.isResponse(memory, offset)) {
            isTaken = requests.receive(memory, offset);
        } else if (Mad.METHOD.getInt(memory, offset) == MadMethod.TRAP.code()) {
            trap(memory, offset);
        } else if (Mad.ATTRIBUTE_ID.getInt(memory, offset) == MadAttribute.SM_INFO.attributeId()) {
            smInfo(memory, offset, sourceLid);
        } else {
            isTaken = false;
        }
        leave();
        return isTaken;
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
        Smp.M_KEY.put(mad, 0, options.managementKey().key());
        output.send(mad, Notice.ISSUER_LID.getInt(memory, offset + Smp.DATA));
        if (election.state() != SmState.MASTER) {
            return;
        }
        if (notices != null) {
            notices.forward(memory, offset, snapshot, nowNs);
        }
        int number = Notice.TRAP_NUMBER.getInt(memory, offset + Smp.DATA);
        isSweepWanted |= number == TrapDetails.LINK_STATE_CHANGE || number == TrapDetails.CAPABILITY_CHANGE;
    }

    /** Answers a request for SMInfo. A Set is a command of another manager. */
    private void smInfo(MemorySegment memory, long offset, int sourceLid) {
        if (election.isForeign(memory, offset + Smp.DATA)) {
            foreignKeys++;
            return;
        }
        MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);
        MemorySegment.copy(memory, offset, mad, 0, Mad.BYTES);
        boolean isSet = Mad.METHOD.getInt(mad, 0) == MadMethod.SET.code();
        boolean isDirected = Mad.MGMT_CLASS.getInt(mad, 0) == MadClass.SUBN_DIRECTED_ROUTE.code();
        boolean isGood =
                !isSet || obey(Mad.ATTRIBUTE_MODIFIER.getInt(mad, 0), SmState.of(SmInfo.STATE.getInt(mad, Smp.DATA)));
        Mad.METHOD.put(mad, 0, MadMethod.GET.responseCode());
        Mad.STATUS.put(
                mad, 0, (isGood ? MadStatus.SUCCESS : MadStatus.BAD_FIELD) | (isDirected ? MadStatus.DIRECTION : 0));
        putSmInfo(mad, keyFor(SmInfo.SM_KEY.get(mad, Smp.DATA)));
        output.send(mad, isDirected ? Lid.PERMISSIVE : sourceLid);
    }

    /**
     * Only a sender that has the SM_Key gets it; the default key is no secret, and OpenSM ignores managers without it.
     */
    private long keyFor(long keyOfSender) {
        long key = options.smKey();
        return key == keyOfSender || key == SubnetOptions.DEFAULT.smKey() ? key : 0;
    }

    /** Writes the SMInfo of this manager. */
    private void putSmInfo(MemorySegment mad, long key) {
        mad.asSlice(Smp.DATA, Smp.DATA_BYTES).fill((byte) 0);
        SmInfo.GUID.put(mad, Smp.DATA, portGuid);
        SmInfo.SM_KEY.put(mad, Smp.DATA, key);
        SmInfo.ACT_COUNT.put(mad, Smp.DATA, requests.sent());
        SmInfo.PRIORITY.put(mad, Smp.DATA, options.priority());
        SmInfo.STATE.put(mad, Smp.DATA, election.state().ordinal());
    }

    /** Returns false for a command that this state does not allow. */
    private boolean obey(int command, @Nullable SmState sender) {
        SmState before = election.state();
        SmState ordered = election.ordered(command, sender);
        if (ordered == null) {
            return false;
        }
        election.state(ordered);
        if (command == SmElection.HANDOVER && ordered == SmState.MASTER) {
            writer.forget(before == SmState.MASTER);
        }
        switch (ordered) {
            case MASTER, DISCOVERING -> isSweepWanted |= command != SmElection.ACKNOWLEDGE;
            case STANDBY -> timerNs = nowNs;
            case NOT_ACTIVE -> timerNs = Deadline.NEVER;
        }
        return true;
    }

    // Election

    private void elect(SubnetDiscovery discovery) {
        failures += discovery.lost();
        contradictions = discovery.contradictions();
        List<SmElection.Rival> rivals = new ArrayList<>();
        for (SmPort port : discovery.found().ends()) {
            SmElection.Rival rival = port.smInfo == null ? null : election.read(port.smInfo, 0, port.path);
            if (rival != null) {
                rivals.add(rival);
            }
        }
        switch (election.decide(rivals)) {
            case LEAD -> configure(discovery.found());
            case FOLLOW -> lose(SmState.STANDBY);
            case HAND_OVER -> handOver();
            case WAIT -> failures++; // the next light sweep begins another one
        }
    }

    private void lose(SmState next) {
        boolean wasMaster = election.state() == SmState.MASTER;
        election.state(next);
        snapshot = null;
        routed = null;
        if (wasMaster && notices != null) {
            notices.handedOver();
        }
    }

    private void handOver() {
        SmElection.Rival rival = election.rival();
        if (rival != null) {
            MemorySegment mad = requests.setManager(rival.path(), SmElection.HANDOVER);
            putSmInfo(mad, options.smKey());
            requests.send(mad, answer -> {
                answered(answer);
                if (SmpRequests.isGood(answer)) {
                    lose(SmState.STANDBY);
                }
            });
        }
    }

    /** Asks the master whether it is alive. */
    private void poll() {
        timerNs = Deadline.after(nowNs, options.pollIntervalNs());
        SmElection.Rival rival = election.rival();
        if (rival == null) {
            isSweepWanted = true;
        } else {
            requests.getManager(rival.path(), mad -> polled(rival, mad));
        }
    }

    private void polled(SmElection.Rival rival, @Nullable MemorySegment mad) {
        if (election.state() != SmState.STANDBY) {
            return;
        }
        SmElection.Rival answer =
                mad != null && SmpRequests.isGood(mad) ? election.read(mad, Smp.DATA, rival.path()) : null;
        if (election.polled(answer)) {
            isSweepWanted = true;
        } else if (answer != null && election.mustYield(answer)) {
            requests.get(HERE, MadAttribute.PORT_INFO, 0, this::announce);
        }
    }

    /** Tells the master by a trap that a higher manager is there. The next poll repeats it. */
    private void announce(@Nullable MemorySegment portInfo) {
        int master = portInfo == null ? 0 : PortInfoAttribute.MASTER_SM_LID.getInt(portInfo, Smp.DATA);
        if (portInfo == null || master == 0) {
            return;
        }
        output.send(SubnetNotices.priorityTrap(portInfo, requests.newTransactionId()), master);
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
            } else if (isRegroupWanted) {
                regroup();
            } else {
                return;
            }
        }
    }

    private void answered(@Nullable MemorySegment mad) {
        if (!SmpRequests.isGood(mad)) {
            failures++;
            isSweepWanted |= !isSweeping;
        }
    }

    private void regroup() {
        isRegroupWanted = false;
        SubnetSnapshot present = snapshot;
        if (present != null) {
            snapshot = writer.regroup(present);
            routed = snapshot;
        }
    }

    private void begin() {
        isSweepWanted = false;
        if (election.state() == SmState.NOT_ACTIVE) {
            return;
        }
        if (election.state() == SmState.STANDBY) {
            election.state(SmState.DISCOVERING);
        }
        isSweeping = true;
        failures = 0;
        sweeps++;
        SubnetDiscovery discovery = new SubnetDiscovery(requests);
        next = () -> elect(discovery);
        discovery.begin();
    }

    private void configure(SubnetTopology found) {
        topology = found;
        if (topology.ends().isEmpty()) {
            failures++; // the port of the manager is down
            lose(SmState.DISCOVERING);
            return;
        }
        if (election.state() != SmState.MASTER) {
            election.state(SmState.MASTER);
            writer.forget(false);
        }
        int top = writer.configure(topology);
        next = () -> route(top);
    }

    private void route(int topLid) {
        routed = writer.route(topology, topLid);
        next = this::arm;
    }

    private void arm() {
        writer.advance(topology, PortState.INIT, PortState.ARMED);
        next = this::activate;
    }

    private void activate() {
        writer.advance(topology, PortState.ARMED, PortState.ACTIVE);
        next = this::end;
    }

    private void end() {
        isSweeping = false;
        isUp = failures == 0 && election.state() == SmState.MASTER;
        snapshot = routed;
        if (snapshot != null && notices != null && election.state() == SmState.MASTER) {
            notices.ended();
            if (isUp) {
                notices.swept(snapshot, nowNs);
            }
        }
        timerNs = election.state() == SmState.STANDBY ? nowNs : Deadline.after(nowNs, options.sweepIntervalNs());
        next = () -> {};
    }

    /** Asks each switch whether the state of a port has changed. */
    private void lightSweep() {
        timerNs = Deadline.after(nowNs, options.sweepIntervalNs());
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
