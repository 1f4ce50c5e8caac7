package io.rdma4j.rxe;

import io.rdma4j.net.loop.LoopClient;
import io.rdma4j.net.loop.Timed;
import io.rdma4j.verbs.CompletionCursor;
import io.rdma4j.verbs.CompletionField;
import io.rdma4j.verbs.CqCreateFlag;
import io.rdma4j.verbs.CqInitAttributes;
import io.rdma4j.verbs.queue.CompletionOwner;
import io.rdma4j.verbs.queue.CompletionRing;
import io.rdma4j.verbs.queue.RingCompletionCursor;
import io.rdma4j.verbs.spi.CqEvents;
import io.rdma4j.verbs.spi.CqOps;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A completion queue of the device; whoever polls it while it is empty drives the device. Answers to {@code rxe_cq}, which knows no
 * fields, flags, moderation and memory of the program.
 */
final class RxeCq extends Timed implements CqOps, CompletionOwner {
    /** What its completions can carry. */
    static final Set<CompletionField> FIELDS =
            Collections.unmodifiableSet(EnumSet.range(CompletionField.BYTE_LEN, CompletionField.COMPLETION_TIMESTAMP));

    /** How it can be made; the lock that a single thread could do without costs next to nothing. */
    static final Set<CqCreateFlag> FLAGS = Collections.unmodifiableSet(EnumSet.allOf(CqCreateFlag.class));

    private final RxePort port;
    private final CqEvents events;
    private final CompletionRing ring;
    private final RingCompletionCursor cursor;

    RxeCq(RxePort port, CqInitAttributes attributes, CqEvents events) {
        this.port = port;
        this.events = events;
        this.ring = new CompletionRing(attributes, this);
        this.cursor = new RingCompletionCursor(ring, port.netLoop()::poll);
    }

    CompletionRing ring() {
        return ring;
    }

    // Towards the application

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
        port.netLoop().exclusively(() -> ring.moderate(count, TimeUnit.MICROSECONDS.toNanos(periodUs)));
    }

    /** Pollers first, for one of them may be waiting for the loop; nobody in the loop waits for pollers. */
    @Override
    public void resize(int entries) {
        cursor.exclusively(() -> port.netLoop().exclusively(() -> ring.resize(entries)));
    }

    @Override
    public void close() {
        port.netLoop().exclusively(() -> port.netLoop().unschedule(this));
    }

    // Towards the ring

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
        return port.netLoop().clock().nanoTime();
    }

    @Override
    public void deadlineChanged() {
        port.netLoop().schedule(this);
    }

    // Towards the port loop, by its owner

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
        return port.loop();
    }
}
