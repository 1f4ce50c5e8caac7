// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DeadlineTest {
    @Test
    void isDueFromItsPointOn() {
        long deadlineNs = Deadline.after(1_000, 50);
        assertThat(Deadline.isDue(deadlineNs, 1_049)).isFalse();
        assertThat(Deadline.isDue(deadlineNs, 1_050)).isTrue();
        assertThat(Deadline.isDue(deadlineNs, 2_000)).isTrue();
    }

    @Test
    void theClockMayWrap() {
        long nowNs = Long.MAX_VALUE - 10;
        long deadlineNs = Deadline.after(nowNs, 100);
        assertThat(deadlineNs).isNegative();
        assertThat(Deadline.isDue(deadlineNs, nowNs)).isFalse();
        assertThat(Deadline.isDue(deadlineNs, nowNs + 99)).isFalse();
        assertThat(Deadline.isDue(deadlineNs, nowNs + 100)).isTrue();
        assertThat(Deadline.earlier(deadlineNs, nowNs)).isEqualTo(nowNs);
    }

    @Test
    void neverIsNeverDueAndNeverEarlier() {
        assertThat(Deadline.isDue(Deadline.NEVER, Long.MAX_VALUE)).isFalse();
        assertThat(Deadline.isDue(Deadline.NEVER, Long.MIN_VALUE)).isFalse();
        assertThat(Deadline.earlier(Deadline.NEVER, 5)).isEqualTo(5);
        assertThat(Deadline.earlier(5, Deadline.NEVER)).isEqualTo(5);
        assertThat(Deadline.earlier(Deadline.NEVER, Deadline.NEVER)).isEqualTo(Deadline.NEVER);
    }

    @Test
    void aRealDeadlineIsNotTakenForNever() {
        long deadlineNs = Deadline.after(Long.MAX_VALUE - 10, 10);
        assertThat(deadlineNs).isNotEqualTo(Deadline.NEVER);
        assertThat(Deadline.isDue(deadlineNs, Long.MAX_VALUE)).isTrue();
    }

    @Test
    void theEarlierOfTwoIsTaken() {
        assertThat(Deadline.earlier(3, 4)).isEqualTo(3);
        assertThat(Deadline.earlier(4, 3)).isEqualTo(3);
        assertThat(Deadline.earlier(-1, 1)).isEqualTo(-1);
    }
}
