// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Deadline;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.spi.ring.CompletionEntry;
import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.spi.ring.RingCompletionCursor;
import io.rdma4j.verbs.wr.CompletionCursor;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import org.junit.jupiter.api.Test;

/** Conditions under which a completion queue raises requested events. */
class CompletionNoticeTest {
    private static final long PERIOD_NS = 50_000;

    private final RecordingOwner owner = new RecordingOwner();
    private final CompletionRing ring = new CompletionRing(CqInitAttributes.of(100), owner);

    private void post(int count, boolean solicited) {
        CompletionEntry entry = new CompletionEntry();
        for (int i = 0; i < count; i++) {
            assertThat(ring.post(entry.begin(i, WcStatus.SUCCESS, WcOpcode.RECV, 1), solicited))
                    .isTrue();
        }
    }

    private void post(int count) {
        post(count, false);
    }

    private void poll(int count) {
        try (CompletionCursor cursor = new RingCompletionCursor(ring, () -> {}).start()) {
            for (int i = 0; i < count; i++) {
                assertThat(cursor.next()).isTrue();
            }
        }
    }

    private void passTime(long ns) {
        owner.nowNs += ns;
        ring.onDeadline(owner.nowNs);
    }

    @Test
    @Covers("CQ-9")
    void anEventComesAfterSoManyCompletions() {
        ring.moderate(3, 0);
        ring.requestNotification(false);
        post(2);
        passTime(1L << 40);
        assertThat(owner.events).isZero();
        assertThat(ring.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
        post(1);
        assertThat(owner.events).isEqualTo(1);
        ring.requestNotification(false);
        post(2);
        assertThat(owner.events).isEqualTo(1);
        post(1);
        assertThat(owner.events).isEqualTo(2);
    }

    @Test
    @Covers("CQ-9")
    void anEventComesSoLongAfterTheOneBefore() {
        ring.moderate(0, PERIOD_NS);
        long beganNs = owner.nowNs;
        ring.requestNotification(false);
        owner.nowNs += 1000;
        post(1);
        owner.nowNs += 1000;
        post(5);
        assertThat(ring.nextDeadlineNs()).isEqualTo(beganNs + PERIOD_NS);
        assertThat(owner.deadlineChanges).isEqualTo(1);
        passTime(PERIOD_NS - 2001);
        assertThat(owner.events).isZero();
        passTime(1);
        assertThat(owner.events).isEqualTo(1);
        assertThat(ring.nextDeadlineNs()).isEqualTo(Deadline.NEVER);

        // After a long pause the first completion raises an event at once.
        ring.requestNotification(false);
        passTime(PERIOD_NS);
        assertThat(owner.events).isEqualTo(1);
        post(1);
        assertThat(owner.events).isEqualTo(2);
        // The next one is delayed.
        ring.requestNotification(false);
        post(1);
        assertThat(ring.nextDeadlineNs()).isEqualTo(owner.nowNs + PERIOD_NS);
    }

    @Test
    @Covers("CQ-9")
    void whicheverComesFirstRaisesTheEvent() {
        ring.moderate(3, PERIOD_NS);
        ring.requestNotification(false);
        post(3);
        assertThat(owner.events).isEqualTo(1);
        ring.requestNotification(false);
        post(2);
        passTime(PERIOD_NS);
        assertThat(owner.events).isEqualTo(2);
        passTime(PERIOD_NS);
        assertThat(owner.events).isEqualTo(2);
    }

    @Test
    void nothingIsHeldBackThatNobodyAskedFor() {
        ring.moderate(3, PERIOD_NS);
        post(2);
        assertThat(ring.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
        passTime(PERIOD_NS);
        assertThat(owner.events).isZero();
    }

    @Test
    @Covers("CQ-9")
    void moderationThatIsTakenAwayReleasesWhatItHeldBack() {
        ring.moderate(3, 0);
        ring.requestNotification(false);
        post(1);
        assertThat(owner.events).isZero();
        ring.moderate(0, 0);
        assertThat(owner.events).isEqualTo(1);
        ring.requestNotification(false);
        post(1);
        assertThat(owner.events).isEqualTo(2);
    }

    /** The solicited completion causes the event; later completions only complete the count. */
    @Test
    void moderationHoldsBackSolicitedEventsToo() {
        ring.moderate(3, 0);
        ring.requestNotification(true);
        post(3, false);
        assertThat(owner.events).isZero();
        ring.moderate(3, 0);
        post(1, true);
        assertThat(owner.events).isZero();
        post(2, false);
        assertThat(owner.events).isEqualTo(1);
    }

    @Test
    @Covers("CQ-15")
    void anEventComesOnceSoManyCompletionsWait() {
        ring.requestNotificationAt(3);
        post(2);
        poll(2);
        post(2);
        assertThat(owner.events).isZero();
        post(1);
        assertThat(owner.events).isEqualTo(1);
        post(5);
        assertThat(owner.events).as("one request, one event").isEqualTo(1);
    }

    @Test
    @Covers("CQ-15")
    void completionsThatWaitAlreadyCount() {
        post(3);
        ring.requestNotificationAt(3);
        assertThat(owner.events).isEqualTo(1);
        ring.requestNotificationAt(5);
        post(1);
        assertThat(owner.events).isEqualTo(1);
        post(1);
        assertThat(owner.events).isEqualTo(2);
    }

    @Test
    void bothKindsOfRequestsStandBesideEachOther() {
        ring.requestNotificationAt(2);
        ring.requestNotification(false);
        post(1);
        assertThat(owner.events).isEqualTo(1);
        post(1);
        assertThat(owner.events).isEqualTo(2);
    }
}
