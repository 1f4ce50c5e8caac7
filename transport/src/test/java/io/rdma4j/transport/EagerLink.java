// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import io.rdma4j.transport.port.EagerMessage;
import io.rdma4j.transport.port.LinkDelivery;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The way past packets between two engines: a link, or notes that a test may lose or hold before it delivers them. */
final class EagerLink {
    /** What becomes of a message that is handed over. */
    enum Way {
        /** There is no such way: packets it is. */
        NONE,
        /** The sender passes requests to the peer's engine, as within one port. */
        LINK,
        /** It becomes a note, which arrives between the packets, as between two processes. */
        NOTE
    }

    /** A note on its way. */
    static final class EagerFrame {
        final Endpoint to;
        final MemorySegment memory;
        final int bytes;
        final boolean isMessage;
        final boolean acknowledges;
        final boolean refuses;
        final int psn;
        final int packets;
        final int ackPsn;
        final int aeth;

        /** The packet that was sent before it; null if it had arrived by then. */
        private final @Nullable Parcel before;

        EagerFrame(Endpoint to, MemorySegment memory, int bytes, @Nullable Parcel before) {
            EagerMessage read = new EagerMessage();
            if (!read.read(memory, 0, bytes)) {
                throw new AssertionError("sent a note that cannot be read");
            }
            this.to = to;
            this.memory = memory;
            this.bytes = bytes;
            this.before = before;
            isMessage = read.isMessage();
            acknowledges = read.acknowledges();
            refuses = read.refuses();
            psn = read.psn;
            packets = read.packets();
            ackPsn = read.ackPsn();
            aeth = read.aeth();
        }

        /** {@code "message 100"}, {@code "message 100..103, ACK 7000"}, {@code "ACK 7000"}, {@code "refusal"}. */
        @Override
        public String toString() {
            List<String> parts = new ArrayList<>();
            if (isMessage) {
                parts.add("message " + psn + (packets > 1 ? ".." + (psn + packets - 1 & 0xFF_FFFF) : ""));
            }
            if (acknowledges) {
                parts.add("ACK " + ackPsn);
            }
            if (refuses) {
                parts.add("refusal");
            }
            return String.join(", ", parts);
        }
    }

    private final Way way;
    private final ScriptedNetwork network;
    private final List<EagerFrame> inFlight = new ArrayList<>();
    private final List<EagerFrame> sent = new ArrayList<>();
    private Predicate<EagerFrame> lost = note -> false;

    /** Messages that were handed over, by whatever way. */
    int sentEager;

    /** Whether the link is used by the owner of a loop. */
    boolean inLoop = true;

    private final LinkDelivery delivery = new LinkDelivery();

    /** While true there is no room for notes, and the link is not used. */
    boolean full;

    /** While false a receiver wants to see packets, and the link is not used. */
    boolean open = true;

    EagerLink(Way way, ScriptedNetwork network) {
        this.way = way;
        this.network = network;
    }

    /** Delivers what {@code from} has posted, if there is a link. */
    void deliver(Endpoint from, Endpoint to) {
        if (way == Way.LINK && open && !full) {
            long before = delivery.messages();
            from.engine.deliver(to.engine, delivery, inLoop);
            from.engine.raiseEvents();
            to.engine.raiseEvents();
            sentEager += (int) (delivery.messages() - before);
        }
    }

    boolean sendEager(Endpoint from, Endpoint to, EagerMessage message) {
        if (way != Way.NOTE) {
            return false;
        }
        from.engine.acknowledgeBy(message);
        if (!write(to, message)) {
            return false;
        }
        from.engine.onAcknowledged(message);
        sentEager++;
        return true;
    }

    boolean answer(Endpoint to, EagerMessage message) {
        return way == Way.NOTE && write(to, message);
    }

    private boolean write(Endpoint to, EagerMessage message) {
        MemorySegment memory = Arena.ofAuto().allocate(message.eagerBytes(), Long.BYTES);
        if (full || !message.write(memory, 0)) {
            return false;
        }
        List<Parcel> packets = network.inFlight();
        post(new EagerFrame(to, memory, message.eagerBytes(), packets.isEmpty() ? null : packets.getLast()));
        return true;
    }

    /** Puts a note at the end of the line unless it gets lost. */
    void post(EagerFrame note) {
        sent.add(note);
        if (!lost.test(note)) {
            inFlight.add(note);
        }
    }

    /** From now on loses what fits. */
    void lose(Predicate<EagerFrame> which) {
        lost = which;
    }

    /** Notes that have not arrived. */
    List<EagerFrame> inFlight() {
        return inFlight;
    }

    /** All notes ever sent, lost or not. */
    List<EagerFrame> sent() {
        return sent;
    }

    /** Delivers those in front of which no packet is under way, at most {@code most}; returns how many. */
    int deliverDue(int most, long nowNs) {
        int done = 0;
        while (done < most && !inFlight.isEmpty() && isDue(inFlight.getFirst())) {
            deliverNext(nowNs);
            done++;
        }
        return done;
    }

    private boolean isDue(EagerFrame note) {
        return note.before == null || !network.inFlight().contains(note.before);
    }

    void deliverNext(long nowNs) {
        EagerFrame note = inFlight.removeFirst();
        note.to.onLocalMessage(note.memory, note.bytes, open, nowNs);
    }
}
