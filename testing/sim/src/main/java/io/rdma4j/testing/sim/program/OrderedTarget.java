// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.program;

import io.rdma4j.testing.sim.message.Poster;
import io.rdma4j.testing.sim.message.QueueAccount;
import io.rdma4j.testing.sim.world.Difference;
import io.rdma4j.testing.sim.world.RunReport;
import io.rdma4j.testing.sim.world.SimEndpoint;
import io.rdma4j.testing.sim.world.Slot;
import io.rdma4j.testing.sim.world.TraceKind;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.wr.ReceiveBatch;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;

/**
 * Posts a receive for each step that takes one, in time or late. Checks that each completes once, in order, with the
 * expected result. The memory of a receive is exactly as large as its step needs.
 */
final class OrderedTarget implements Target {
    private static final long MAX_PAUSE_NS = 300_000;

    private final SimEndpoint own;
    private final List<Step> steps;
    private final ProgramMemory memory;
    private final SplittableRandom random;
    private final RunReport report;
    private final BiConsumer<Step, WorkCompletion> onMessage;
    private final int depth;
    private QueueAccount account;
    private Poster poster;
    private int base;
    private int received;
    private int returned;

    /** @param onMessage receives the step and the completion of each message */
    OrderedTarget(
            SimEndpoint own,
            WorkloadProgram program,
            ProgramMemory memory,
            BiConsumer<Step, WorkCompletion> onMessage,
            long seed,
            RunReport report) {
        QpCapabilities capabilities = own.capabilities();
        this.own = own;
        this.steps = program.receives();
        this.memory = memory;
        this.onMessage = onMessage;
        this.random = new SplittableRandom(seed);
        this.report = report;
        this.depth = capabilities.maxReceiveWr();
        this.account = newAccount();
        this.poster = newPoster();
    }

    private QueueAccount newAccount() {
        return new QueueAccount(depth, steps.size() - base);
    }

    private Poster newPoster() {
        return new Poster(
                own + ": receives", account, random, MAX_PAUSE_NS, own.host().nowNs(), report);
    }

    @Override
    public void restart() {
        base = received;
        returned = received;
        account = newAccount();
        poster = newPoster();
    }

    @Override
    public int received() {
        return received;
    }

    @Override
    public boolean isDone() {
        return received == steps.size();
    }

    @Override
    public boolean isIdle() {
        return returned == posted();
    }

    private int posted() {
        return base + account.posted();
    }

    @Override
    public long nextActionNs() {
        return poster.nextActionNs();
    }

    @Override
    public boolean act(long nowNs) {
        return poster.act(nowNs, this::post);
    }

    private void post(int count) {
        MemoryRegion region = memory.inbox().region();
        ReceiveBatch batch = own.qp().startReceive();
        for (int i = 0; i < count; i++) {
            int number = posted() + i;
            batch.receive(number | WR_ID_MARK);
            Slot slot = steps.get(number).inbox();
            if (slot != null) {
                for (int piece = 0; piece < slot.layout().pieces(); piece++) {
                    long address =
                            region.address() + slot.offset() + slot.layout().offset(piece);
                    batch.sge(region.lkey(), address, slot.layout().length(piece));
                }
            }
            report.event(TraceKind.POSTED_RECEIVE, own.host().index(), number, 0);
        }
        batch.complete();
    }

    @Override
    public void onCompletion(WorkCompletion wc, boolean dying) {
        int number = (int) wc.wrId();
        report.event(TraceKind.COMPLETED_RECEIVE, own.host().index(), number, wc.byteLength());
        boolean due = returned < posted()
                && wc.wrId() == (returned | WR_ID_MARK)
                && wc.qpNumber() == own.target().qpn();
        boolean flushed = dying && wc.status() == WcStatus.WR_FLUSH_ERR;
        if (!due || !flushed && (received < returned || !steps.get(number).isReceivedAs(wc, 0))) {
            report.violation("%s: receive completion %s, where %d are received, %d back, %d posted"
                    .formatted(own, wc, received, returned, posted()));
            return;
        }
        if (!flushed) {
            onMessage.accept(steps.get(number), wc);
            checkMessage(steps.get(number));
            received++;
        }
        returned++;
        account.returnUpTo(returned - 1 - base);
    }

    /**
     * Checks the received message and the bytes around it. Forwarded data are checked only after the whole program has
     * run.
     */
    private void checkMessage(Step step) {
        Slot slot = step.inbox();
        if (slot == null || step.has(StepFlag.FORWARDS)) {
            return;
        }
        MemorySegment expected = MemorySegment.ofArray(new byte[slot.slotBytes()]);
        MemorySegment.copy(memory.inbox().expected(), slot.offset(), expected, 0, slot.slotBytes());
        if (step.kind().isSend()) {
            slot.layout().scatter(memory.payload(step), step.length(), expected, 0);
        }
        MemorySegment actual = memory.inbox().actual().asSlice(slot.offset(), slot.slotBytes());
        String wrong = Difference.describe(actual, expected);
        if (!wrong.isEmpty()) {
            report.violation("%s: %s, received: %s".formatted(own, step, wrong));
        }
    }

    /** Nothing to check: the last receives were posted together, which fails if the queue has lost a slot. */
    @Override
    public void checkEnd() {}

    @Override
    public String toString() {
        return own + ": " + received + " of " + steps.size() + " messages received";
    }
}
