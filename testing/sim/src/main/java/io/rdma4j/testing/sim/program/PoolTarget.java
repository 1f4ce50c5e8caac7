// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.program;

import io.rdma4j.base.Deadline;
import io.rdma4j.links.LinkProfile;
import io.rdma4j.testing.sim.program.ReceiveSlots.PostedSlot;
import io.rdma4j.testing.sim.world.Difference;
import io.rdma4j.testing.sim.world.RunReport;
import io.rdma4j.testing.sim.world.Service;
import io.rdma4j.testing.sim.world.SimEndpoint;
import io.rdma4j.testing.sim.world.Slot;
import io.rdma4j.testing.sim.world.TraceKind;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks messages that arrive in receives which accept any message.
 *
 * <p>Over a reliable service each message is the next one. Over an unreliable service it is a posted message that was
 * not received before. It is later than the last one, unless the network reorders or duplicates packets. The first
 * packet of a message starts the message whenever it arrives. So duplicated or delayed messages may be received twice
 * or late, but always complete. An abandoned message leaves its first bytes in the receive, and the next message uses
 * this receive. A receive of a shared receive queue completes with an error instead.
 */
final class PoolTarget implements Target {
    /** Whether the network may duplicate or reorder messages. */
    record Disorder(boolean doubles, boolean reorders) {
        static Disorder of(LinkProfile link) {
            return new Disorder(link.duplication() > 0, link.reordering() > 0);
        }
    }

    private final SimEndpoint own;
    private final ProgramMemory memory;
    private final ReceiveSlots slots;
    private final boolean ownsSlots;
    private final Disorder disorder;
    private final IntSupplier posted;
    private final BiConsumer<Step, WorkCompletion> onMessage;
    private final RunReport report;
    private final List<Step> steps;
    private final int[] times;
    private int received;
    private int next;
    private long lastNumber = -1;

    /**
     * @param posted number of steps that the peer has posted
     * @param onMessage receives the step and the completion of each message
     */
    PoolTarget(
            SimEndpoint own,
            WorkloadProgram program,
            ProgramMemory memory,
            ReceiveSlots slots,
            Disorder disorder,
            IntSupplier posted,
            BiConsumer<Step, WorkCompletion> onMessage,
            RunReport report) {
        this.own = own;
        this.memory = memory;
        this.slots = slots;
        this.ownsSlots = own.shared() == null;
        this.disorder = disorder;
        this.posted = posted;
        this.onMessage = onMessage;
        this.report = report;
        this.steps = program.receives();
        this.times = new int[steps.size()];
        slots.addConsumer(this::wanted, own.service() == Service.UC);
    }

    private boolean isReliable() {
        return own.service().isReliable();
    }

    /** Over an unreliable service the number of messages still to come is unknown, so all are counted. */
    private int wanted() {
        return isReliable() ? steps.size() - received : steps.size();
    }

    @Override
    public boolean act(long nowNs) {
        return ownsSlots && slots.act(nowNs);
    }

    @Override
    public long nextActionNs() {
        return ownsSlots ? slots.nextActionNs() : Deadline.NEVER;
    }

    @Override
    public int received() {
        return received;
    }

    @Override
    public boolean isDone() {
        return !isReliable() || received == steps.size();
    }

    @Override
    public boolean isIdle() {
        return !ownsSlots || slots.outstanding() == 0;
    }

    @Override
    public void restart() {
        if (!isReliable()) {
            // Messages posted before the connection was made again cannot arrive any more.
            while (next < steps.size() && steps.get(next).index() < posted.getAsInt()) {
                next++;
            }
        }
    }

    @Override
    public void onCompletion(WorkCompletion wc, boolean dying) {
        PostedSlot slot = slots.giveBack(wc.wrId());
        long number = slot == null ? -1 : slot.number();
        report.event(TraceKind.COMPLETED_RECEIVE, own.host().index(), (int) number, wc.byteLength());
        boolean empty = dying && wc.status() == WcStatus.WR_FLUSH_ERR || isBroken(wc);
        if (slot == null || number <= lastNumber || !empty && wc.status() != WcStatus.SUCCESS) {
            report.violation("%s: receive completion %s, where the last one was %d".formatted(own, wc, lastNumber));
            return;
        }
        lastNumber = number;
        Step step = empty ? null : find(wc, slot.slot());
        if (step == null && !empty) {
            report.violation("%s: receive completion %s fits none of the messages that may come, %d are received"
                    .formatted(own, wc, received));
            return;
        }
        if (step != null) {
            received++;
            onMessage.accept(step, wc);
        }
        checkRest(step, slot.slot());
        slots.memory().adopt(slot.slot().offset(), slot.slot().slotBytes());
    }

