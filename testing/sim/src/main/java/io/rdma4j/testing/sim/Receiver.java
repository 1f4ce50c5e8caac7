package io.rdma4j.testing.sim;

import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.QpCapabilities;
import io.rdma4j.verbs.ReceiveBatch;
import io.rdma4j.verbs.WcFlag;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Posts receives for the messages of a plan, in time or late; checks that each message arrives once, in its turn, whole,
 * with its immediate data, and that not a byte beside it was touched.
 */
final class Receiver {
    /** What the numbers of receives have besides the message's, so that both kinds may share a completion queue. */
    static final long WR_ID_MARK = 1L << 40;

    /** Longer than a message takes, so that queues run empty. */
    private static final long MAX_PAUSE_NS = 300_000;

    private static final int MAX_SPARE_BYTES = 16;

    private final Endpoint own;
    private final MessagePlan plan;
    private final SplittableRandom random;
    private final Report report;
    private final QueueAccount account;
    private final Poster poster;
    private final int maxSge;
    private final int depth;
    private final int slotBytes;
    private final MemoryRegion region;
    private final MemorySegment memory;
    private final MemorySegment expected;
    private final MemorySegment scratch;
    private final Layout[] layouts;

    Receiver(Endpoint own, MessagePlan plan, long seed, Report report) {
        QpCapabilities capabilities = own.capabilities();
        this.own = own;
        this.plan = plan;
        this.random = new SplittableRandom(seed);
        this.report = report;
        this.depth = capabilities.maxReceiveWr();
        this.account = new QueueAccount(depth, plan.count());
        this.poster = new Poster(
                own + ": receives", account, random, MAX_PAUSE_NS, own.host().nowNs(), report);
        this.maxSge = Math.min(capabilities.maxReceiveSge(), Layout.MAX_PIECES);
        this.slotBytes = Layout.slotBytes(plan.maxBytes() + MAX_SPARE_BYTES);
        // Two more than the queue is deep: what a slot should look like, and a message in one piece.
        this.region = own.register((depth + 2L) * slotBytes);
        this.memory = region.segment();
        this.expected = memory.asSlice((long) depth * slotBytes, slotBytes);
        this.scratch = memory.asSlice((depth + 1L) * slotBytes, slotBytes);
        this.layouts = new Layout[depth];
    }

    /** Messages received so far. */
    int received() {
        return account.returned();
    }

    boolean isDone() {
        return account.isDone();
    }

    long nextActionNs() {
        return poster.nextActionNs();
    }

    /** Posts if it feels like it; true if it did. */
    boolean act(long nowNs) {
        return poster.act(nowNs, this::post);
    }

    private void post(int count) {
        ReceiveBatch batch = own.qp().startReceive();
        for (int i = 0; i < count; i++) {
            Message message = plan.message(account.posted() + i);
            int spareBytes = random.nextBoolean() ? 0 : random.nextInt(MAX_SPARE_BYTES + 1);
            Layout layout = Layout.random(random, message.length() + spareBytes, maxSge);
            layouts[message.index() % depth] = layout;
            Pattern.write(~message.key(), memory, slot(message), slotBytes);
            batch.receive(message.index() | WR_ID_MARK);
            for (int piece = 0; piece < layout.pieces(); piece++) {
                long address = region.address() + slot(message) + layout.offset(piece);
                batch.sge(region.lkey(), address, layout.length(piece));
            }
            report.event(TraceKind.POSTED_RECEIVE, own.host().index(), message.index(), message.length() + spareBytes);
        }
        batch.complete();
    }

    private long slot(Message message) {
        return (long) (message.index() % depth) * slotBytes;
    }

    void onCompletion(WorkCompletion wc) {
        int index = (int) wc.wrId();
        report.event(TraceKind.COMPLETED_RECEIVE, own.host().index(), index, wc.byteLength());
        boolean none = account.returned() == account.posted();
        if (none || wc.wrId() != (account.returned() | WR_ID_MARK)) {
            report.violation("%s: completion of receive %d, where %s is due"
                    .formatted(own, index, none ? "none" : "that of receive " + account.returned()));
            return;
        }
        Message message = plan.message(index);
        checkCompletion(wc, message);
        checkMemory(message);
        account.returnUpTo(index);
    }

    private void checkCompletion(WorkCompletion wc, Message message) {
        boolean asSent = wc.status() == WcStatus.SUCCESS
                && wc.opcode() == WcOpcode.RECV
                && wc.qpNumber() == own.qp().qpn()
                && wc.byteLength() == message.length()
                && wc.flags().equals(message.hasImmediate() ? Set.of(WcFlag.WITH_IMM) : Set.of())
                && (!message.hasImmediate() || wc.immediate() == message.immediate());
        if (!asSent) {
            report.violation("%s: %s was received as %s".formatted(own, message, wc));
        }
    }

    /** Compares the whole slot with what it should be: the message in its pieces, everything else as it was. */
    private void checkMemory(Message message) {
        Layout layout = layouts[message.index() % depth];
        Pattern.write(~message.key(), expected, 0, slotBytes);
        Pattern.write(message.key(), scratch, 0, message.length());
        layout.scatter(scratch, message.length(), expected, 0);
        long wrong = memory.asSlice(slot(message), slotBytes).mismatch(expected);
        if (wrong >= 0) {
            report.violation("%s: message %d of %d bytes, received into %s: byte %d is wrong"
                    .formatted(own, message.index(), message.length(), layout, wrong));
        }
    }

    @Override
    public String toString() {
        return own + ": " + account.posted() + " receives posted, " + account.returned() + " back";
    }
}
