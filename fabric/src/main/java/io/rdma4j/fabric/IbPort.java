// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.device.PhysicalState;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.wire.ib.Lid;
import io.rdma4j.wire.ib.Lrh;
import org.jspecify.annotations.Nullable;

/**
 * A port with a link: its states, its input buffers, and the checks of packets that arrive. The logical state follows
 * the rules of IBA 7.2: a subnet manager moves it from Initialize over Armed to Active, and an armed port becomes
 * active by itself when the first packet that is not of subnet management arrives. One thread at a time.
 */
public final class IbPort {
    /** Buffer of VL15, which has no credits, in blocks. */
    private static final int MANAGEMENT_BLOCKS = 512;

    private static final int DEFAULT_STALL_COUNT = 7;
    private static final int DATA_LANES = 15;

    private final FabricParts parts;
    private final IbNode node;
    private final int number;
    private final PortCounts counts = new PortCounts();
    private final LaneCredits[] credits = new LaneCredits[Lrh.LANES];
    private final LaneQueue[] queues = new LaneQueue[Lrh.LANES];
    private final PortSender sender;
    private final PartitionFilter partitions = new PartitionFilter();
    private final FabricEvent takingDown = new FabricEvent() {
        @Override
        void fire() {
            takeDown();
        }
    };

    private final End end = new End();

    private @Nullable IbLink link;
    private @Nullable LinkDirection direction;
    private PortState state = PortState.DOWN;
    private PhysicalState physicalState = PhysicalState.POLLING;
    private PhysicalState downState = PhysicalState.POLLING;
    private LinkModes supported = LinkModes.X4_SDR;
    private LinkModes enabled = LinkModes.X4_SDR;
    private Mtu mtuCap = Mtu.MTU_4096;
    private Mtu neighborMtu = Mtu.MTU_4096;
    private int lanes = DATA_LANES;
    private long headOfQueueLifeNs = FabricParts.FOREVER;
    private int stallCount = DEFAULT_STALL_COUNT;

    IbPort(FabricParts parts, IbNode node, int number) {
        this.parts = parts;
        this.node = node;
        this.number = number;
        for (int lane = 0; lane < Lrh.LANES; lane++) {
            credits[lane] = new LaneCredits();
            queues[lane] = new LaneQueue(end, parts, number, lane, true);
        }
        this.sender = new PortSender(this);
    }

    /** The port as its link and its queues see it. */
    private final class End implements LinkEnd, LaneQueue.Owner {
        @Override
        public boolean isPolling() {
            return physicalState == PhysicalState.POLLING;
        }

        @Override
        public LinkModes modes() {
            return enabled;
        }

        @Override
        public boolean isInitializing() {
            return state == PortState.INIT;
        }

        @Override
        public void linkUp() {
            comeUp();
        }

        @Override
        public void linkDown() {
            goDown();
        }

        @Override
        public void unlinked() {
            link = null;
            direction = null;
        }

        @Override
        public void announceAll() {
            for (int lane = 0; lane < lanes; lane++) {
                announce(lane);
            }
        }

        @Override
        public void arrive(IbPacket packet) {
            accept(packet);
        }

        @Override
        public void limitsArrived() {
            sender.transmit();
        }

        @Override
        public LaneCredits credits(int lane) {
            return credits[lane];
        }

        @Override
        public PortCounts counts() {
            return counts;
        }

        @Override
        public void route(LaneQueue queue, IbPacket packet) {
            node.route(queue, packet);
        }

        @Override
        public long lifeNs() {
            return node.lifeNs();
        }

        @Override
        public void freed(int lane, int blocks) {
            credits[lane].freed(blocks);
            announce(lane);
        }
    }

    // Parts

    LinkEnd end() {
        return end;
    }

    LaneQueue.Owner owner() {
        return end;
    }

    FabricParts parts() {
        return parts;
    }

    PortSender sender() {
        return sender;
    }

    LaneCredits credits(int lane) {
        return credits[lane];
    }

    LinkDirection direction() {
        if (direction == null) {
            throw new IllegalStateException("the port has no link");
        }
        return direction;
    }

    private IbLink requireLink() {
        if (link == null) {
            throw new IllegalStateException("the port has no link");
        }
        return link;
    }

    /** {@return the number of the port, from 1} */
    public int number() {
        return number;
    }

    /** {@return the counters} */
    public PortCounts counts() {
        return counts;
    }

    /** {@return the P_Keys that the port enforces, and its filters of raw packets} */
    public PartitionFilter partitions() {
        return partitions;
    }

    // Settings

    /** {@return the widths and speeds that the port has} */
    public LinkModes supported() {
        return supported;
    }

    /**
     * Sets the widths and speeds that the port has; all are enabled.
     *
     * @param modes of the port; a link uses the best that both ends have
     * @throws RdmaException EBUSY if the port has a link
     */
    public void supported(LinkModes modes) {
        requireNoLink();
        supported = modes;
        enabled = modes;
    }

    /** {@return the widths and speeds with which the link may come up} */
    public LinkModes enabled() {
        return enabled;
    }

