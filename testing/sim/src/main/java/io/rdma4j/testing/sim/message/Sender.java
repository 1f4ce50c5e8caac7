// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.message;

import io.rdma4j.testing.sim.world.Layout;
import io.rdma4j.testing.sim.world.Pattern;
import io.rdma4j.testing.sim.world.RunReport;
import io.rdma4j.testing.sim.world.SimEndpoint;
import io.rdma4j.testing.sim.world.TraceKind;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.SignalType;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/**
 * Posts the messages of a plan at random times, with {@code SendBatch} and {@code SendRequest}. Checks that exactly the
 * expected completions arrive, once and in order. Overwrites its memory immediately after completion, so that the
 * receiver detects a device that still reads it.
 */
public final class Sender {
    private static final long MAX_PAUSE_NS = 100_000;

    private final SimEndpoint own;
    private final MessagePlan plan;
    private final SplittableRandom random;
    private final RunReport report;
    private final QueueAccount account;
    private final Poster poster;
    private final boolean signalsAll;
    private final int maxSge;
    private final int depth;
    private final int slotBytes;
    private final MemoryRegion region;
    private final MemorySegment memory;
    private final MemorySegment scratch;

    /** @param startNs time before which it does not post */
    public Sender(SimEndpoint own, MessagePlan plan, long seed, long startNs, RunReport report) {
        QpCapabilities capabilities = own.capabilities();
        this.own = own;
        this.plan = plan;
        this.random = new SplittableRandom(seed);
        this.report = report;
        this.depth = capabilities.maxSendWr();
        this.account = new QueueAccount(depth, plan.count(), plan.isPrompt());
        this.poster = new Poster(own + ": sends", account, random, plan.isPrompt() ? 0 : MAX_PAUSE_NS, startNs, report);
        this.signalsAll = own.qp().initAttributes().signalType() == SignalType.ALL_WR;
        this.maxSge = Math.min(capabilities.maxSendSge(), Layout.MAX_PIECES);
        this.slotBytes = Layout.slotBytes(plan.maxBytes());
        // One slot more than the queue has: a contiguous message.
        this.region = own.register((depth + 1L) * slotBytes);
        this.memory = region.segment();
        this.scratch = memory.asSlice((long) depth * slotBytes);
    }

    public boolean isDone() {
        return account.isDone();
    }

    /** Number of sends known to be complete. */
    int completed() {
        return account.returned();
    }

    long nextActionNs() {
        return poster.nextActionNs();
    }

    /** Posts sends at random times; returns true if it did. */
    public boolean act(long nowNs) {
        return poster.act(nowNs, random.nextBoolean() ? this::postBatch : this::postRequests);
    }

    /** Posts all of them in one {@code SendBatch}, without allocation. */
    private void postBatch(int count) {
        SendBatch batch = own.qp().startSend();
        for (int i = 0; i < count; i++) {
            PlannedMessage message = prepare(i);
            batch.wrId(message.index());
            if (message.signaled()) {
                batch.signaled();
            }
            if (message.solicited()) {
                batch.solicited();
            }
            if (message.hasImmediate()) {
                batch.sendImm(message.immediate());
            } else {
                batch.send();
            }
            if (message.inline()) {
                batch.inline(scratch.asSlice(0, message.length()));
            } else {
                Layout layout = slot(message);
                for (int piece = 0; piece < layout.pieces(); piece++) {
                    long address = region.address() + slot(message.index()) + layout.offset(piece);
                    batch.sge(region.lkey(), address, layout.length(piece));
                }
            }
        }
        batch.complete();
        scribble(scratch);
    }

    /** Posts them as {@code SendRequest}s, one after the other. */
    private void postRequests(int count) {
        for (int i = 0; i < count; i++) {
            PlannedMessage message = prepare(i);
            SendRequest.Builder request =
                    message.hasImmediate() ? SendRequest.sendWithImmediate(message.immediate()) : SendRequest.send();
            request.wrId(message.index());
            if (message.signaled()) {
                request.signaled();
            }
            if (message.solicited()) {
                request.solicited();
            }
            if (message.inline()) {
                request.inlineData(scratch.asSlice(0, message.length()));
            } else {
                Layout layout = slot(message);
                for (int piece = 0; piece < layout.pieces(); piece++) {
                    request.sge(region.sge(slot(message.index()) + layout.offset(piece), layout.length(piece)));
                }
            }
            own.qp().postSend(request.build());
            scribble(scratch);
        }
    }

    /** Writes the message {@code ahead} places behind the last posted one to the scratch memory. */
    private PlannedMessage prepare(int ahead) {
        PlannedMessage message = plan.message(account.posted() + ahead);
        Pattern.write(message.key(), scratch, 0, message.length());
        report.event(TraceKind.POSTED_SEND, own.host().index(), message.index(), message.length());
        return message;
    }

    /** Copies the message from the scratch memory to its slot. */
    private Layout slot(PlannedMessage message) {
        Layout layout = Layout.random(random, message.length(), maxSge);
        layout.scatter(scratch, message.length(), memory, slot(message.index()));
        return layout;
    }

    private long slot(int index) {
        return (long) (index % depth) * slotBytes;
    }

    private void scribble(MemorySegment segment) {
        segment.fill((byte) random.nextInt());
    }

    public void onCompletion(WorkCompletion wc) {
        int index = (int) wc.wrId();
        report.event(TraceKind.COMPLETED_SEND, own.host().index(), index, wc.byteLength());
        int expected = nextToComplete();
        if (expected == account.posted() || wc.wrId() != expected) {
            report.violation("%s: completion of send %d, where %s is due"
                    .formatted(own, wc.wrId(), expected == account.posted() ? "none" : "that of send " + expected));
            return;
        }
        if (wc.status() != WcStatus.SUCCESS
                || wc.opcode() != WcOpcode.SEND
                || wc.qpNumber() != own.qp().qpn()) {
            report.violation("%s: send %d ended as %s".formatted(own, index, wc));
        }
        for (int i = account.returned(); i <= index; i++) {
            scribble(memory.asSlice(slot(i), slotBytes));
        }
        account.returnUpTo(index);
    }

    /** Index of the oldest outstanding signalled send, or of the next send to be posted if there is none. */
    private int nextToComplete() {
        int index = account.returned();
        while (index < account.posted() && !signalsAll && !plan.message(index).signaled()) {
            index++;
        }
        return index;
    }

    @Override
    public String toString() {
        return own + ": " + account.posted() + " sends posted, " + account.returned() + " back";
    }
}
