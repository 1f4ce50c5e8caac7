// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import io.rdma4j.base.local.LinkRing;
import io.rdma4j.transport.port.LinkDelivery;
import io.rdma4j.transport.port.LinkReader;
import io.rdma4j.transport.port.LinkWriter;
import io.rdma4j.transport.port.TransportCounters;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The link of an {@link EnginePair}, as a device makes it. */
final class TestLink {
    /** How messages go. */
    enum Way {
        /** As packets. */
        NONE,
        /** Executed at the peer by the sender, as between two queue pairs of a port. */
        LINK,
        /** Through rings, as between two processes. */
        RING,
        /** Through rings, and WRITEs are stored into the memory of the peer. */
        STORE
    }

    /** Number of the protection domain of the queue pairs. */
    private static final int DOMAIN = 1;

    /** The ring from one end to the other. */
    private static final class Direction {
        final MemorySegment memory = Arena.ofAuto().allocate(LinkRing.BYTES, 64);
        final TestMemory target = new TestMemory();
        final LinkWriter writer = new LinkWriter(memory, target);
        final LinkDelivery sent = new LinkDelivery();
        final LinkDelivery taken = new LinkDelivery();
        boolean isWritten;

        @Nullable
        LinkReader reader;
    }

    private final Way way;
    private final LinkDelivery delivery = new LinkDelivery();
    private final Direction ofA = new Direction();
    private final Direction ofB = new Direction();
    private final TransportCounters counters = new TransportCounters();

    /** Whether the link is used by the owner of a loop. */
    boolean inLoop = true;

    private long stored;

    /** While true the link is not used, and waits. */
    boolean paused;

    /** While false the receiver wants to see packets, and the link is left. */
    boolean open = true;

    TestLink(Way way) {
        this.way = way;
    }

    /** Number of messages that were completed by the link. */
    int delivered() {
        stored += ofA.sent.stores() + ofB.sent.stores();
        delivery.moveTo(counters);
        ofA.sent.moveTo(counters);
        ofB.sent.moveTo(counters);
        return (int) counters.sends;
    }

    /** Number of messages that were stored, as of the last {@link #delivered}. */
    long stored() {
        return stored;
    }

    /** Delivers what {@code from} has posted, if there is a link. */
    void deliver(Endpoint from, Endpoint to, long nowNs) {
        if (way == Way.NONE || paused) {
            return;
        }
        if (hasRings()) {
            write(from, to, direction(from), nowNs);
        } else if (open) {
            from.engine.deliver(to.engine, delivery, inLoop);
            to.engine.raiseEvents();
        }
        from.engine.raiseEvents();
    }

    /** True if messages go through rings. */
    boolean hasRings() {
        return way == Way.RING || way == Way.STORE;
    }

    /** Publishes a region of an end to the other one. */
    void publish(Endpoint owner, int rkey, MemorySegment memory) {
        Direction to = owner.qpn == EnginePair.QPN_A ? ofB : ofA;
        to.target.add(DOMAIN, rkey, memory, memory.address());
    }

    /** Lets an end take note of what the other one has stored. */
    void pass(Endpoint to) {
        Direction from = to.qpn == EnginePair.QPN_A ? ofB : ofA;
        if (from.reader != null) {
            to.engine.passStores(from.reader, from.taken);
        }
    }

    private Direction direction(Endpoint from) {
        return from.qpn == EnginePair.QPN_A ? ofA : ofB;
    }

    private void write(Endpoint from, Endpoint to, Direction direction, long nowNs) {
        LinkWriter writer = direction.writer;
        permitStores(direction, to);
        if (direction.isWritten) {
            from.engine.complete(writer, direction.sent);
            from.engine.deliver(writer, direction.sent, inLoop);
        }
        if (direction.isWritten && (!open || writer.isClosed())) {
            leave(from);
        }
        if (!direction.isWritten && open && from.engine.mayUseRing() && writer.isFree()) {
            long epoch = writer.begin();
            direction.reader = new LinkReader(direction.memory, epoch, writer.start());
            direction.isWritten = true;
            permitStores(direction, to);
            from.engine.deliver(writer, direction.sent, inLoop);
        }
        from.engine.watchRing(nowNs);
    }

    private void permitStores(Direction direction, Endpoint to) {
        LinkReader reader = direction.reader;
        if (way == Way.STORE && reader != null && !reader.permitsStores() && to.engine.permitsWrites()) {
            reader.permitStores(DOMAIN, to.settings.mtu.bytes());
        }
    }

    /** Ends the use of the ring by its sender. */
    void leave(Endpoint from) {
        from.engine.leaveRing();
        direction(from).isWritten = false;
    }

    /** Takes the messages for {@code to} out of the ring, or closes it. */
    void take(Endpoint from, Endpoint to) {
        Direction direction = direction(from);
        LinkReader reader = direction.reader;
        if (reader == null || !reader.hasMessage()) {
            return;
        }
        boolean taken = open
                && (!inLoop && to.engine.take(reader, direction.taken, false)
                        || to.engine.take(reader, direction.taken, true));
        if (!taken) {
            close(from, to);
        }
        to.engine.raiseEvents();
    }

    /** True if {@code from} uses its ring. */
    boolean isWritten(Endpoint from) {
        return direction(from).isWritten;
    }

    /** True if messages of {@code from} wait in its ring. */
    boolean hasMessages(Endpoint from) {
        LinkReader reader = direction(from).reader;
        return reader != null && reader.hasMessage();
    }

    /** Closes the ring of a sender, if it is read. */
    void close(Endpoint from, Endpoint to) {
        Direction direction = direction(from);
        LinkReader reader = direction.reader;
        if (reader != null) {
            reader.close();
            pass(to);
            direction.reader = null;
        }
    }

    /** True if no message waits in a ring, and no acknowledgement. */
    boolean isQuiet() {
        return paused || isQuiet(ofA) && isQuiet(ofB);
    }

    private static boolean isQuiet(Direction direction) {
        LinkReader reader = direction.reader;
        return (reader == null || !reader.hasMessage()) && !(direction.isWritten && direction.writer.hasNews());
    }

    /** Ends the use of the rings by an end. */
    void dissolve(Endpoint end, Endpoint other) {
        leave(end);
        close(other, end);
    }
}
