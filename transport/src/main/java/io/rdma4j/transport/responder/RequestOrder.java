// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.responder;

import io.rdma4j.base.Psn;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.port.LinkMessage;
import io.rdma4j.transport.port.PacketContext;
import io.rdma4j.transport.port.TransportContext;
import org.jspecify.annotations.Nullable;

/**
 * Classifies the request packets of a reliable connection by PSN (IBA 9.7.4.1.2, 9.7.5.1.3): expected, behind a gap, or
 * duplicate.
 */
final class RequestOrder {
    /** A packet this far in the past is certainly acknowledged; one twice as far would look like a future one. */
    private static final int LONG_AGO = 1 << 22;

    private final TransportContext context;

    /** Packets behind a gap; null until the first gap, and if the device keeps none. */
    private @Nullable ReorderBuffer held;

    private int expectedPsn;
    private int acknowledgedPsn;

    /** The peer was told to go back, so it need not be told again. */
    private boolean wentBack;

    /** Some packet behind the gap was dropped. */
    private boolean incomplete;

    RequestOrder(TransportContext context) {
        this.context = context;
    }

    /** Frees the held packets, which will not be processed. */
    void dropHeld() {
        if (held != null) {
            held.clear();
        }
    }

    /** Sets the first expected PSN. */
    void startAt(int firstPsn) {
        expectedPsn = firstPsn;
        acknowledgedPsn = Psn.previous(firstPsn);
    }

    int expectedPsn() {
        return expectedPsn;
    }

    /**
     * The PSN of an acknowledgement: the last executed packet that has no response of its own. It is not the PSN of a
     * READ or atomic, even if all before it is acknowledged as well: the requester would take that for the response,
     * which may be lost.
     */
    int acknowledgedPsn() {
        return acknowledgedPsn;
    }

    /**
     * Classifies a packet: expected, ahead of a missing one, or duplicate; of a train that begins with duplicates the
     * rest is processed.
     */
    Verdict check(PacketContext packet) {
        int ahead = Psn.distance(packet.psn, expectedPsn);
        if (ahead > 0) {
            return onGap(packet, ahead);
        }
        if (ahead < 0) {
            if (packet.packets <= -ahead) {
                context.counters().duplicateRequests += packet.packets;
                return Verdict.DUPLICATE;
            }
            context.counters().duplicateRequests -= ahead;
            packet.dropFirst(-ahead);
        }
        wentBack = false;
        return Verdict.PASS;
    }

    private Verdict onGap(PacketContext packet, int ahead) {
        context.counters().outOfSequenceRequests++;
        if (!wentBack && !hasGap()) {
            incomplete = false;
        }
        boolean kept = keep(packet, ahead);
        incomplete |= !kept;
        if (!wentBack) {
            return Verdict.SEQUENCE_ERROR;
        }
        return kept ? Verdict.HELD : Verdict.DROP;
    }

    private boolean keep(PacketContext packet, int ahead) {
        ReorderBuffer buffer = held;
        if (buffer == null && context.options().placesOutOfOrder()) {
            buffer = new ReorderBuffer(context);
            held = buffer;
        }
        return buffer != null && buffer.keep(packet, ahead);
    }

    /**
     * Advances after a packet was executed.
     *
     * @param nextPsn the PSN that must follow
     * @param hasOwnAnswer true if an acknowledgement does not cover the packet
     */
    void advanceTo(int nextPsn, boolean hasOwnAnswer) {
        expectedPsn = nextPsn;
        if (!hasOwnAnswer) {
            acknowledgedPsn = Psn.previous(nextPsn);
        } else if (Psn.distance(nextPsn, acknowledgedPsn) > LONG_AGO) {
            acknowledgedPsn = Psn.add(nextPsn, -LONG_AGO);
        }
    }

    /** Advances after a message of a link with the expected PSN was executed; no packet is held behind it. */
    void take(LinkMessage message) {
        wentBack = false;
        acknowledgedPsn = message.lastPsn();
        expectedPsn = Psn.next(acknowledgedPsn);
    }

    /** Advances by PSNs that messages of the peer own which it has stored itself. */
    void pass(int packets) {
        wentBack = false;
        expectedPsn = Psn.add(expectedPsn, packets);
        acknowledgedPsn = Psn.previous(expectedPsn);
    }

    /** Notes that the peer is told to go back to the expected packet; packets behind it are not reported again. */
    void goBack() {
        wentBack = true;
    }

    /** The next held packet if it has the expected PSN, to be freed by the caller; null if there is none. */
    @Nullable
    SkBuff takeDue() {
        return held == null ? null : held.takeDue(expectedPsn);
    }

    /** True if there is a known gap, and packets behind it are held. */
    boolean hasGap() {
        return held != null && !held.isEmpty();
    }

    /** True if the peer need not retransmit any packet behind the last gap. */
    boolean isWhole() {
        return !incomplete && !hasGap();
    }
}
