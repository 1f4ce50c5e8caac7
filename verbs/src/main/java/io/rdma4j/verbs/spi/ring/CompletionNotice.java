// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import io.rdma4j.base.Deadline;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Decides when a completion queue raises the events that the application requested: at the next completion, at the next
 * solicited completion, or once a number of completions wait. Moderation delays the first two kinds.
 *
 * <p>Any thread may request an event. Only the owner of the port loop counts and moderates.
 */
final class CompletionNotice {
    private static final int DISARMED = 0;
    private static final int SOLICITED = 1;
    private static final int NEXT = 2;

    private final CompletionOwner owner;

    /**
     * Contains the request: {@link #DISARMED}, {@link #SOLICITED} or {@link #NEXT}. Another process may write it; other
     * values count as disarmed.
     */
    private volatile Ring ring;

    /** Number of waiting completions that raises an event; 0 for none. */
    private final AtomicInteger threshold = new AtomicInteger();

    private int moderationCount;
    private long moderationNs;
    private long sinceEvent;
    private long lastEventNs;
    private boolean heldBack;
    private long deadlineNs = Deadline.NEVER;

    CompletionNotice(CompletionOwner owner, Ring ring) {
        this.owner = owner;
        this.ring = ring;
    }

    /** Moves to another ring, together with the pending request. */
    void moveTo(Ring next) {
        Ring former = ring;
        ring = next;
        next.raiseRequest(former.takeRequest());
    }

    /** A later request for solicited completions only does not replace a request for any completion (IBA 11.4.2.2). */
    @SuppressWarnings("ReferenceEquality") // identity is intended
    void arm(boolean solicitedOnly) {
        Ring asked;
        do {
            asked = ring;
            asked.raiseRequest(solicitedOnly ? SOLICITED : NEXT);
            // A thread that moves the queue meanwhile may already have read the request of the former ring.
        } while (asked != ring);
    }

    /** Requests an event once {@code completions} wait; replaces an earlier request of this kind. */
    void armAt(int completions) {
        threshold.set(completions);
    }

    /** True if {@link #onWaiting} must be called with the number of waiting completions. */
    boolean countsWaiting() {
        return threshold.get() != 0;
    }

    /**
     * True if completions that were published may raise an event; any thread.
     *
     * @param wanted value of {@link Ring#request} read after that
     */
    boolean isWanted(int wanted) {
        return wanted != DISARMED || countsWaiting();
    }

    /** Raises the event if at least as many completions wait as requested. */
    void onWaiting(int completions) {
        int wanted = threshold.get();
        if (wanted != 0 && completions >= wanted && threshold.compareAndSet(wanted, 0)) {
            owner.completion();
        }
    }

    /**
     * Called after completions were published.
     *
     * @param completions number of them
     * @param wanted value of {@link Ring#request} read after that
     * @param solicited true if one of them is solicited
     */
    void onPosted(int completions, int wanted, boolean solicited) {
        sinceEvent += completions;
        if (wanted == NEXT || wanted == SOLICITED && (solicited || heldBack)) {
            raiseOrHoldBack();
        }
    }

    private void raiseOrHoldBack() {
        boolean moderated = moderationCount != 0 || moderationNs != 0;
        boolean enough = moderationCount != 0 && sinceEvent >= moderationCount;
        if (!moderated || enough) {
            raise();
            return;
        }
        long nextEventNs = moderationNs == 0 ? Deadline.NEVER : Deadline.after(lastEventNs, moderationNs);
        if (Deadline.isDue(nextEventNs, owner.nanoTime())) {
            raise();
        } else if (!heldBack) {
            heldBack = true;
            deadlineNs = nextEventNs;
            owner.deadlineChanged();
        }
    }

    private void raise() {
        heldBack = false;
        deadlineNs = Deadline.NEVER;
        sinceEvent = 0;
        lastEventNs = moderationNs == 0 ? 0 : owner.nanoTime();
        if (isArmed()) {
            owner.completion();
        }
    }

    /** True if an event was requested; clears the request. */
    private boolean isArmed() {
        try {
            return ring.takeRequest() != DISARMED;
        } catch (IllegalStateException closed) {
            // The application has freed the memory, which contained the request.
            return false;
        }
    }

    /**
     * Sets moderation: an event is raised after {@code count} completions, or {@code periodNs} after the last event; 0
     * disables a rule. A delayed event is raised at once.
     */
    void moderate(int count, long periodNs) {
        moderationCount = count;
        moderationNs = periodNs;
        if (heldBack) {
            raise();
        } else {
            sinceEvent = 0;
            lastEventNs = owner.nanoTime();
        }
    }

    long nextDeadlineNs() {
        return deadlineNs;
    }

    void onDeadline(long nowNs) {
        if (Deadline.isDue(deadlineNs, nowNs)) {
            raise();
        }
    }
}