    /**
     * Sets the widths and speeds with which the link may come up the next time.
     *
     * @param modes some of {@link #supported}
     */
    public void enabled(LinkModes modes) {
        enabled = modes;
    }

    /** {@return the width and the speed of the link; null if it is down} */
    public @Nullable LinkModes active() {
        return link == null || !isLinkUp() ? null : link.active();
    }

    /** {@return {@code MTUCap}: the largest payload that the port has buffers for} */
    public Mtu mtuCap() {
        return mtuCap;
    }

    /**
     * Sets the largest payload that the port has buffers for, and sends at first.
     *
     * @param mtu of the port
     */
    public void mtuCap(Mtu mtu) {
        mtuCap = mtu;
        neighborMtu = mtu;
    }

    /** {@return the largest payload that the port sends} */
    public Mtu neighborMtu() {
        return neighborMtu;
    }

    /**
     * Sets the largest payload that the port sends.
     *
     * @param mtu not above that of the other end
     */
    public void neighborMtu(Mtu mtu) {
        neighborMtu = mtu;
    }

    /** {@return the number of data lanes in use} */
    public int lanes() {
        return lanes;
    }

    /**
     * Sets the number of data lanes in use, {@code OperationalVLs}. Takes effect when the link comes up.
     *
     * @param count 1, 2, 4, 8 or 15
     * @throws RdmaException EINVAL for another number
     */
    public void lanes(int count) {
        if (count != DATA_LANES && (count < 1 || count > 8 || Integer.bitCount(count) != 1)) {
            throw new RdmaException(Errno.EINVAL, "a port has 1, 2, 4, 8 or 15 data lanes, not " + count);
        }
        lanes = count;
    }

    /**
     * Sets the longest stay at the head of a lane, {@code HOQLife}, and the drops after which a lane is stalled.
     *
     * @param exponent of 4.096 µs; above 19 without limit
     * @param stallAfter {@code VLStallCount}, 1..7
     * @throws RdmaException EINVAL for another number of drops
     */
    public void headOfQueueLife(int exponent, int stallAfter) {
        if (stallAfter < 1 || stallAfter > DEFAULT_STALL_COUNT) {
            throw new RdmaException(Errno.EINVAL, "a lane is stalled after 1..7 drops, not " + stallAfter);
        }
        headOfQueueLifeNs = FabricParts.lifeNs(exponent);
        stallCount = stallAfter;
    }

