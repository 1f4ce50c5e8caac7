package io.rdma4j.testing.sim;

import io.rdma4j.base.Psn;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.WorkCompletion;

/** One direction of a connection: a program, who runs it, who is its target, and the model of what it brings about. */
final class Lane {
    private final Program program;
    private final Endpoint initiatorEnd;
    private final Endpoint targetEnd;
    private final ProgramMemory memory;
    private final Initiator initiator;
    private final Target target;
    private final int mtuBytes;
    private final Report report;

    /**
     * @param targetWords shared words of the target's host
     * @param words the same as registered at the target
     */
    Lane(
            Program program,
            Endpoint from,
            Endpoint to,
            SharedWords targetWords,
            MemoryRegion words,
            int mtuBytes,
            long seed,
            Report report) {
        this.program = program;
        this.initiatorEnd = from;
        this.targetEnd = to;
        this.mtuBytes = mtuBytes;
        this.report = report;
        memory = new ProgramMemory(program, from, to, targetWords);
        StepPoster requests = new StepPoster(memory, words);
        initiator = new Initiator(from, program, memory, requests, Seeds.derive(seed, 1), report);
        target = new Target(to, program, memory, Seeds.derive(seed, 2), report);
    }

    Initiator initiator() {
        return initiator;
    }

    Target target() {
        return target;
    }

    Program program() {
        return program;
    }

    void onSendCompletion(WorkCompletion wc, boolean dying) {
        initiator.onCompletion(wc, dying);
    }

    void onReceiveCompletion(WorkCompletion wc, boolean dying) {
        target.onCompletion(wc, dying);
    }

    boolean isDone() {
        return initiator.isDone() && target.isDone();
    }

    /** True if everything that was posted has come back. */
    boolean isIdle() {
        return initiator.isIdle() && target.isIdle();
    }

    /** Nothing completes before it has happened: all completions there are have been polled. */
    void checkCausality() {
        int sent = 0;
        for (int i = 0; i < initiator.completed(); i++) {
            sent += program.step(i).kind().takesReceive() ? 1 : 0;
        }
        if (sent > target.received()) {
            report.violation("%s: %d messages completed, but the peer has received only %d"
                    .formatted(initiatorEnd, sent, target.received()));
        }
    }

    /**
     * Both ends are in ERR and nothing is under way: what the peer has carried out is told by the PSN that it expects. All
     * steps before must have been carried out whole, the next one as far as its packets came, and none after it. Goes on
     * with that next one.
     *
     * @param firstPsn of the first step of the connection
     */
    void resume(int firstPsn) {
        initiator.conclude();
        int packets = Psn.distance(targetEnd.qp().query().rqPsn(), firstPsn);
        int executed = initiator.base();
        while (executed < program.count() && packets >= program.step(executed).packets(mtuBytes)) {
            packets -= program.step(executed).packets(mtuBytes);
            executed++;
        }
        int completed = initiator.completed();
        if (packets < 0 || completed > executed) {
            report.violation("%s: %d steps completed, but the peer has carried out only %d"
                    .formatted(initiatorEnd, completed, executed));
            return;
        }
        breakOff(completed, executed, packets);
        checkMemory();
        checkReceived(executed);
        initiator.restart(executed);
        target.restart();
    }

    /** Steps from {@code completed} on got no answer; those before {@code executed} were carried out all the same. */
    private void breakOff(int completed, int executed, int packets) {
        boolean mayHaveBegun = completed < program.count();
        if (mayHaveBegun && program.step(completed).kind() == StepKind.READ) {
            Step read = program.step(completed);
            if (!memory.adoptBrokenRead(read)) {
                report.violation(
                        "%s: %s was broken off and has brought what it should not".formatted(initiatorEnd, read));
            }
        }
        for (int i = completed; i < executed; i++) {
            Step step = program.step(i);
            memory.execute(step);
            if (step.kind().isShared()) {
                memory.words().recordUnknown(step, initiator.operand(step));
            }
        }
        if (packets > 0) {
            memory.execute(program.step(executed), packets * mtuBytes);
        }
    }

    private void checkReceived(int executed) {
        int due = 0;
        for (int i = 0; i < executed; i++) {
            due += program.step(i).kind().takesReceive() ? 1 : 0;
        }
        if (target.received() != due) {
            report.violation(
                    "%s: %d messages received, where %d were carried out".formatted(targetEnd, target.received(), due));
        }
    }

    /** Every byte of every region. */
    void checkMemory() {
        check(initiatorEnd, "its own memory", memory.local());
        check(targetEnd, "memory for messages", memory.inbox());
        check(targetEnd, "memory open to the peer", memory.remote());
    }

    private void check(Endpoint at, String what, CheckedMemory checked) {
        String wrong = checked.difference();
        if (!wrong.isEmpty()) {
            report.violation("%s: %s: %s".formatted(at, what, wrong));
        }
    }

    @Override
    public String toString() {
        return initiator + ", " + target;
    }
}
