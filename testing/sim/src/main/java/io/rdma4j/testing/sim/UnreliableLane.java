package io.rdma4j.testing.sim;

import io.rdma4j.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;

/**
 * A direction in which messages get lost. A step succeeds when it has left; a SEND, or a WRITE that says so, that is received
 * is there whole; of any other WRITE there is a beginning, of whole packets: nothing, some of it, or all.
 */
final class UnreliableLane extends Lane {
    UnreliableLane(Parts parts, long seed, Report report) {
        super(parts, seed, report);
    }

    @Override
    void onSuccess(Step step) {
        memory().scribble(step);
    }

    @Override
    void onMessage(Step step, WorkCompletion wc) {
        if (step.kind().isWrite() && landed(step) != step.length()) {
            report().violation("%s: %s was received, and yet not all of it is there".formatted(targetEnd(), step));
        }
        boolean known = targetEnd().service() != Service.UD
                || wc.sourceQp() == initiatorEnd().qp().qpn();
        if (!known) {
            report().violation("%s: %s came from %06x".formatted(targetEnd(), step, wc.sourceQp()));
        }
    }

    /** How many bytes of a WRITE are there; -1 if something else is. */
    private int landed(Step step) {
        MemorySegment payload = memory().payload(step);
        MemorySegment now = memory().remote().actual().asSlice(step.remoteOffset(), step.length());
        MemorySegment before = memory().remote().expected().asSlice(step.remoteOffset(), step.length());
        int mtuBytes = program().terms().mtuBytes();
        long wrong = now.mismatch(payload);
        int whole = wrong < 0 ? step.length() : (int) wrong / mtuBytes * mtuBytes;
        return now.asSlice(whole).mismatch(before.asSlice(whole)) < 0 ? whole : -1;
    }

    /** What the peer has received says nothing of what has been sent. */
    @Override
    void checkCausality() {}

    @Override
    void resume(int firstPsn) {
        initiator().conclude();
        checkMemory();
        target().restart();
        initiator().restart(initiator().next());
    }

    /** Whatever was not posted is not there; of what was posted there is a beginning. */
    @Override
    void checkMemory() {
        for (int i = 0; i < initiator().next(); i++) {
            Step step = program().step(i);
            if (step.kind().isWrite()) {
                int landed = landed(step);
                if (landed < 0) {
                    report().violation("%s: of %s there is more than a beginning".formatted(targetEnd(), step));
                    return;
                }
                memory().execute(step, landed);
            }
        }
        check(initiatorEnd(), "its own memory", memory().local());
        check(targetEnd(), "memory open to the peer", memory().remote());
    }
}
