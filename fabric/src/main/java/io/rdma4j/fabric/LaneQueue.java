// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The packets of one virtual lane of an input port, or of an end port that sends: first in, first out. Only the first
 * packet may cross to an output port, so it blocks those behind it. The input buffer of a packet is free when all its
 * copies have been sent.
 */
final class LaneQueue {
    /** The port whose packets these are. */
    interface Owner {
        /** Decides on the first packet: takes it by {@link LaneQueue#take}, drops it, or lets it cross. */
        void route(LaneQueue queue, IbPacket packet);

        /** Longest stay of a packet in nanoseconds, or {@link FabricParts#FOREVER}. */
        long lifeNs();

        /** Blocks of the input buffer of a lane are free. */
        void freed(int lane, int blocks);
    }

    /** An output port. */
    interface Output {
        int number();

        PortCounts counts();

        /** Sends the first packet of the queue of the crossing, later by {@link LaneQueue#crossed}, or drops it. */
        void enqueue(Crossing crossing);

        /** Removes a crossing that waits; returns false if the port is sending its packet. */
        boolean withdraw(Crossing crossing);
    }

    /**
     * The way of the first packet to an output port: it waits there until the port sends it. A multicast packet has one
     * for each output port. Made once for each pair of queue and port.
     */
    static final class Crossing {
        final LaneQueue queue;
        final Output output;

        @Nullable
        Crossing next;

        /** Lane at the output port. */
        int lane;

        /** True while it waits at the output port, or the output port sends its packet. */
        private boolean isPending;

        private Crossing(LaneQueue queue, Output output) {
            this.queue = queue;
            this.output = output;
        }
    }

    private final Owner owner;
    private final FabricParts parts;
    private final int port;
    private final int lane;
    private final boolean isInput;
    private final List<@Nullable Crossing> crossings = new ArrayList<>();
    private final FabricEvent age = new FabricEvent() {
        @Override
        void fire() {
            tooOld();
        }
    };

    private @Nullable IbPacket first;
    private @Nullable IbPacket last;
    private int length;
    private int pending;
    private boolean isTaken;

    /**
     * Creates an empty queue.
     *
     * @param port number of the port
     * @param isInput true for packets that arrive over the link; false for those that the node itself sends
     */
    LaneQueue(Owner owner, FabricParts parts, int port, int lane, boolean isInput) {
        this.owner = owner;
        this.parts = parts;
        this.port = port;
        this.lane = lane;
        this.isInput = isInput;
    }

    /** Number of the port. */
    int port() {
        return port;
    }

    boolean isInput() {
        return isInput;
    }

    int length() {
        return length;
    }

    IbPacket head() {
        if (first == null) {
            throw new IllegalStateException("the queue is empty");
        }
        return first;
    }

    void add(IbPacket packet) {
        packet.next = null;
        if (last == null) {
            first = packet;
        } else {
            last.next = packet;
        }
        last = packet;
        length++;
        advance();
    }

    /** Routes the first packet, and the following ones while the node takes or drops them at once. */
    private void advance() {
        while (pending == 0 && first != null) {
            pending = 1; // the node routes the packet
            isTaken = false;
            owner.route(this, first);
            pending--;
            if (pending == 0 && !isTaken) {
                parts.packets().give(take());
            }
        }
        long lifeNs = owner.lifeNs();
        if (first != null && isInput && lifeNs != FabricParts.FOREVER) {
            parts.schedule().at(age, first.arrivesNs + lifeNs);
        }
    }

    /** Sends the first packet to an output port. It becomes pending there. */
    void cross(Output output, int outputLane) {
        Crossing crossing = crossing(output);
        crossing.lane = outputLane;
        crossing.isPending = true;
        pending++;
        output.enqueue(crossing);
    }

    private Crossing crossing(Output output) {
        while (crossings.size() <= output.number()) {
            crossings.add(null);
        }
        Crossing crossing = crossings.get(output.number());
        if (crossing == null) {
            crossing = new Crossing(this, output);
            crossings.set(output.number(), crossing);
        }
        return crossing;
    }

    /** The output port has sent or dropped its copy of the first packet. */
    void crossed(Crossing crossing) {
        crossing.isPending = false;
        release();
    }

    /** Removes the first packet if nothing holds it any more. */
    private void release() {
        pending--;
        if (pending == 0) {
            parts.packets().give(take());
            advance();
        }
    }

    /** Removes the first packet and frees its buffer. The caller owns the packet. */
    IbPacket take() {
        IbPacket taken = head();
        parts.schedule().cancel(age);
        isTaken = true;
        first = taken.next;
        taken.next = null;
        if (first == null) {
            last = null;
        }
        length--;
        if (isInput) {
            owner.freed(lane, taken.blocks);
        }
        return taken;
    }

    /** The first packet has stayed too long: its copies that still wait are dropped. */
    private void tooOld() {
        pending++; // keeps the packet until all its copies are dropped
        for (Crossing crossing : crossings) {
            if (crossing != null && crossing.isPending && crossing.output.withdraw(crossing)) {
                crossing.output.counts().drop(DropReason.LIFETIME);
                crossing.isPending = false;
                pending--;
            }
        }
        release();
    }
}