    /**
     * True for a UC message that lost packets in a receive of a shared receive queue: the receive completes with an
     * error.
     */
    private boolean isBroken(WorkCompletion wc) {
        return own.service() == Service.UC && !ownsSlots && wc.status() == WcStatus.REM_INV_REQ_ERR;
    }

    /** Returns the step of the message; null if none matches. */
    private @Nullable Step find(WorkCompletion wc, Slot slot) {
        boolean exact = isReliable();
        int end = exact ? Math.min(next + 1, steps.size()) : steps.size();
        for (int i = next; i < end && steps.get(i).index() < posted.getAsInt(); i++) {
            Step step = steps.get(i);
            boolean isNew = times[i] < (disorder.doubles() ? 2 : 1);
            if ((exact || isNew) && step.isReceivedAs(wc, routeBytes()) && holds(step, slot)) {
                times[i]++;
                if (exact) {
                    next = i + 1;
                } else if (!disorder.reorders()) {
                    next = disorder.doubles() ? i : i + 1;
                }
                return step;
            }
        }
        return null;
    }

    private int routeBytes() {
        return own.service().routeBytes();
    }

    private boolean holds(Step step, Slot slot) {
        return !step.kind().isSend()
                || gather(slots.memory().actual(), slot, routeBytes(), step.length())
                                .mismatch(memory.payload(step))
                        < 0;
    }

    /** Copies the message out of a slot. */
    private static MemorySegment gather(MemorySegment from, Slot slot, int skip, int length) {
        MemorySegment bytes = MemorySegment.ofArray(new byte[skip + length]);
        slot.layout().gather(from, slot.offset(), bytes, skip + length);
        return bytes.asSlice(skip);
    }

    /**
     * Checks that the bytes behind the message and between its segments are unchanged, except by abandoned messages.
     */
    private void checkRest(@Nullable Step step, Slot slot) {
        int capacity = slot.layout().capacity();
        MemorySegment now = gather(slots.memory().actual(), slot, 0, capacity);
        MemorySegment expected = MemorySegment.ofArray(new byte[slot.slotBytes()]);
        MemorySegment.copy(slots.memory().expected(), slot.offset(), expected, 0, slot.slotBytes());
        MemorySegment was = gather(expected, new Slot(0, slot.slotBytes(), slot.layout()), 0, capacity);
        slot.layout().scatter(now, capacity, expected, 0);
        String wrong = Difference.describe(slots.memory().actual().asSlice(slot.offset(), slot.slotBytes()), expected);
        int from = step == null || !step.kind().isSend() ? 0 : routeBytes() + step.length();
        for (int i = from; wrong.isEmpty() && i < capacity; i++) {
            byte value = now.get(ValueLayout.JAVA_BYTE, i);
            boolean same = value == was.get(ValueLayout.JAVA_BYTE, i);
            if (!same && !mayBeLeft(value, i, step != null)) {
                wrong = "byte %d behind the message is wrong".formatted(i);
            }
        }
        if (!wrong.isEmpty()) {
            report.violation("%s: %s, received: %s".formatted(own, step == null ? "flushed or broken" : step, wrong));
        }
    }

    /** True if an abandoned message may have written this byte. */
    private boolean mayBeLeft(byte value, int at, boolean complete) {
        if (own.service() == Service.UD || isReliable() && complete) {
            return false;
        }
        for (Step step : steps) {
            boolean reached = step.index() < posted.getAsInt() && step.kind().isSend() && at < step.length();
            if (reached && memory.payload(step).get(ValueLayout.JAVA_BYTE, at) == value) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void checkEnd() {
        if (ownsSlots) {
            slots.checkEnd();
        }
    }

    @Override
    public String toString() {
        return own + ": " + received + " of " + steps.size() + " messages received";
    }
}
