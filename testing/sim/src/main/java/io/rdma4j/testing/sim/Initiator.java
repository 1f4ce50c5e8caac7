package io.rdma4j.testing.sim;

import io.rdma4j.verbs.QpCapabilities;
import io.rdma4j.verbs.SendBatch;
import io.rdma4j.verbs.SignalType;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.WorkCompletion;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Posts the steps of a program and checks that each completes once, in its turn, as it should; when the connection is killed,
 * or a step did what it must not, those that are left complete as flushed. In between it looks after the doors to its own
 * memory.
 */
final class Initiator implements Poster.Account {
    private static final long MAX_PAUSE_NS = 100_000;

    private final Endpoint own;
    private final Program program;
    private final SharedWords words;
    private final StepPoster requests;
    private final Doors doors;
    private final Chores chores;
    private final Consumer<Step> onSuccess;
    private final SplittableRandom random;
    private final Report report;
    private final int depth;
    private final boolean signalsAll;
    private final BitSet signaled = new BitSet();
    private final long[] operands;
    private final List<Crime> punished = new ArrayList<>();
    private QueueAccount account;
    private Poster poster;

    /** First step of the connection as it is. */
    private int base;

    /** Steps that have succeeded. */
    private int completed;

    /** Steps that have come back, flushed ones included. */
    private int returned;

    /**
     * @param words of the target's host
     * @param doors that the program uses
     * @param chores that come between its steps
     * @param onSuccess told of each step that has succeeded, in order
     */
    Initiator(
            Endpoint own,
            Program program,
            SharedWords words,
            StepPoster requests,
            Doors doors,
            Chores chores,
            Consumer<Step> onSuccess,
            long seed,
            Report report) {
        QpCapabilities capabilities = own.capabilities();
        this.own = own;
        this.program = program;
        this.words = words;
        this.requests = requests;
        this.doors = doors;
        this.chores = chores;
        this.onSuccess = onSuccess;
        this.random = new SplittableRandom(seed);
        this.report = report;
        this.depth = capabilities.maxSendWr() - chores.slots();
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
                own + ": steps", this, random, MAX_PAUSE_NS, own.host().nowNs(), report);
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

    /** Number of the next step to be posted. */
    int next() {
        return base + account.posted();
    }

    /** True if every step has succeeded. */
    boolean isDone() {
        return completed == program.count();
    }

    /** True if everything that was posted has come back, or has succeeded without being asked to say so. */
    boolean isIdle() {
        return chores.isIdle() && (returned == next() || completed == returned && nextToComplete() == next());
    }

    /** The oldest step under way, if it does what it must not; else null. */
    @Nullable
    Step crimeUnderWay() {
        for (int i = completed; i < next(); i++) {
            if (program.step(i).crime() != null) {
                return program.step(i);
            }
        }
        return null;
    }

    /** What it did that it must not, and was told so. */
    List<Crime> punished() {
        return punished;
    }

    /** Nothing more comes back: what was not flushed has succeeded in silence. */
    void conclude() {
        if (completed == returned) {
            completeUpTo(next());
            returned = completed;
        }
    }

    // What may be posted: as much as the queue takes, up to a step whose door is not open yet

    @Override
    public int room() {
        int room = account.room();
        int ready = 0;
        while (ready < room && doors.isReady(program.step(next() + ready))) {
            ready++;
        }
        return ready;
    }

    @Override
    public boolean isFinalBurst() {
        return account.isFinalBurst();
    }

    @Override
    public int posted() {
        return account.posted();
    }

    @Override
    public void post(int count) {
        account.post(count);
    }

    long nextActionNs() {
        return poster.nextActionNs();
    }

    boolean act(long nowNs) {
        boolean worked = chores.act(next());
        return poster.act(nowNs, random.nextBoolean() ? this::postBatch : this::postRequests) || worked;
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
        // Slots come back with signalled completions only, so there must be one every so often; and others wait for
        // doors.
        boolean needed = number % Math.max(1, depth / 2) == 0 || account.isLastBeforePause(number) || step.closesDoor();
        signaled.set(step.index(), needed || random.nextInt(3) == 0);
        boolean guesses = step.kind() == StepKind.SHARED_COMPARE_SWAP;
        operands[step.index()] = guesses ? words.value(step) : step.operand();
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
        if ((wc.wrId() & Chores.WR_ID_MARK) != 0) {
            chores.onCompletion(wc, flushed, nextToComplete());
            return;
        }
        boolean failed = flushed || isPunished(wc);
        if (!isDue(wc, failed) || chores.isOvertakenBy(index)) {
            report.violation("%s: completion %s, where %d are completed, %d back, %d posted; it should be that of %s"
                    .formatted(
                            own, wc, completed, returned, next(), program.step(Math.min(index, program.count() - 1))));
            return;
        }
        if (failed && !flushed) {
            punished.add(Objects.requireNonNull(program.step(index).crime()));
        }
        int succeeded = failed ? index : index + 1;
        if (completed == returned) {
            completeUpTo(succeeded);
        }
        returned = index + 1;
        account.returnUpTo(returned - 1 - base);
    }

    /** True for a step that did what it must not and ended as such a one. */
    private boolean isPunished(WorkCompletion wc) {
        Crime crime =
                wc.wrId() < program.count() ? program.step((int) wc.wrId()).crime() : null;
        return crime != null && wc.status() == crime.status();
    }

    /** Successes come in order, but for those that were not asked for; behind the first one that failed all are flushed. */
    private boolean isDue(WorkCompletion wc, boolean failed) {
        long index = wc.wrId();
        if (index < returned || index >= next() || wc.qpNumber() != own.qp().qpn()) {
            return false;
        }
        boolean anyFailed = completed < returned;
        if (failed) {
            return anyFailed ? index == returned && wc.status() == WcStatus.WR_FLUSH_ERR : index <= nextToComplete();
        }
        return !anyFailed && index == nextToComplete() && isSuccess(wc, program.step((int) index));
    }

    private static boolean isSuccess(WorkCompletion wc, Step step) {
        return wc.status() == WcStatus.SUCCESS
                && step.crime() == null
                && wc.opcode() == step.kind().completion()
                && (!step.kind().lands() || wc.byteLength() == step.length());
    }

    /** The oldest step under way that is to complete visibly; the number of the next to be posted if there is none. */
    private int nextToComplete() {
        int index = completed;
        while (index < next()
                && !signalsAll
                && !signaled.get(index)
                && program.step(index).crime() == null) {
            index++;
        }
        return index;
    }

    private void completeUpTo(int end) {
        for (int i = completed; i < end; i++) {
            completed = i + 1;
            onSuccess.accept(program.step(i));
        }
    }

    @Override
    public String toString() {
        return own + ": " + next() + " of " + program.count() + " steps posted, " + completed + " completed" + chores;
    }
}
