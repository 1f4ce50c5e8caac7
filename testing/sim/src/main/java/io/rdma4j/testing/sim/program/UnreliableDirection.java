// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.program;

import io.rdma4j.testing.sim.world.RunReport;
import io.rdma4j.testing.sim.world.Service;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.MemorySegment;

/**
 * A direction in which messages may be lost. A step succeeds when it is sent. A received SEND or WRITE with immediate
 * is complete. Any other WRITE has written a prefix of whole packets: none, some, or all.
 */
final class UnreliableDirection extends DirectionModel {
    UnreliableDirection(Parts parts, long seed, RunReport report) {
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

    /** Number of written bytes of a WRITE; -1 if other bytes are there. */
    private int landed(Step step) {
        MemorySegment payload = memory().payload(step);
        MemorySegment now = memory().remote().actual().asSlice(step.remoteOffset(), step.length());
        MemorySegment before = memory().remote().expected().asSlice(step.remoteOffset(), step.length());
        int mtuBytes = program().limits().mtuBytes();
        long wrong = now.mismatch(payload);
        int whole = wrong < 0 ? step.length() : (int) wrong / mtuBytes * mtuBytes;
        return now.asSlice(whole).mismatch(before.asSlice(whole)) < 0 ? whole : -1;
    }

    /** Nothing to check: completions of sends are independent of receives. */
    @Override
    void checkCausality() {}

    @Override
    void resume(int firstPsn) {
        initiator().conclude();
        checkMemory();
        target().restart();
        initiator().restart(initiator().next());
    }

    /** Checks that steps not posted have no effect, and that each posted step has written a prefix. */
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
