package io.rdma4j.testing.sim;

import io.rdma4j.verbs.QpCapabilities;
import io.rdma4j.verbs.SendBatch;
import io.rdma4j.verbs.SignalType;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.WorkCompletion;
import java.util.BitSet;
import java.util.SplittableRandom;

/**
 * Posts the steps of a program and checks that each completes once, in its turn, with what it should have brought about;
 * when the connection is killed, those that are left complete as flushed.
 */
final class Initiator {
    private static final long MAX_PAUSE_NS = 100_000;

    private final Endpoint own;
    private final Program program;
    private final ProgramMemory memory;
    private final StepPoster requests;
    private final SplittableRandom random;
    private final Report report;
    private final int depth;
    private final boolean signalsAll;
    private final BitSet signaled = new BitSet();
    private final long[] operands;
    private QueueAccount account;
    private Poster poster;

    /** First step of the connection as it is. */
    private int base;

    /** Steps that have succeeded. */
    private int completed;

    /** Steps that have come back, flushed ones included. */
    private int returned;

    Initiator(Endpoint own, Program program, ProgramMemory memory, StepPoster requests, long seed, Report report) {
        QpCapabilities capabilities = own.capabilities();
        this.own = own;
        this.program = program;
        this.memory = memory;
        this.requests = requests;
        this.random = new SplittableRandom(seed);
        this.report = report;
        this.depth = capabilities.maxSendWr();
        this.signalsAll = own.qp().initAttributes().signalType() == SignalType.ALL_WR;
        this.operands = new long[program.count()];
        this.account = newAccount();
        this.poster = newPoster();
    }

    private QueueAccount newAccount() {
        return new QueueAccount(depth, program.count() - base);
    }

    private Poster newPoster() {
        return new Poster(
                own + ": steps", account, random, MAX_PAUSE_NS, own.host().nowNs(), report);
    }

    /** The connection stands anew: goes on with {@code step}. */
    void restart(int step) {
        base = step;
        completed = step;
        returned = step;
        account = newAccount();
        poster = newPoster();
    }

    int base() {
        return base;
    }

    int completed() {
        return completed;
    }

    /** True if every step has succeeded. */
    boolean isDone() {
        return completed == program.count();
    }

    /** True if every step that was posted has come back, or has succeeded without being asked to say so. */
    boolean isIdle() {
        return returned == posted() || completed == returned && nextToComplete() == posted();
    }

    /** Nothing more comes back: what was not flushed has succeeded in silence. */
    void conclude() {
        if (completed == returned) {
            completeUpTo(posted());
            returned = completed;
        }
    }

    private int posted() {
        return base + account.posted();
    }

    long nextActionNs() {
        return poster.nextActionNs();
    }

    boolean act(long nowNs) {
        return poster.act(nowNs, random.nextBoolean() ? this::postBatch : this::postRequests);
    }

    private void postBatch(int count) {
        SendBatch batch = own.qp().startSend();
        for (int i = 0; i < count; i++) {
            Step step = prepare(account.posted() + i);
            requests.add(batch, step, signaled.get(step.index()), operands[step.index()]);
        }
        batch.complete();
    }

    private void postRequests(int count) {
        for (int i = 0; i < count; i++) {
            Step step = prepare(account.posted() + i);
            own.qp().postSend(requests.request(step, signaled.get(step.index()), operands[step.index()]));
        }
    }

    /** @param number since the connection stands */
    private Step prepare(int number) {
        Step step = program.step(base + number);
        // Slots come back with signalled completions only, so there must be one every so often.
        boolean needed = number % Math.max(1, depth / 2) == 0 || account.isLastBeforePause(number);
        signaled.set(step.index(), needed || random.nextInt(3) == 0);
        boolean guesses = step.kind() == StepKind.SHARED_COMPARE_SWAP;
        operands[step.index()] = guesses ? memory.words().value(step) : step.operand();
        report.event(TraceKind.POSTED_SEND, own.host().index(), step.index(), step.length());
        return step;
    }

    /** What an atomic compared with or added. */
    long operand(Step step) {
        return operands[step.index()];
    }

    /** @param dying whether the connection is being killed */
    void onCompletion(WorkCompletion wc, boolean dying) {
        int index = (int) wc.wrId();
        report.event(TraceKind.COMPLETED_SEND, own.host().index(), index, wc.byteLength());
        boolean flushed = dying && wc.status() == WcStatus.WR_FLUSH_ERR;
        if (!isDue(wc, flushed)) {
            report.violation("%s: completion %s, where %d are completed, %d back, %d posted; it should be that of %s"
                    .formatted(
                            own,
                            wc,
                            completed,
                            returned,
                            posted(),
                            program.step(Math.min(index, program.count() - 1))));
            return;
        }
        int succeeded = flushed ? index : index + 1;
        if (completed == returned) {
            completeUpTo(succeeded);
        }
        returned = index + 1;
        account.returnUpTo(returned - 1 - base);
    }

    /** Successes come in order, but for those that were not asked for; behind the first flushed step all are flushed. */
    private boolean isDue(WorkCompletion wc, boolean flushed) {
        long index = wc.wrId();
        if (index < returned || index >= posted() || wc.qpNumber() != own.qp().qpn()) {
            return false;
        }
        boolean anyFlushed = completed < returned;
        if (flushed) {
            return anyFlushed ? index == returned : index <= nextToComplete();
        }
        return !anyFlushed && index == nextToComplete() && isSuccess(wc, program.step((int) index));
    }

    private static boolean isSuccess(WorkCompletion wc, Step step) {
        return wc.status() == WcStatus.SUCCESS
                && wc.opcode() == step.kind().completion()
                && (!step.kind().lands() || wc.byteLength() == step.length());
    }

    /** The oldest step under way that is to complete visibly; the number of the next to be posted if there is none. */
    private int nextToComplete() {
        int index = completed;
        while (index < posted() && !signalsAll && !signaled.get(index)) {
            index++;
        }
        return index;
    }

    private void completeUpTo(int end) {
        for (int i = completed; i < end; i++) {
            complete(program.step(i));
        }
        completed = end;
    }

    private void complete(Step step) {
        memory.complete(step);
        Place place = step.local();
        if (place != null && step.kind().lands()) {
            checkLanding(step, place);
        }
        if (step.kind().isShared() && place != null) {
            memory.words().record(step, operand(step), memory.landed(place));
        }
        checkRemote(step);
        memory.scribble(step);
    }

    private void checkLanding(Step step, Place place) {
        String wrong = memory.local().difference(place);
        if (!wrong.isEmpty()) {
            report.violation("%s: what %s has brought: %s".formatted(own, step, wrong));
        }
    }

    /** What is complete is there, unless a later step may have changed it. */
    private void checkRemote(Step step) {
        if (!step.kind().changesRemote()) {
            return;
        }
        for (int i = step.index() + 1; i < posted(); i++) {
            Step later = program.step(i);
            if (later.kind().changesRemote() && later.overlaps(step)) {
                return;
            }
        }
        String wrong = memory.remote().difference(step.remoteOffset(), step.length());
        if (!wrong.isEmpty()) {
            report.violation("%s: %s is complete, and yet %s".formatted(own, step, wrong));
        }
    }

    @Override
    public String toString() {
        return own + ": " + posted() + " of " + program.count() + " steps posted, " + completed + " completed";
    }
}
