// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.loop;

import io.rdma4j.verbs.spi.CqEvents;
import io.rdma4j.verbs.spi.CqOps;
import io.rdma4j.verbs.spi.CqSetup;
import io.rdma4j.verbs.spi.ring.CompletionEntry;
import io.rdma4j.verbs.spi.ring.CompletionOwner;
import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.spi.ring.RingCompletionCursor;
import io.rdma4j.verbs.wr.CompletionCursor;

/** A completion ring and its cursor. */
final class LoopCq implements CqOps, CompletionOwner {
    private final CqEvents events;
    private final CompletionRing ring;
    private final RingCompletionCursor cursor;

    LoopCq(CqSetup attributes, CqEvents events, LoopDevice device) {
        this.events = events;
        ring = new CompletionRing(attributes, this);
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
    public void completion() {
        events.completion();
    }

    @Override
    public void error() {
        events.error();
    }

    @Override
    public long nanoTime() {
        return 0;
    }

    @Override
    public void deadlineChanged() {
        throw new AssertionError("this device moderates nothing");
    }

    @Override
    public void discard(int qpNumber) {
        cursor.discard(qpNumber);
    }

    @Override
    public void close() {}
}
