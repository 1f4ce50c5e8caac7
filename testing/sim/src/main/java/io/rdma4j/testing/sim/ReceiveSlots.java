package io.rdma4j.testing.sim;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ReceiveBatch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Receives that take whatever comes, for one queue pair or for many: places of equal size, posted in time or late, as many
 * as are wanted, again and again. Each receive has a number of its own.
 */
final class ReceiveSlots implements Actor {
    /** A posted receive. */
    record Slot(long number, Place place) {}

    private static final long MAX_PAUSE_NS = 300_000;

    private final SimHost host;
    private final Supplier<ReceiveBatch> queue;
    private final int depth;
    private final CheckedMemory memory;
    private final SplittableRandom random;
    private final Report report;
    private final List<IntSupplier> wanted = new ArrayList<>();
    private final ArrayDeque<Place> free = new ArrayDeque<>();
    private final Map<Long, Slot> posted = new HashMap<>();
    private int holders;
    private long nextNumber;
    private long nextPostNs;

    /**
     * @param queue opens a batch of receives
     * @param depth receives that the queue holds
     * @param region with room for a slot more than {@link #regionBytes} says for each queue pair that draws from it
     * @param bytes that a message may have
     */
    ReceiveSlots(
            SimHost host,
            Supplier<ReceiveBatch> queue,
            int depth,
            MemoryRegion region,
            int bytes,
            int maxPieces,
            SplittableRandom random,
            Report report) {
        this.host = host;
        this.queue = queue;
        this.depth = depth;
        this.memory = new CheckedMemory(region, random.nextLong());
        this.random = random;
        this.report = report;
        this.nextPostNs = host.nowNs() + random.nextLong(MAX_PAUSE_NS);
        int slotBytes = Layout.slotBytes(bytes);
        for (long at = 0; at + slotBytes <= region.lengthBytes(); at += slotBytes) {
            Layout layout = Layout.random(random, bytes, Math.min(maxPieces, Layout.MAX_PIECES));
            free.add(new Place(at, slotBytes, layout));
        }
    }

    /** Memory for {@code slots} messages of {@code bytes}. */
    static long regionBytes(int slots, int bytes) {
        return (long) slots * Layout.slotBytes(bytes);
    }

    /**
     * Somebody draws from it.
     *
     * @param messages so many are still expected
     * @param mayHold whether a message may be given up half-way, which leaves the receive to the next one
     */
    void addConsumer(IntSupplier messages, boolean mayHold) {
        wanted.add(messages);
        holders += mayHold ? 1 : 0;
    }

    CheckedMemory memory() {
        return memory;
    }

    /** Receives that have not come back. */
    int outstanding() {
        return posted.size();
    }

    private int room() {
        int missing = wanted.stream().mapToInt(IntSupplier::getAsInt).sum() - posted.size();
        return Math.min(missing, Math.min(free.size(), depth - posted.size()));
    }

    @Override
    public long nextActionNs() {
        return room() > 0 ? nextPostNs : Deadline.NEVER;
    }

    @Override
    public boolean act(long nowNs) {
        int room = room();
        if (room <= 0 || nextPostNs - nowNs > 0) {
            return false;
        }
        int count = random.nextInt(1, room + 1);
        try {
            post(count);
        } catch (RdmaException e) {
            report.violation("host%d: %d receives were refused: %s".formatted(host.index(), count, e));
        }
        nextPostNs = random.nextInt(3) == 0 ? nowNs + random.nextLong(MAX_PAUSE_NS) : nowNs;
        return true;
    }

    private void post(int count) {
        ReceiveBatch batch = queue.get();
        for (int i = 0; i < count; i++) {
            Place place = free.removeFirst();
            long number = nextNumber++;
            posted.put(number, new Slot(number, place));
            batch.receive(number | Target.WR_ID_MARK);
            for (int piece = 0; piece < place.layout().pieces(); piece++) {
                long address = memory.region().address()
                        + place.offset()
                        + place.layout().offset(piece);
                batch.sge(memory.region().lkey(), address, place.layout().length(piece));
            }
            report.event(TraceKind.POSTED_RECEIVE, host.index(), (int) number, 0);
        }
        batch.complete();
    }

    /** A receive has come back; null if it was not posted, or came back before. Its place is looked at before it is used again. */
    @Nullable
    Slot giveBack(long wrId) {
        Slot slot = posted.remove(wrId & ~Target.WR_ID_MARK);
        if (slot != null) {
            free.addLast(slot.place());
        }
        return slot;
    }

    /** All is done: what has not come back must be in the queue, so that it takes as many as fill it up and no more. */
    void checkEnd() {
        int waiting = depth - fill();
        if (waiting > posted.size() || waiting < posted.size() - holders) {
            report.violation("host%d: %d receives have not come back, but %d are in their queue"
                    .formatted(host.index(), posted.size(), waiting));
        }
        String wrong = memory.difference();
        if (holders == 0 && !wrong.isEmpty()) {
            report.violation("host%d: memory of receives: %s".formatted(host.index(), wrong));
        }
    }

    /** Posts receives until there is no room; says how many. */
    private int fill() {
        for (int taken = 0; taken <= depth; taken++) {
            try {
                queue.get().receive(taken).complete();
            } catch (RdmaException e) {
                if (e.errno() != Errno.ENOMEM) {
                    report.violation("host%d: a receive was refused: %s".formatted(host.index(), e));
                }
                return taken;
            }
        }
        return depth + 1;
    }
}
