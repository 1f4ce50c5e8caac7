// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.program;

import io.rdma4j.testing.sim.message.Poster;
import io.rdma4j.testing.sim.message.QueueAccount;
import io.rdma4j.testing.sim.world.RunReport;
import io.rdma4j.testing.sim.world.SimEndpoint;
import io.rdma4j.testing.sim.world.TraceKind;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.SignalType;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Posts the steps of a program and checks that each completes once, in order, with the expected status. If the
 * connection is broken, the remaining steps must complete as flushed. Also maintains the keyed accesses to its own
 * memory.
 */
final class Initiator implements Poster.Account {
    private static final long MAX_PAUSE_NS = 100_000;

    private final SimEndpoint own;
    private final WorkloadProgram program;
    private final SharedWords words;
    private final StepPoster requests;
    private final KeyedAccesses accesses;
    private final KeyMaintenance keys;
    private final Consumer<Step> onSuccess;
    private final SplittableRandom random;
    private final RunReport report;
    private final int depth;
    private final boolean signalsAll;
    private final BitSet signaled = new BitSet();
    private final long[] operands;
    private final List<ProtocolViolation> punished = new ArrayList<>();
    private QueueAccount account;
    private Poster poster;

    /** First step since the connection was made. */
    private int base;

    /** Steps that have succeeded. */
    private int completed;

    /** Steps that have completed, flushed ones included. */
    private int returned;

    /**
     * @param words of the target's host
     * @param accesses that the program uses
     * @param keys key maintenance of this side, posted between the steps
     * @param onSuccess receives each step that has succeeded, in order
     */
    Initiator(
            SimEndpoint own,
            WorkloadProgram program,
            SharedWords words,
            StepPoster requests,
            KeyedAccesses accesses,
            KeyMaintenance keys,
            Consumer<Step> onSuccess,
            long seed,
            RunReport report) {
        QpCapabilities capabilities = own.capabilities();
        this.own = own;
        this.program = program;
        this.words = words;
        this.requests = requests;
        this.accesses = accesses;
        this.keys = keys;
        this.onSuccess = onSuccess;
        this.random = new SplittableRandom(seed);
        this.report = report;
        this.depth = capabilities.maxSendWr() - keys.slots();
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

    /** Continues with {@code step}; the connection has been made again. */
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

    /** True if all posted steps have completed, or have succeeded unsignalled. */
    boolean isIdle() {
        return keys.isIdle() && (returned == next() || completed == returned && nextToComplete() == next());
    }

    /** The oldest outstanding step, if it has a protocol violation; else null. */
    @Nullable
    Step violationPending() {
        for (int i = completed; i < next(); i++) {
            if (program.step(i).violation() != null) {
                return program.step(i);
            }
        }
        return null;
    }

    /** Protocol violations that completed with the expected error. */
    List<ProtocolViolation> punished() {
        return punished;
    }

    /** Ends the connection: no more completions arrive. Unsignalled steps that were not flushed have succeeded. */
    void conclude() {
        if (completed == returned) {
            completeUpTo(next());
            returned = completed;
        }
    }

    // As many steps as the queue accepts, up to a step whose keyed access is not open yet.

    @Override
    public int room() {
        int room = account.room();
        int ready = 0;
        while (ready < room && accesses.isReady(program.step(next() + ready))) {
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
        boolean worked = keys.act(next());
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

    /** @param number counted since the connection was made */
    private Step prepare(int number) {
        Step step = program.step(base + number);
        // Only signalled completions free slots, so one of every depth / 2 requests must be signalled. Steps that wait
        // for a keyed access need the completion of the step that closes it.
        boolean needed =
                number % Math.max(1, depth / 2) == 0 || account.isLastBeforePause(number) || step.closesAccess();
        signaled.set(step.index(), needed || random.nextInt(3) == 0);
        boolean guesses = step.kind() == StepKind.SHARED_COMPARE_SWAP;
        operands[step.index()] = guesses ? words.value(step) : step.operand();
        report.event(TraceKind.POSTED_SEND, own.host().index(), step.index(), step.length());
        return step;
    }

    /** Operand that an atomic has compared with or added. */
    long operand(Step step) {
        return operands[step.index()];
    }

    /** @param dying whether the connection is being closed */
    void onCompletion(WorkCompletion wc, boolean dying) {
        int index = (int) wc.wrId();
        report.event(TraceKind.COMPLETED_SEND, own.host().index(), index, wc.byteLength());
        boolean flushed = dying && wc.status() == WcStatus.WR_FLUSH_ERR;
        if ((wc.wrId() & KeyMaintenance.WR_ID_MARK) != 0) {
            keys.onCompletion(wc, flushed, nextToComplete());
            return;
        }
        boolean failed = flushed || isPunished(wc);
        if (!isDue(wc, failed) || keys.isOvertakenBy(index)) {
            report.violation("%s: completion %s, where %d are completed, %d back, %d posted; it should be that of %s"
                    .formatted(
                            own, wc, completed, returned, next(), program.step(Math.min(index, program.count() - 1))));
            return;
        }
        if (failed && !flushed) {
            punished.add(Objects.requireNonNull(program.step(index).violation()));
        }
        int succeeded = failed ? index : index + 1;
        if (completed == returned) {
            completeUpTo(succeeded);
        }
        returned = index + 1;
        account.returnUpTo(returned - 1 - base);
    }

    /** True for a step with a protocol violation that completed with the expected error. */
    private boolean isPunished(WorkCompletion wc) {
        ProtocolViolation violation =
                wc.wrId() < program.count() ? program.step((int) wc.wrId()).violation() : null;
        return violation != null && wc.status() == violation.status();
    }

    /**
     * True if the completion is the next one: successes arrive in order, except unsignalled ones. Behind the first
     * failed step all are flushed.
     */
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
                && step.violation() == null
                && wc.opcode() == step.kind().completion()
                && (!step.kind().lands() || wc.byteLength() == step.length());
    }

    /** Index of the oldest outstanding signalled step, or of the next step to be posted if there is none. */
    private int nextToComplete() {
        int index = completed;
        while (index < next()
                && !signalsAll
                && !signaled.get(index)
                && program.step(index).violation() == null) {
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
        return own + ": " + next() + " of " + program.count() + " steps posted, " + completed + " completed" + keys;
    }
}
