// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.program;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.sim.world.Actor;
import io.rdma4j.testing.sim.world.CheckedMemory;
import io.rdma4j.testing.sim.world.Layout;
import io.rdma4j.testing.sim.world.RunReport;
import io.rdma4j.testing.sim.world.SimHost;
import io.rdma4j.testing.sim.world.Slot;
import io.rdma4j.testing.sim.world.TraceKind;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.wr.ReceiveBatch;
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
 * Posts receives that accept any message, for one or many queue pairs, from slots of equal size. Posts as many as are
 * expected, in time or late, and reuses the slots. Each receive has a unique number.
 */
final class ReceiveSlots implements Actor {
    /** A posted receive. */
    record PostedSlot(long number, Slot slot) {}

    private static final long MAX_PAUSE_NS = 300_000;

    private final SimHost host;
    private final Supplier<ReceiveBatch> queue;
    private final int depth;
    private final CheckedMemory memory;
    private final SplittableRandom random;
    private final RunReport report;
    private final List<IntSupplier> wanted = new ArrayList<>();
    private final ArrayDeque<Slot> free = new ArrayDeque<>();
    private final Map<Long, PostedSlot> posted = new HashMap<>();
    private int holders;
    private long nextNumber;
    private long nextPostNs;

    /**
     * @param queue opens a batch of receives
     * @param depth receives that the queue holds
     * @param region has {@link #regionBytes} and one slot more for each queue pair that takes receives from it
     * @param bytes maximum length of a message
     */
    ReceiveSlots(
            SimHost host,
            Supplier<ReceiveBatch> queue,
            int depth,
            MemoryRegion region,
            int bytes,
            int maxPieces,
            SplittableRandom random,
            RunReport report) {
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
            free.add(new Slot(at, slotBytes, layout));
        }
    }

    /** Memory for {@code slots} messages of {@code bytes}. */
    static long regionBytes(int slots, int bytes) {
        return (long) slots * Layout.slotBytes(bytes);
    }

    /**
     * Adds a queue pair that takes receives from it.
     *
     * @param messages number of messages still expected
     * @param mayHold whether an abandoned message may leave its receive to the next message
     */
    void addConsumer(IntSupplier messages, boolean mayHold) {
        wanted.add(messages);
        holders += mayHold ? 1 : 0;
    }

    CheckedMemory memory() {
        return memory;
    }

    /** Number of receives that have not completed. */
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
            Slot slot = free.removeFirst();
            long number = nextNumber++;
            posted.put(number, new PostedSlot(number, slot));
            batch.receive(number | Target.WR_ID_MARK);
            for (int piece = 0; piece < slot.layout().pieces(); piece++) {
                long address = memory.region().address()
                        + slot.offset()
                        + slot.layout().offset(piece);
                batch.sge(memory.region().lkey(), address, slot.layout().length(piece));
            }
            report.event(TraceKind.POSTED_RECEIVE, host.index(), (int) number, 0);
        }
        batch.complete();
    }

    /**
     * Handles a completed receive; null if it was not posted, or completed before. Its slot is checked before the next
     * use.
     */
    @Nullable
    PostedSlot giveBack(long wrId) {
        PostedSlot slot = posted.remove(wrId & ~Target.WR_ID_MARK);
        if (slot != null) {
            free.addLast(slot.slot());
        }
        return slot;
    }

    /** Checks at the end that all outstanding receives are in the queue: it accepts exactly as many as fill it. */
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

    /** Posts receives until the queue is full; returns their number. */
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
