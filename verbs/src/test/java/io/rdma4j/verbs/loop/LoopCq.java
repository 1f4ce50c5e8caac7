package io.rdma4j.verbs.loop;

import io.rdma4j.verbs.CompletionCursor;
import io.rdma4j.verbs.queue.CompletionEntry;
import io.rdma4j.verbs.queue.CompletionRing;
import io.rdma4j.verbs.queue.RingCompletionCursor;
import io.rdma4j.verbs.spi.CqEvents;
import io.rdma4j.verbs.spi.CqOps;

/** A completion ring and its cursor. */
final class LoopCq implements CqOps {
    private final CompletionRing ring;
    private final RingCompletionCursor cursor;

    LoopCq(int entries, CqEvents events, LoopDevice device) {
        ring = new CompletionRing(entries, events::completion, events::error);
        cursor = new RingCompletionCursor(ring, device::progress);
    }

    void post(CompletionEntry entry, boolean solicited) {
        ring.post(entry, solicited);
    }

    @Override
    public int capacity() {
        return ring.ring().capacity();
    }

    @Override
    public CompletionCursor startPoll() {
        return cursor.start();
    }

    @Override
    public boolean requestNotification(boolean solicitedOnly) {
        return ring.requestNotification(solicitedOnly);
    }

    @Override
    public void close() {}
}
