package io.rdma4j.transport;

import io.rdma4j.base.Psn;
import io.rdma4j.packet.SkBuff;
import org.jspecify.annotations.Nullable;

/**
 * Whose turn it is among the request packets of a reliable connection (IBA 9.7.4.1.2, 9.7.5.1.3): the next one, one behind a
 * gap, or an old one.
 */
final class RequestOrder {
    private final TransportCounters counters;
    private final HeldPackets held;

    private int expectedPsn;

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
    }

    int expectedPsn() {
        return expectedPsn;
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

    /** A packet was carried out: {@code nextPsn} is the one that must follow. */
    void advanceTo(int nextPsn) {
        expectedPsn = nextPsn;
    }

    /** The peer is told to go back to the packet expected: those behind it are no news. */
    void goBack() {
        wentBack = true;
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
