// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.program;

import io.rdma4j.base.Psn;
import io.rdma4j.testing.sim.world.RunReport;
import io.rdma4j.testing.sim.world.Slot;
import io.rdma4j.verbs.wr.WorkCompletion;

/** A direction in which every message arrives once and in order; the model determines every byte. */
final class ReliableDirection extends DirectionModel {
    ReliableDirection(Parts parts, long seed, RunReport report) {
        super(parts, seed, report);
    }

    @Override
    void onSuccess(Step step) {
        memory().complete(step);
        Slot slot = step.local();
        if (slot != null && step.kind().lands()) {
            checkLanding(step, slot);
        }
        if (step.kind().isShared() && slot != null) {
            memory().words().record(step, initiator().operand(step), memory().landed(slot));
        }
        checkRemote(step);
        memory().scribble(step);
        accesses().onSuccess(step);
        if (step.landing() >= 0) {
            accesses().landing().onInvalidated();
        }
    }

    private void checkLanding(Step step, Slot slot) {
        String wrong = memory().local().difference(slot);
        if (!wrong.isEmpty()) {
            report().violation("%s: what %s has brought: %s".formatted(initiatorEnd(), step, wrong));
        }
    }

    /** Checks that a completed step has its effect, unless a later step may have changed the bytes. */
    private void checkRemote(Step step) {
        if (!step.kind().changesRemote()) {
            return;
        }
        for (int i = step.index() + 1; i < initiator().next(); i++) {
            Step later = program().step(i);
            if (later.kind().changesRemote() && later.overlaps(step)) {
                return;
            }
        }
        String wrong = memory().remote().difference(step.remoteOffset(), step.length());
        if (!wrong.isEmpty()) {
            report().violation("%s: %s is complete, and yet %s".formatted(initiatorEnd(), step, wrong));
        }
    }

    @Override
    void onMessage(Step step, WorkCompletion wc) {
        if (step.kind() != StepKind.SEND_WITH_INVALIDATE) {
            return;
        }
        KeyedAccess access = accesses().of(step);
        if (wc.immediate() != access.key() || !access.isOpen(step.access().closedBefore())) {
            report().violation("%s: key %08x was taken back, where %s is %08x"
                    .formatted(targetEnd(), wc.immediate(), access, access.key()));
        }
        access.onInvalidated();
    }

    @Override
    void checkCausality() {
        int sent = 0;
        for (int i = 0; i < initiator().completed(); i++) {
            sent += takesReceive(program().step(i)) ? 1 : 0;
        }
        if (sent > target().received()) {
            report().violation("%s: %d messages completed, but the peer has received only %d"
                    .formatted(initiatorEnd(), sent, target().received()));
        }
    }

    private static boolean takesReceive(Step step) {
        return step.kind().takesReceive();
    }

    /**
     * Determines the executed steps from the PSN that the peer expects. All earlier steps must be executed completely,
     * the next one up to its received packets, and no later one. Continues with the next one, or behind it if it has a
     * protocol violation.
     */
    @Override
    void resume(int firstPsn) {
        initiator().conclude();
        int packets = Psn.distance(targetEnd().target().query().rqPsn(), firstPsn);
        int executed = initiator().base();
        while (executed < program().count() && isWhole(program().step(executed), packets)) {
            packets -= packets(program().step(executed));
            executed++;
        }
        int completed = initiator().completed();
        boolean isViolation =
                executed < program().count() && program().step(executed).violation() != null;
        if (packets < 0 || completed > executed || isViolation && packets > 0) {
            report().violation("%s: %d steps completed, but the peer has carried out only %d and %d packets"
                    .formatted(initiatorEnd(), completed, executed, packets));
            return;
        }
        breakOff(completed, executed, packets);
        checkMemory();
        checkReceived(executed);
        initiator().restart(isViolation && executed < initiator().next() ? executed + 1 : executed);
        target().restart();
    }

    private boolean isWhole(Step step, int packets) {
        return step.violation() == null && packets >= packets(step);
    }

    private int packets(Step step) {
        return step.packets(program().limits().mtuBytes());
    }

    /**
     * Handles the steps from {@code completed} on, which got no response; those before {@code executed} were executed.
     */
    private void breakOff(int completed, int executed, int packets) {
        if (completed < program().count() && program().step(completed).kind().isRead()) {
            Step read = program().step(completed);
            if (!memory().adoptBrokenRead(read)) {
                report().violation("%s: %s was broken off and has brought what it should not"
                        .formatted(initiatorEnd(), read));
            }
        }
        for (int i = completed; i < executed; i++) {
            Step step = program().step(i);
            memory().execute(step);
            if (step.kind().isShared()) {
                memory().words().recordUnknown(step, initiator().operand(step));
            }
            accesses().onSuccess(step);
            if (step.landing() >= 0) {
                accesses().landing().release();
            }
        }
        if (packets > 0) {
            memory().execute(
                            program().step(executed),
                            packets * program().limits().mtuBytes());
        }
    }

    private void checkReceived(int executed) {
        int due = 0;
        for (int i = 0; i < executed; i++) {
            due += takesReceive(program().step(i)) ? 1 : 0;
        }
        if (target().received() != due) {
            report().violation("%s: %d messages received, where %d were carried out"
                    .formatted(targetEnd(), target().received(), due));
        }
    }

    @Override
    void checkMemory() {
        check(initiatorEnd(), "its own memory", memory().local());
        check(targetEnd(), "memory for messages", memory().inbox());
        check(targetEnd(), "memory open to the peer", memory().remote());
    }
}
