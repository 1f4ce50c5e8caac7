// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.example;

import io.rdma4j.verbs.spi.CqEvents;
import io.rdma4j.verbs.spi.CqOps;
import io.rdma4j.verbs.spi.CqSetup;
import io.rdma4j.verbs.spi.ring.CompletionOwner;
import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.spi.ring.RingCompletionCursor;
import io.rdma4j.verbs.wr.CompletionCursor;

/** A completion queue that consists of the ring: the device posts to it, the cursor polls it. */
final class EchoCq implements CqOps, CompletionOwner {
    final CompletionRing ring;
    private final CqEvents events;
    private final RingCompletionCursor cursor;

    EchoCq(CqSetup attributes, CqEvents events) {
        this.events = events;
        this.ring = new CompletionRing(attributes, this);
        this.cursor = new RingCompletionCursor(ring, () -> {});
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
    public void discard(int qpNumber) {
        cursor.discard(qpNumber);
    }

    @Override
    public void close() {}

    @Override
    public void completion() {
        events.completion();
    }

    @Override
    public void error() {
        events.error();
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    /** No moderation, so no deadlines. */
    @Override
    public void deadlineChanged() {}
}
