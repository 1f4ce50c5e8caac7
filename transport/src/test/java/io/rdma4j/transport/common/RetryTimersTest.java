// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.common;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Deadline;
import io.rdma4j.transport.common.RetryTimers.Timer;
import org.junit.jupiter.api.Test;

class RetryTimersTest {
    private final RetryTimers timers = new RetryTimers();

    @Test
    void theEarliestDeadlineIsThatOfATimerThatIsArmed() {
        assertThat(timers.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
        timers.arm(Timer.RATE_INCREASE, 300);
        timers.arm(Timer.RETRANSMIT, 200);
        timers.arm(Timer.RNR, 100);
        assertThat(timers.nextDeadlineNs()).isEqualTo(100);
        timers.cancel(Timer.RNR);
        assertThat(timers.nextDeadlineNs()).isEqualTo(200);
        timers.cancel(Timer.RETRANSMIT);
        assertThat(timers.nextDeadlineNs()).isEqualTo(300);
        timers.cancelAll();
        assertThat(timers.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
    }

    @Test
    void aTimerThatIsArmedAgainHasItsNewDeadlineOnly() {
        timers.arm(Timer.RETRANSMIT, 100);
        timers.arm(Timer.RETRANSMIT, 200);
        assertThat(timers.nextDeadlineNs()).isEqualTo(200);
        assertThat(timers.takeIfDue(Timer.RETRANSMIT, 150)).isFalse();
        assertThat(timers.isArmed(Timer.RETRANSMIT)).isTrue();
    }

    @Test
    void aDueTimerIsTakenOnceAndACancelledOneNever() {
        timers.arm(Timer.RETRANSMIT, 100);
        timers.arm(Timer.PACE, 100);
        timers.cancel(Timer.PACE);
        assertThat(timers.takeIfDue(Timer.PACE, 100)).isFalse();
        assertThat(timers.takeIfDue(Timer.RETRANSMIT, 100)).isTrue();
        assertThat(timers.takeIfDue(Timer.RETRANSMIT, 100)).isFalse();
        assertThat(timers.nextDeadlineNs()).isEqualTo(Deadline.NEVER);
    }

    /** A clock may run through zero and wrap. */
    @Test
    void deadlinesAreComparedAsPointsOfAClockThatWraps() {
        timers.arm(Timer.RETRANSMIT, Long.MIN_VALUE + 10);
        timers.arm(Timer.RNR, Long.MAX_VALUE - 10);
        assertThat(timers.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE - 10);
        assertThat(timers.takeIfDue(Timer.RNR, Long.MIN_VALUE)).isTrue();
        assertThat(timers.takeIfDue(Timer.RETRANSMIT, Long.MIN_VALUE)).isFalse();
    }
}
