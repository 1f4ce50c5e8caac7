package io.rdma4j.verbs.queue;

import io.rdma4j.base.Deadline;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * When a completion queue raises the events that the program asked for: at the next completion, the next solicited one, or
 * once so many wait; moderation holds the former two back until there is more to report.
 *
 * <p>Any thread asks. Counting and moderation belong to the owner of the port loop.
 */
final class CompletionNotice {
    private static final int DISARMED = 0;
    private static final int SOLICITED = 1;
    private static final int NEXT = 2;

    private final CompletionOwner owner;

    /**
     * Where it lies which completion raises the next event: {@link #DISARMED}, {@link #SOLICITED} or {@link #NEXT}. Another process may write it, too;
     * anything else counts as disarmed.
     */
    private volatile Ring ring;

    /** How many waiting completions raise an event; 0 for none. */
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

    /** The queue lies in another ring from now on; what was asked for in the former one still is. */
    void moveTo(Ring next) {
        Ring former = ring;
        ring = next;
        next.raiseRequest(former.takeRequest());
    }

    /** A request for any completion is not weakened by a later one for solicited completions only (IBA 11.4.2.2). */
    @SuppressWarnings("ReferenceEquality") // a ring is itself
    void arm(boolean solicitedOnly) {
        Ring asked;
        do {
            asked = ring;
            asked.raiseRequest(solicitedOnly ? SOLICITED : NEXT);
            // Whoever moves the queue meanwhile may have looked at the former ring already.
        } while (asked != ring);
    }

    /** Asks for an event once {@code completions} wait; the last request counts. */
    void armAt(int completions) {
        threshold.set(completions);
    }

    /** True if {@link #onWaiting} is to be told how many wait. */
    boolean countsWaiting() {
        return threshold.get() != 0;
    }

    /** So many completions wait: enough for those who asked for a number of them? */
    void onWaiting(int completions) {
        int wanted = threshold.get();
        if (wanted != 0 && completions >= wanted && threshold.compareAndSet(wanted, 0)) {
            owner.completion();
        }
    }

    /**
     * A completion can be polled from now on.
     *
     * @param wanted what {@link Ring#request} says after that
     */
    void onPosted(int wanted, boolean solicited) {
        sinceEvent++;
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

    /** True if an event was asked for; none is any more. */
    private boolean isArmed() {
        try {
            return ring.takeRequest() != DISARMED;
        } catch (IllegalStateException closed) {
            // The program has taken the memory away, and with it the request.
            return false;
        }
    }

    /**
     * From now on events come after so many completions, or so long after the last one; 0 for either takes that rule away. An
     * event that is being held back is raised.
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
