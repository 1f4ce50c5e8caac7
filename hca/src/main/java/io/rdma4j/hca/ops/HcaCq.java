// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.ops;

import io.rdma4j.hca.qp.PortLoop;
import io.rdma4j.loop.LoopClient;
import io.rdma4j.loop.Timed;
import io.rdma4j.verbs.spi.CqEvents;
import io.rdma4j.verbs.spi.CqOps;
import io.rdma4j.verbs.spi.CqSetup;
import io.rdma4j.verbs.spi.ring.CompletionOwner;
import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.spi.ring.RingCompletionCursor;
import io.rdma4j.verbs.values.CqCreateFlag;
import io.rdma4j.verbs.wr.CompletionCursor;
import io.rdma4j.verbs.wr.CompletionField;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A completion queue of the device; a thread that polls an empty queue runs the loop. Corresponds to {@code rxe_cq},
 * which has no extended fields, creation flags, moderation, or application memory.
 */
final class HcaCq extends Timed implements CqOps, CompletionOwner {
    /** Supported completion fields. */
    static final Set<CompletionField> FIELDS =
            Collections.unmodifiableSet(EnumSet.range(CompletionField.BYTE_LEN, CompletionField.COMPLETION_TIMESTAMP));

    /** Supported creation flags. SINGLE_THREADED has no effect, because an uncontended lock costs almost nothing. */
    static final Set<CqCreateFlag> FLAGS = Collections.unmodifiableSet(EnumSet.allOf(CqCreateFlag.class));

    /** Polls without work after which each poll runs the loop; before, one in {@link #POLLS_PER_LOOP}. */
    private static final int POLLS_AFTER_WORK = 256;

    /** A power of two. */
    private static final int POLLS_PER_LOOP = 32;

    private final PortLoop loop;
    private final CqEvents events;
    private final CompletionRing ring;
    private final RingCompletionCursor cursor;

    /** Number of polls; guarded by the cursor. */
    private int polls;

    /** Polls since the sources of completions had work, at most {@link #POLLS_AFTER_WORK}; guarded by the cursor. */
    private int emptyPolls = POLLS_AFTER_WORK;

    /** True if another process polls the queue. */
    private final boolean served;

    HcaCq(PortLoop loop, CqSetup attributes, CqEvents events) {
        this.loop = loop;
        this.events = events;
        this.ring = new CompletionRing(attributes, this);
        this.cursor = new RingCompletionCursor(ring, this::progress);
        this.served = attributes.queueMemory() != null;
    }

    CompletionRing ring() {
        return ring;
    }

    /**
     * Runs the sources of completions, and the loop. Soon after the sources had work, only some of the polls run the
     * loop, because more work of the sources is likely. For a thread that polls the queue.
     */
    private void progress() {
        if (ring.hasSources()) {
            emptyPolls = ring.pollSources() ? 0 : Math.min(emptyPolls + 1, POLLS_AFTER_WORK);
            if (emptyPolls < POLLS_AFTER_WORK && (++polls & POLLS_PER_LOOP - 1) != 0) {
                return;
            }
        }
        loop.poll();
    }

    // Interface to the application

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
    public void requestNotificationAt(int completions) {
        ring.requestNotificationAt(completions);
    }

    @Override
    public int waiting() {
        return cursor.waiting();
    }

    @Override
    public void moderate(int count, int periodUs) {
        loop.exclusively(() -> ring.moderate(count, TimeUnit.MICROSECONDS.toNanos(periodUs)));
    }

    /**
     * Locks out polling threads first, because one of them may wait for the loop. The owner of the loop never waits for
     * polling threads.
     */
    @Override
    public void resize(int entries) {
        cursor.exclusively(() -> loop.exclusively(() -> ring.resize(entries)));
    }

    /** The polling end of a served queue is in the client, which removes the completions itself. */
    @Override
    public void discard(int qpNumber) {
        if (!served) {
            cursor.discard(qpNumber);
        }
    }

    @Override
    public void close() {
        loop.exclusively(() -> loop.unschedule(this));
    }

    // Interface to the ring

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
        return loop.nanoTime();
    }

    @Override
    public void deadlineChanged() {
        loop.schedule(this);
    }

    // Interface to the port loop, for its owner

    @Override
    protected long nextDeadlineNs() {
        return ring.nextDeadlineNs();
    }

    @Override
    protected void onDeadline(long nowNs) {
        ring.onDeadline(nowNs);
    }

    @Override
    protected LoopClient client() {
        return loop;
    }
}