    /**
     * Writes an entry of an arbitration table.
     *
     * @param high the high table, or the low one
     * @param index 0..63
     * @param lane 0..14
     * @param weight units of 64 bytes; 0 skips the entry
     * @throws RdmaException EINVAL for a value out of range
     */
    public void arbitration(boolean high, int index, int lane, int weight) {
        if (index < 0 || index >= VlArbiter.ENTRIES || lane < 0 || lane >= DATA_LANES || weight < 0 || weight > 255) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "an arbitration table has entries 0..63 of lanes 0..14 with weights 0..255, not entry " + index
                            + ", lane " + lane + ", weight " + weight);
        }
        sender.arbiter().entry(high, index, lane, weight);
    }

    /**
     * {@return the lane of an entry of an arbitration table}
     *
     * @param high the high table, or the low one
     * @param index 0..63
     */
    public int arbitrationLane(boolean high, int index) {
        return sender.arbiter().lane(high, index);
    }

    /**
     * {@return the weight of an entry of an arbitration table}
     *
     * @param high the high table, or the low one
     * @param index 0..63
     */
    public int arbitrationWeight(boolean high, int index) {
        return sender.arbiter().weight(high, index);
    }

    /**
     * Sets how many bytes of the high table go before a waiting packet of the low one.
     *
     * @param units of 4096 bytes; 255 without limit
     */
    public void highLimit(int units) {
        sender.arbiter().limit(units);
    }

    long headOfQueueLifeNs() {
        return headOfQueueLifeNs;
    }

    int stallCount() {
        return stallCount;
    }

    // States

    /** {@return the logical state} */
    public PortState state() {
        return state;
    }

    /** {@return the physical state} */
    public PhysicalState physicalState() {
        return physicalState;
    }

    boolean isLinkUp() {
        return physicalState == PhysicalState.LINK_UP;
    }

    void requireNoLink() {
        if (link != null) {
            throw new RdmaException(Errno.EBUSY, "port " + number + " has a link already");
        }
    }

    void link(IbLink cable, LinkDirection output) {
        link = cable;
        direction = output;
    }

    /**
     * Sets the logical state as a subnet manager does.
     *
     * @param wanted NOP for no change; DOWN always; ARMED from INIT; ACTIVE from ARMED
     * @return false if the transition does not exist; the state is unchanged then
     */
    public boolean setState(PortState wanted) {
        if (wanted == PortState.NOP || wanted == state) {
            return true;
        }
        if (wanted == PortState.DOWN) {
            takeDown();
            return true;
        }
        boolean exists = wanted == PortState.ARMED && state == PortState.INIT
                || wanted == PortState.ACTIVE && state == PortState.ARMED;
        if (exists) {
            enter(wanted);
        }
        return exists;
    }

    /**
     * Sets the logical state to DOWN later, so that the answer to the request for it can still leave by the port.
     *
     * @param delayNs from now on
     */
    public void takeDownAfter(long delayNs) {
        parts.schedule().after(takingDown, delayNs);
    }

    private void takeDown() {
        if (link != null && isLinkUp()) {
            link.lose();
        }
    }

    /**
     * Sets the physical state as a subnet manager does. Disabled stays until polling is set.
     *
     * @param wanted SLEEP, POLLING or DISABLED
     * @throws RdmaException EINVAL for another state
     */
    public void setPhysicalState(PhysicalState wanted) {
        if (wanted.code() > PhysicalState.DISABLED.code()) {
            throw new RdmaException(Errno.EINVAL, "a port can be set to sleep, polling or disabled, not " + wanted);
        }
        downState = wanted;
        if (link == null) {
            physicalState = wanted;
        } else if (isLinkUp()) {
            link.lose();
        } else {
            physicalState = wanted;
            link.train();
        }
    }

    private void comeUp() {
        int blocks = requireLink().profile().bufferBlocks();
        for (int lane = 0; lane < Lrh.LANES; lane++) {
            credits[lane].reset(lane == Lrh.MANAGEMENT_LANE ? LaneCredits.UNLIMITED : blocks);
        }
        physicalState = PhysicalState.LINK_UP;
        enter(PortState.INIT);
    }

    private void goDown() {
        boolean wasUp = isLinkUp();
        physicalState = downState;
        if (!wasUp) {
            return;
        }
        counts.add(PortCount.LINK_DOWNED, 1);
        state = PortState.DOWN;
        sender.clear();
        node.stateChanged(number, state);
    }

    private void enter(PortState entered) {
        state = entered;
        node.stateChanged(number, state);
    }

    // Output

    /** Returns why the port does not send a packet; null if it does. */
    @Nullable
    DropReason refusal(IbPacket packet, int lane) {
        if (packet.isManagement()) {
            return isLinkUp() ? null : DropReason.INACTIVE;
        }
        if (state != PortState.ACTIVE) {
            return DropReason.INACTIVE;
        }
        if (packet.payloadBytes > neighborMtu.bytes()) {
            return DropReason.MTU;
        }
        if (!partitions.admitsOutbound(packet)) {
            return DropReason.OUTBOUND_CONSTRAINT;
        }
        return lane < lanes ? null : DropReason.NO_LANE;
    }

    // Input

    /** A packet has arrived over the link; the port owns it. */
    private void accept(IbPacket packet) {
        counts.received(packet);
        DropReason reason = refusalOnArrival(packet);
        LaneCredits lane = credits[packet.lane];
        if (reason != null) {
            lane.arrivedBad(packet.blocks);
        } else if (packet.isManagement() && lane.used() + packet.blocks > MANAGEMENT_BLOCKS) {
            reason = DropReason.MANAGEMENT_OVERRUN;
        } else if (!lane.arrived(packet.blocks)) {
            reason = DropReason.OVERRUN;
        }
        if (reason != null) {
            counts.drop(reason);
            tellOfPkey(reason, packet);
            parts.packets().give(packet);
            announce(packet.lane);
            return;
        }
        if (state == PortState.ARMED && !packet.isManagement()) {
            enter(PortState.ACTIVE);
        }
        queues[packet.lane].add(packet);
    }

    /** Tells the node of a packet that was dropped because of its P_Key; raw packets have none. */
    void tellOfPkey(DropReason reason, IbPacket packet) {
        boolean isConstraint = reason == DropReason.INBOUND_CONSTRAINT || reason == DropReason.OUTBOUND_CONSTRAINT;
        if (isConstraint && !packet.nextHeader.isRaw()) {
            node.pkeyRejected(number, packet);
        }
    }

    private @Nullable DropReason refusalOnArrival(IbPacket packet) {
        if (!admits(packet)) {
            return DropReason.STATE;
        }
        if (packet.isDamaged) {
            return DropReason.BAD_VCRC;
        }
        if (packet.lane >= lanes && !packet.isManagement()) {
            return DropReason.BAD_LANE;
        }
        boolean isToQp0 = packet.destinationQpn == 0;
        if (packet.isManagement() != isToQp0 || isToQp0 && !packet.isLocal()) {
            return DropReason.MANAGEMENT_LANE;
        }
        boolean isPermissive = packet.slid == Lid.PERMISSIVE && packet.isManagement();
        if (!Lid.isUnicast(packet.slid) && !isPermissive) {
            return DropReason.BAD_SLID;
        }
        return partitions.admitsInbound(packet) ? null : DropReason.INBOUND_CONSTRAINT;
    }

    private boolean admits(IbPacket packet) {
        return switch (state) {
            case INIT -> packet.isManagement();
            case ARMED, ACTIVE -> true;
            case NOP, DOWN, ACTIVE_DEFER -> false;
        };
    }

    private void announce(int lane) {
        if (credits[lane].isLimited() && isLinkUp()) {
            direction().announce(lane, credits[lane].announcedLimit());
        }
    }
}
