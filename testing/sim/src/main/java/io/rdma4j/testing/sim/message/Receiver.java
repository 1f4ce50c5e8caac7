// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.message;

import io.rdma4j.testing.sim.world.Layout;
import io.rdma4j.testing.sim.world.Pattern;
import io.rdma4j.testing.sim.world.RunReport;
import io.rdma4j.testing.sim.world.SimEndpoint;
import io.rdma4j.testing.sim.world.TraceKind;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.wr.ReceiveBatch;
import io.rdma4j.verbs.wr.WcFlag;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Posts receives for the messages of a plan, in time or late. Checks that each message arrives once, in order,
 * complete, with its immediate data, and that no other byte has changed.
 */
public final class Receiver {
    /** Flag in the {@code wr_id} of receives; sends and receives may share a completion queue. */
    public static final long WR_ID_MARK = 1L << 40;

    /** Longer than the transfer of a message, so that queues become empty. */
    private static final long MAX_PAUSE_NS = 300_000;

    private static final int MAX_SPARE_BYTES = 16;

    private final SimEndpoint own;
    private final MessagePlan plan;
    private final SplittableRandom random;
    private final RunReport report;
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

    public Receiver(SimEndpoint own, MessagePlan plan, long seed, RunReport report) {
        QpCapabilities capabilities = own.capabilities();
        this.own = own;
        this.plan = plan;
        this.random = new SplittableRandom(seed);
        this.report = report;
        this.depth = capabilities.maxReceiveWr();
        this.account = new QueueAccount(depth, plan.count(), plan.isPrompt());
        this.poster = new Poster(
                own + ": receives",
                account,
                random,
                plan.isPrompt() ? 0 : MAX_PAUSE_NS,
                own.host().nowNs(),
                report);
        this.maxSge = Math.min(capabilities.maxReceiveSge(), Layout.MAX_PIECES);
        this.slotBytes = Layout.slotBytes(plan.maxBytes() + MAX_SPARE_BYTES);
        // Two slots more than the queue has: the expected content of a slot, and a contiguous message.
        this.region = own.register((depth + 2L) * slotBytes);
        this.memory = region.segment();
        this.expected = memory.asSlice((long) depth * slotBytes, slotBytes);
        this.scratch = memory.asSlice((depth + 1L) * slotBytes, slotBytes);
        this.layouts = new Layout[depth];
    }

    /** Number of messages received. */
    int received() {
        return account.returned();
    }

    boolean isDone() {
        return account.isDone();
    }

    long nextActionNs() {
        return poster.nextActionNs();
    }

    /** Posts receives at random times; returns true if it did. */
    public boolean act(long nowNs) {
        return poster.act(nowNs, this::post);
    }

    private void post(int count) {
        ReceiveBatch batch = own.qp().startReceive();
        for (int i = 0; i < count; i++) {
            PlannedMessage message = plan.message(account.posted() + i);
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

    private long slot(PlannedMessage message) {
        return (long) (message.index() % depth) * slotBytes;
    }

    public void onCompletion(WorkCompletion wc) {
        int index = (int) wc.wrId();
        report.event(TraceKind.COMPLETED_RECEIVE, own.host().index(), index, wc.byteLength());
        boolean none = account.returned() == account.posted();
        if (none || wc.wrId() != (account.returned() | WR_ID_MARK)) {
            report.violation("%s: completion of receive %d, where %s is due"
                    .formatted(own, index, none ? "none" : "that of receive " + account.returned()));
            return;
        }
        PlannedMessage message = plan.message(index);
        checkCompletion(wc, message);
        checkMemory(message);
        account.returnUpTo(index);
    }

    private void checkCompletion(WorkCompletion wc, PlannedMessage message) {
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

    /** Compares the whole slot: the segments must hold the message, all other bytes must be unchanged. */
    private void checkMemory(PlannedMessage message) {
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
