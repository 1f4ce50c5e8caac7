package io.rdma4j.testing.sim;

import io.rdma4j.base.Psn;
import io.rdma4j.verbs.WorkCompletion;

/** A direction in which all that is sent arrives once and in order: the model says what every byte must be. */
final class ReliableLane extends Lane {
    ReliableLane(Parts parts, long seed, Report report) {
        super(parts, seed, report);
    }

    @Override
    void onSuccess(Step step) {
        memory().complete(step);
        Place place = step.local();
        if (place != null && step.kind().lands()) {
            checkLanding(step, place);
        }
        if (step.kind().isShared() && place != null) {
            memory().words().record(step, initiator().operand(step), memory().landed(place));
        }
        checkRemote(step);
        memory().scribble(step);
        doors().onSuccess(step);
        if (step.landing() >= 0) {
            doors().landing().onInvalidated();
        }
    }

    private void checkLanding(Step step, Place place) {
        String wrong = memory().local().difference(place);
        if (!wrong.isEmpty()) {
            report().violation("%s: what %s has brought: %s".formatted(initiatorEnd(), step, wrong));
        }
    }

    /** What is complete is there, unless a later step may have changed it. */
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
        Door door = doors().of(step);
        if (wc.immediate() != door.key() || !door.isOpen(step.door().closedBefore())) {
            report().violation("%s: key %08x was taken back, where %s is %08x"
                    .formatted(targetEnd(), wc.immediate(), door, door.key()));
        }
        door.onInvalidated();
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
     * What the peer has carried out is told by the PSN that it expects. All steps before must have been carried out whole, the
     * next one as far as its packets came, and none after it. Goes on with that next one, or behind it if it was a crime.
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
        boolean isCrime =
                executed < program().count() && program().step(executed).crime() != null;
        if (packets < 0 || completed > executed || isCrime && packets > 0) {
            report().violation("%s: %d steps completed, but the peer has carried out only %d and %d packets"
                    .formatted(initiatorEnd(), completed, executed, packets));
            return;
        }
        breakOff(completed, executed, packets);
        checkMemory();
        checkReceived(executed);
        initiator().restart(isCrime && executed < initiator().next() ? executed + 1 : executed);
        target().restart();
    }

    private boolean isWhole(Step step, int packets) {
        return step.crime() == null && packets >= packets(step);
    }

    private int packets(Step step) {
        return step.packets(program().terms().mtuBytes());
    }

    /** Steps from {@code completed} on got no answer; those before {@code executed} were carried out all the same. */
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
            doors().onSuccess(step);
            if (step.landing() >= 0) {
                doors().landing().release();
            }
        }
        if (packets > 0) {
            memory().execute(
                            program().step(executed),
                            packets * program().terms().mtuBytes());
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
