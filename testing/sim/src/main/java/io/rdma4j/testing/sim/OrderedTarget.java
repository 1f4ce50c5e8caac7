package io.rdma4j.testing.sim;

import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.QpCapabilities;
import io.rdma4j.verbs.ReceiveBatch;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;

/**
 * Posts a receive for each step that takes one, in time or late, and checks that each completes once, in its turn, as it
 * should. The receive fits its step as tightly as can be.
 */
final class OrderedTarget implements Target {
    private static final long MAX_PAUSE_NS = 300_000;

    private final Endpoint own;
    private final List<Step> steps;
    private final ProgramMemory memory;
    private final SplittableRandom random;
    private final Report report;
    private final BiConsumer<Step, WorkCompletion> onMessage;
    private final int depth;
    private QueueAccount account;
    private Poster poster;
    private int base;
    private int received;
    private int returned;

    /** @param onMessage is told what was received */
    OrderedTarget(
            Endpoint own,
            Program program,
            ProgramMemory memory,
            BiConsumer<Step, WorkCompletion> onMessage,
            long seed,
            Report report) {
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
            Place place = steps.get(number).inbox();
            if (place != null) {
                for (int piece = 0; piece < place.layout().pieces(); piece++) {
                    long address =
                            region.address() + place.offset() + place.layout().offset(piece);
                    batch.sge(region.lkey(), address, place.layout().length(piece));
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

    /** What was received is there, and nothing beside it; what is sent on is known only when the whole program has run. */
    private void checkMessage(Step step) {
        Place place = step.inbox();
        if (place == null || step.has(StepFlag.FORWARDS)) {
            return;
        }
        MemorySegment expected = MemorySegment.ofArray(new byte[place.slotBytes()]);
        MemorySegment.copy(memory.inbox().expected(), place.offset(), expected, 0, place.slotBytes());
        if (step.kind().isSend()) {
            place.layout().scatter(memory.payload(step), step.length(), expected, 0);
        }
        MemorySegment actual = memory.inbox().actual().asSlice(place.offset(), place.slotBytes());
        String wrong = Difference.describe(actual, expected);
        if (!wrong.isEmpty()) {
            report.violation("%s: %s, received: %s".formatted(own, step, wrong));
        }
    }

    /** That nothing was lost the account has shown: the last receives were posted at once. */
    @Override
    public void checkEnd() {}

    @Override
    public String toString() {
        return own + ": " + received + " of " + steps.size() + " messages received";
    }
}
