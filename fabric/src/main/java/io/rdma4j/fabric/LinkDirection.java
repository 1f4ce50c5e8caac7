// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

import io.rdma4j.wire.ib.LinkPacket;
import io.rdma4j.wire.ib.Lrh;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a link: the packets and the limits of flow control between two ports. Both arrive in the order in
 * which they were sent.
 */
final class LinkDirection {
    /** Longest time between two link packets of a lane: 65,536 symbols. */
    static final long FLOW_CONTROL_INTERVAL_NS = 262_144;

    private static final long PICOS_PER_NANO = 1000;
    private static final int LIMITS_OF_LANE = 16;
    private static final int LIMITS = LIMITS_OF_LANE * Lrh.LANES;

    private final LinkEnd from;
    private final LinkEnd to;
    private final IbLinkProfile profile;
    private final boolean isFromFirst;
    private final EventSchedule schedule;
    private final FabricParts parts;
    private final long[] limitNs = new long[LIMITS];
    private final int[] limitLane = new int[LIMITS];
    private final int[] limitValue = new int[LIMITS];
    private final FabricEvent arrival = new FabricEvent() {
        @Override
        void fire() {
            packetArrives();
        }
    };
    private final FabricEvent limitArrival = new FabricEvent() {
        @Override
        void fire() {
            limitsArrive();
        }
    };
    private final FabricEvent repetition = new FabricEvent() {
        @Override
        void fire() {
            repeatLimits();
        }
    };

    private @Nullable IbPacket first;
    private @Nullable IbPacket last;
    private int firstLimit;
    private int limits;
    private int lostLanes;
    private long picosPerByte;

    LinkDirection(FabricParts parts, LinkEnd from, LinkEnd to, IbLinkProfile profile, boolean isFromFirst) {
        this.from = from;
        this.to = to;
        this.profile = profile;
        this.isFromFirst = isFromFirst;
        this.parts = parts;
        this.schedule = parts.schedule();
    }

    /** Sets the time of a byte; 0 for an unlimited rate. */
    void rate(long picos) {
        picosPerByte = picos;
    }

    /** Returns the time at which the last byte of a packet is sent if the first one is sent now. */
    long endNs(IbPacket packet) {
        return schedule.nowNs() + Math.ceilDiv(packet.bytesOnLink() * picosPerByte, PICOS_PER_NANO);
    }

    void send(IbPacket packet, long endNs) {
        if (profile.makesBytes()) {
            parts.wire().pass(packet, profile.noise(), isFromFirst);
        }
        packet.arrivesNs = endNs + profile.latencyNs();
        packet.next = null;
        if (last == null) {
            first = packet;
            schedule.at(arrival, packet.arrivesNs);
        } else {
            last.next = packet;
        }
        last = packet;
    }

    private void packetArrives() {
        IbPacket packet = first;
        if (packet == null) {
            return;
        }
        first = packet.next;
        packet.next = null;
        if (first == null) {
            last = null;
        } else {
            schedule.at(arrival, first.arrivesNs);
        }
        to.arrive(packet);
    }

    /** Announces the limit of a lane, which the receiver side of {@code from} has computed. */
    void announce(int lane, int limit) {
        if (profile.makesBytes() && !passes(lane, limit)) {
            lostLanes |= 1 << lane;
            if (!repetition.isScheduled()) {
                schedule.after(repetition, FLOW_CONTROL_INTERVAL_NS);
            }
            return;
        }
        lostLanes &= ~(1 << lane);
        int slot = slot(lane, schedule.nowNs() + profile.latencyNs());
        limitLane[slot] = lane;
        limitValue[slot] = limit;
        if (!limitArrival.isScheduled()) {
            schedule.at(limitArrival, limitNs[firstLimit]);
        }
    }

    private boolean passes(int lane, int limit) {
        int operation = from.isInitializing() ? LinkPacket.INIT : LinkPacket.NORMAL;
        return parts.wire()
                .passLinkPacket(operation, from.credits(lane).blocksSent(), lane, limit, profile.noise(), isFromFirst);
    }

    /**
     * Returns the slot of a limit. Limits of a lane with the same time fall together; so do those above the number of
     * slots of a lane, which arrive a little early then.
     */
    private int slot(int lane, long atNs) {
        int ofLane = 0;
        int latest = 0;
        for (int i = 0; i < limits; i++) {
            int slot = (firstLimit + i) % LIMITS;
            if (limitLane[slot] == lane) {
                ofLane++;
                latest = slot;
            }
        }
        if (ofLane > 0 && (limitNs[latest] == atNs || ofLane == LIMITS_OF_LANE)) {
            return latest;
        }
        int added = (firstLimit + limits) % LIMITS;
        limitNs[added] = atNs;
        limits++;
        return added;
    }

    private void limitsArrive() {
        while (limits > 0 && limitNs[firstLimit] <= schedule.nowNs()) {
            to.credits(limitLane[firstLimit]).limit(limitValue[firstLimit]);
            firstLimit = (firstLimit + 1) % LIMITS;
            limits--;
        }
        if (limits > 0) {
            schedule.at(limitArrival, limitNs[firstLimit]);
        }
        to.limitsArrived();
    }

    /** Sends limits again that were lost, as the other end does all the time. Limits are absolute. */
    private void repeatLimits() {
        for (int lane = 0; lane < Lrh.LANES; lane++) {
            if ((lostLanes >>> lane & 1) != 0) {
                announce(lane, from.credits(lane).announcedLimit());
            }
        }
    }

    /** The link is down: drops what is under way. */
    void clear() {
        while (first != null) {
            IbPacket packet = first;
            first = packet.next;
            from.counts().drop(DropReason.INACTIVE);
            parts.packets().give(packet);
        }
        last = null;
        limits = 0;
        lostLanes = 0;
        schedule.cancel(arrival);
        schedule.cancel(limitArrival);
        schedule.cancel(repetition);
    }
}
