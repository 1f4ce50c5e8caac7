package io.rdma4j.rxe;

import io.rdma4j.verbs.CompletionCursor;
import io.rdma4j.verbs.queue.CompletionRing;
import io.rdma4j.verbs.queue.RingCompletionCursor;
import io.rdma4j.verbs.spi.CqEvents;
import io.rdma4j.verbs.spi.CqOps;

/** A completion queue of the device; whoever polls it while it is empty drives the device. */
final class RxeCq implements CqOps {
    private final CompletionRing ring;
    private final RingCompletionCursor cursor;

    RxeCq(RxePort port, int entries, CqEvents events) {
        this.ring = new CompletionRing(entries, events::completion, events::error);
        this.cursor = new RingCompletionCursor(ring, port.loop()::poll);
    }

    CompletionRing ring() {
        return ring;
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
    public void close() {
        // The ring's memory goes with the last reference to it.
    }
}
