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
        RING
    }

    /** The ring from one end to the other. */
    private static final class Direction {
        final MemorySegment memory = Arena.ofAuto().allocate(LinkRing.BYTES, 64);
        final LinkWriter writer = new LinkWriter(memory);
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

    /** While true the link is not used, and waits. */
    boolean paused;

    /** While false the receiver wants to see packets, and the link is left. */
    boolean open = true;

    TestLink(Way way) {
        this.way = way;
    }

    /** Number of messages that were completed by the link. */
    int delivered() {
        delivery.moveTo(counters);
        ofA.sent.moveTo(counters);
        ofB.sent.moveTo(counters);
        return (int) counters.sends;
    }

    /** Delivers what {@code from} has posted, if there is a link. */
    void deliver(Endpoint from, Endpoint to, long nowNs) {
        if (way == Way.NONE || paused) {
            return;
        }
        if (way == Way.RING) {
            write(from, direction(from), nowNs);
        } else if (open) {
            from.engine.deliver(to.engine, delivery, inLoop);
            to.engine.raiseEvents();
        }
        from.engine.raiseEvents();
    }

    private Direction direction(Endpoint from) {
        return from.qpn == EnginePair.QPN_A ? ofA : ofB;
    }

    private void write(Endpoint from, Direction direction, long nowNs) {
        LinkWriter writer = direction.writer;
        if (direction.isWritten) {
            from.engine.deliver(writer, direction.sent, inLoop);
        }
        if (direction.isWritten && (!open || writer.isClosed())) {
            leave(from);
        }
        if (!direction.isWritten && open && from.engine.mayUseRing() && writer.isFree()) {
            long epoch = writer.begin();
            direction.reader = new LinkReader(direction.memory, epoch, writer.start());
            direction.isWritten = true;
            from.engine.deliver(writer, direction.sent, inLoop);
        }
        from.engine.watchRing(nowNs);
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
            close(from);
        }
        to.engine.raiseEvents();
    }

    /** True if messages of {@code from} wait in its ring. */
    boolean hasMessages(Endpoint from) {
        LinkReader reader = direction(from).reader;
        return reader != null && reader.hasMessage();
    }

    /** Closes the ring of a sender, if it is read. */
    void close(Endpoint from) {
        Direction direction = direction(from);
        LinkReader reader = direction.reader;
        if (reader != null) {
            reader.close();
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
        close(other);
    }
}
