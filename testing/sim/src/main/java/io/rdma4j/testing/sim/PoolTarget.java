package io.rdma4j.testing.sim;

import io.rdma4j.base.Deadline;
import io.rdma4j.net.link.LinkProfile;
import io.rdma4j.testing.sim.ReceiveSlots.Slot;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks at messages that came into receives which were there for any message.
 *
 * <p>Over a reliable service each is the next one. Else it is one that was posted and not yet received: a later one than the
 * last, and no other, as long as the network keeps packets in order and does not double them. A packet that begins a message
 * begins it whenever it comes, so what the network brings twice or late may be received twice or late; it is whole even so.
 * A message that was given up half-way leaves its beginning where it was received, and the receive to the next one; a receive of a
 * shared queue completes with an error instead.
 */
final class PoolTarget implements Target {
    /** What the network may do to messages as wholes. */
    record Disorder(boolean doubles, boolean reorders) {
        static Disorder of(LinkProfile link) {
            return new Disorder(link.duplication() > 0, link.reordering() > 0);
        }
    }

    private final Endpoint own;
    private final ProgramMemory memory;
    private final ReceiveSlots slots;
    private final boolean ownsSlots;
    private final Disorder disorder;
    private final IntSupplier posted;
    private final BiConsumer<Step, WorkCompletion> onMessage;
    private final Report report;
    private final List<Step> steps;
    private final int[] times;
    private int received;
    private int next;
    private long lastNumber = -1;

    /**
     * @param posted steps that the peer has posted
     * @param onMessage is told what was received
     */
    PoolTarget(
            Endpoint own,
            Program program,
            ProgramMemory memory,
            ReceiveSlots slots,
            Disorder disorder,
            IntSupplier posted,
            BiConsumer<Step, WorkCompletion> onMessage,
            Report report) {
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

    /** Over an unreliable service nobody knows what is still to come. */
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
            // What was posted before and has not come by now does not come any more.
            while (next < steps.size() && steps.get(next).index() < posted.getAsInt()) {
                next++;
            }
        }
    }

    @Override
    public void onCompletion(WorkCompletion wc, boolean dying) {
        Slot slot = slots.giveBack(wc.wrId());
        long number = slot == null ? -1 : slot.number();
        report.event(TraceKind.COMPLETED_RECEIVE, own.host().index(), (int) number, wc.byteLength());
        boolean empty = dying && wc.status() == WcStatus.WR_FLUSH_ERR || isBroken(wc);
        if (slot == null || number <= lastNumber || !empty && wc.status() != WcStatus.SUCCESS) {
            report.violation("%s: receive completion %s, where the last one was %d".formatted(own, wc, lastNumber));
            return;
        }
        lastNumber = number;
        Step step = empty ? null : find(wc, slot.place());
        if (step == null && !empty) {
            report.violation("%s: receive completion %s fits none of the messages that may come, %d are received"
                    .formatted(own, wc, received));
            return;
        }
        if (step != null) {
            received++;
            onMessage.accept(step, wc);
        }
        checkRest(step, slot.place());
        slots.memory().adopt(slot.place().offset(), slot.place().slotBytes());
    }

    /** A message over UC that lost packets, in a receive of a shared queue: the receive completes with an error. */
    private boolean isBroken(WorkCompletion wc) {
        return own.service() == Service.UC && !ownsSlots && wc.status() == WcStatus.REM_INV_REQ_ERR;
    }

    /** Which message it was; null if none fits. */
    private @Nullable Step find(WorkCompletion wc, Place place) {
        boolean exact = isReliable();
        int end = exact ? Math.min(next + 1, steps.size()) : steps.size();
        for (int i = next; i < end && steps.get(i).index() < posted.getAsInt(); i++) {
            Step step = steps.get(i);
            boolean isNew = times[i] < (disorder.doubles() ? 2 : 1);
            if ((exact || isNew) && step.isReceivedAs(wc, routeBytes()) && holds(step, place)) {
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

    private boolean holds(Step step, Place place) {
        return !step.kind().isSend()
                || gather(slots.memory().actual(), place, routeBytes(), step.length())
                                .mismatch(memory.payload(step))
                        < 0;
    }

    /** Bytes of the message that lies at a place. */
    private static MemorySegment gather(MemorySegment from, Place place, int skip, int length) {
        MemorySegment bytes = MemorySegment.ofArray(new byte[skip + length]);
        place.layout().gather(from, place.offset(), bytes, skip + length);
        return bytes.asSlice(skip);
    }

    /** Behind the message, and between the pieces, nothing has changed, but for beginnings of messages that were given up. */
    private void checkRest(@Nullable Step step, Place place) {
        int capacity = place.layout().capacity();
        MemorySegment now = gather(slots.memory().actual(), place, 0, capacity);
        MemorySegment expected = MemorySegment.ofArray(new byte[place.slotBytes()]);
        MemorySegment.copy(slots.memory().expected(), place.offset(), expected, 0, place.slotBytes());
        MemorySegment was = gather(expected, new Place(0, place.slotBytes(), place.layout()), 0, capacity);
        place.layout().scatter(now, capacity, expected, 0);
        String wrong =
                Difference.describe(slots.memory().actual().asSlice(place.offset(), place.slotBytes()), expected);
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

    /** Whether a message that was given up may have left this byte. */
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
