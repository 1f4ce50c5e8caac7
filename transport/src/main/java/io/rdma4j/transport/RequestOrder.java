package io.rdma4j.transport;

import io.rdma4j.base.Psn;
import io.rdma4j.packet.SkBuff;
import org.jspecify.annotations.Nullable;

/**
 * Whose turn it is among the request packets of a reliable connection (IBA 9.7.4.1.2, 9.7.5.1.3): the next one, one behind a
 * gap, or an old one.
 */
final class RequestOrder {
    /** A packet so long ago is acknowledged for sure; one twice as long ago would look like one to come. */
    private static final int LONG_AGO = 1 << 22;

    private final TransportCounters counters;
    private final HeldPackets held;

    private int expectedPsn;
    private int acknowledgedPsn;

    /** The peer was told that it must go back, so it need not be told again. */
    private boolean wentBack;

    /** Some packet behind the gap was dropped. */
    private boolean incomplete;

    RequestOrder(TransportContext context) {
        this.counters = context.counters();
        this.held = new HeldPackets(context);
    }

    /** The turn of what is held will not come. */
    void dropHeld() {
        held.clear();
    }

    /** Sets the first PSN expected. */
    void startAt(int firstPsn) {
        expectedPsn = firstPsn;
        acknowledgedPsn = Psn.previous(firstPsn);
    }

    int expectedPsn() {
        return expectedPsn;
    }

    /**
     * The packet that an acknowledgement names: the last one carried out that has no answer of its own. Not the number of a READ or
     * atomic, even if all before it is acknowledged as well: the requester would have to take that for the answer, which may be lost.
     */
    int acknowledgedPsn() {
        return acknowledgedPsn;
    }

    /** The next packet, a missing one before it, or an old one; of a train that begins before its turn the rest counts. */
    Verdict check(PacketContext packet) {
        int ahead = Psn.distance(packet.psn, expectedPsn);
        if (ahead > 0) {
            return onGap(packet, ahead);
        }
        if (ahead < 0) {
            if (packet.packets <= -ahead) {
                counters.duplicateRequests += packet.packets;
                return Verdict.DUPLICATE;
            }
            counters.duplicateRequests -= ahead;
            packet.dropFirst(-ahead);
        }
        wentBack = false;
        return Verdict.PASS;
    }

    private Verdict onGap(PacketContext packet, int ahead) {
        counters.outOfSequenceRequests++;
        if (!wentBack && held.isEmpty()) {
            incomplete = false;
        }
        boolean kept = held.keep(packet, ahead);
        incomplete |= !kept;
        if (!wentBack) {
            return Verdict.SEQUENCE_ERROR;
        }
        return kept ? Verdict.HELD : Verdict.DROP;
    }

    /**
     * A packet was carried out.
     *
     * @param nextPsn the one that must follow
     * @param hasOwnAnswer an acknowledgement does not speak for it
     */
    void advanceTo(int nextPsn, boolean hasOwnAnswer) {
        expectedPsn = nextPsn;
        if (!hasOwnAnswer) {
            acknowledgedPsn = Psn.previous(nextPsn);
        } else if (Psn.distance(nextPsn, acknowledgedPsn) > LONG_AGO) {
            acknowledgedPsn = Psn.add(nextPsn, -LONG_AGO);
        }
    }

    /** A message that was the next one, and nothing behind it is held, was carried out. */
    void take(WholeMessage message) {
        wentBack = false;
        advanceTo(Psn.next(message.lastPsn()), /* hasOwnAnswer= */ false);
    }

    /**
     * The peer is told to go back to the packet expected: those behind it are no news.
     *
     * @return false if it was told before, and has not sent that packet since
     */
    boolean goBack() {
        boolean first = !wentBack;
        wentBack = true;
        return first;
    }

    /** The next packet that was held and whose turn has come, to be freed by the caller; null if there is none. */
    @Nullable
    SkBuff takeDue() {
        return held.takeDue(expectedPsn);
    }

    /** True if a gap is known, and what came behind it is held. */
    boolean hasGap() {
        return !held.isEmpty();
    }

    /** True if nobody has to send again what came behind the last gap. */
    boolean isWhole() {
        return !incomplete && held.isEmpty();
    }
}
