// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.pool;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Records where leases were taken, and detects leases that became unreachable without being closed. It has no thread:
 * the thread that takes the next lease checks for lost ones.
 */
final class LeaseWatch {
    /** Stack frames of the pool itself are omitted. */
    private static final Set<String> OWN =
            Set.of(LeaseWatch.class.getName(), MemoryLease.class.getName(), MemoryPool.class.getName());

    private final ReferenceQueue<MemoryLease> lost = new ReferenceQueue<>();
    private final Set<Mark> open = ConcurrentHashMap.newKeySet();

    /** Tracks one lease. */
    static final class Mark extends PhantomReference<MemoryLease> {
        private final long handle;
        private final MemoryLeak place;

        private Mark(MemoryLease lease, ReferenceQueue<MemoryLease> queue, MemoryLeak place) {
            super(lease, queue);
            this.handle = lease.handle();
            this.place = place;
        }

        long handle() {
            return handle;
        }

        MemoryLeak place() {
            return place;
        }
    }

    /** Records a lease with the stack of the pool's caller. */
    Mark opened(MemoryLease lease) {
        List<StackTraceElement> stack = StackWalker.getInstance()
                .walk(frames -> frames.map(StackWalker.StackFrame::toStackTraceElement)
                        .dropWhile(frame -> OWN.contains(frame.getClassName()))
                        .toList());
        Mark mark = new Mark(
                lease,
                lost,
                new MemoryLeak(lease.lengthBytes(), Thread.currentThread().getName(), stack));
        open.add(mark);
        return mark;
    }

    /** Removes a closed lease. */
    void closed(Mark mark) {
        open.remove(mark);
        mark.clear();
    }

    /** Calls {@code finder} once for each lost lease. */
    void findLost(Consumer<Mark> finder) {
        for (Object found = lost.poll(); found != null; found = lost.poll()) {
            if (found instanceof Mark mark && open.remove(mark)) {
                finder.accept(mark);
            }
        }
    }

    /** The leases that are not closed. */
    List<MemoryLeak> open() {
        return open.stream().map(Mark::place).toList();
    }
}
