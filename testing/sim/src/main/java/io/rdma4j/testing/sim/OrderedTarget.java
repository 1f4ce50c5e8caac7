package io.rdma4j.testing.sim;

import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.QpCapabilities;
import io.rdma4j.verbs.ReceiveBatch;
import io.rdma4j.verbs.WcFlag;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** Posts receives for the steps that take one, in time or late, and checks that each completes once, in its turn, as it should. */
final class Target {
    /** What the numbers of receives have besides their own, so that both kinds may share a completion queue. */
    static final long WR_ID_MARK = 1L << 40;

    private static final long MAX_PAUSE_NS = 300_000;

    private final Endpoint own;
    private final List<Step> steps;
    private final ProgramMemory memory;
    private final SplittableRandom random;
    private final Report report;
    private final int depth;
    private QueueAccount account;
    private Poster poster;
    private int base;
    private int received;
    private int returned;

    Target(Endpoint own, Program program, ProgramMemory memory, long seed, Report report) {
        QpCapabilities capabilities = own.capabilities();
        this.own = own;
        this.steps = program.receives();
        this.memory = memory;
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

    /** The connection stands anew: goes on with the next one that was not received. */
    void restart() {
        base = received;
        returned = received;
        account = newAccount();
        poster = newPoster();
    }

    /** Messages received. */
    int received() {
        return received;
    }

    boolean isDone() {
        return received == steps.size();
    }

    /** True if every receive that was posted has come back. */
    boolean isIdle() {
        return returned == posted();
    }

    private int posted() {
        return base + account.posted();
    }

    long nextActionNs() {
        return poster.nextActionNs();
    }

    boolean act(long nowNs) {
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

    /** @param dying whether the connection is being killed */
    void onCompletion(WorkCompletion wc, boolean dying) {
        int number = (int) wc.wrId();
        report.event(TraceKind.COMPLETED_RECEIVE, own.host().index(), number, wc.byteLength());
        boolean due = returned < posted()
                && wc.wrId() == (returned | WR_ID_MARK)
                && wc.qpNumber() == own.qp().qpn();
        boolean flushed = dying && wc.status() == WcStatus.WR_FLUSH_ERR;
        if (!due || !flushed && (received < returned || !isSuccess(wc, steps.get(number)))) {
            report.violation("%s: receive completion %s, where %d are received, %d back, %d posted"
                    .formatted(own, wc, received, returned, posted()));
            return;
        }
        if (!flushed) {
            checkMessage(steps.get(number));
            received++;
        }
        returned++;
        account.returnUpTo(returned - 1 - base);
    }

    private static boolean isSuccess(WorkCompletion wc, Step step) {
        boolean immediate = step.kind().carriesImmediate();
        return wc.status() == WcStatus.SUCCESS
                && wc.opcode() == (step.kind().isSend() ? WcOpcode.RECV : WcOpcode.RECV_RDMA_WITH_IMM)
                && wc.byteLength() == step.length()
                && wc.flags().equals(immediate ? Set.of(WcFlag.WITH_IMM) : Set.of())
                && (!immediate || wc.immediate() == step.immediate());
    }

    /** What was received is there, and nothing beside it; what is sent on is known only when the whole program has run. */
    private void checkMessage(Step step) {
        Place place = step.inbox();
        if (place == null || step.forwards()) {
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

    @Override
    public String toString() {
        return own + ": " + received + " of " + steps.size() + " messages received";
    }
}
