// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How often a loop thread checks whether application threads poll, in virtual time. */
class PollCheckTest {
    private static final long POLLS_PER_MS = 1000;

    private long nowNs = 5_000;
    private long polls = 77;
    private final PollCheck check = new PollCheck(polls, nowNs);

    /** Lets threads poll for one interval; returns the next interval in ms. */
    private long interval(long limitNs) {
        long elapsedNs = check.intervalNs(limitNs);
        nowNs += elapsedNs;
        polls += POLLS_PER_MS * TimeUnit.NANOSECONDS.toMillis(elapsedNs);
        assertThat(check.spins(nowNs, polls, 0)).isTrue();
        return TimeUnit.NANOSECONDS.toMillis(check.intervalNs(limitNs));
    }

    private List<Long> intervals(int count, long limitNs) {
        List<Long> intervals = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            intervals.add(interval(limitNs));
        }
        return intervals;
    }

    @Test
    void theIntervalGrowsToFiftyMillisecondsWhileThreadsPoll() {
        assertThat(intervals(6, Long.MAX_VALUE)).containsExactly(8L, 16L, 32L, 50L, 50L, 50L);
    }

    @Test
    void aLatencyRequestLimitsTheInterval() {
        assertThat(intervals(4, TimeUnit.MILLISECONDS.toNanos(10))).containsExactly(8L, 10L, 10L, 10L);
        assertThat(check.intervalNs(0)).isEqualTo(PollCheck.SHORTEST_NS);
    }

    @Test
    void aPauseOfThePollsMakesTheIntervalShortAgain() {
        intervals(5, Long.MAX_VALUE);
        nowNs += PollCheck.LONGEST_NS;
        polls += 100;
        assertThat(check.spins(nowNs, polls, 0)).as("one poll in 500 µs").isFalse();
        assertThat(check.intervalNs(Long.MAX_VALUE)).isEqualTo(PollCheck.SHORTEST_NS);
    }

    @Test
    void theFewPollsOfAThreadThatBlocksAreNoSpinning() {
        nowNs += 1_000_000;
        polls += 16;
        assertThat(check.spins(nowNs, polls, polls - 16)).isFalse();
    }

    @Test
    void pollsCountForNothingForASecondAfterPacketsHadToWait() {
        interval(Long.MAX_VALUE);
        check.missed(nowNs);
        for (int ms = 0; ms < 1000; ms += 4) {
            nowNs += PollCheck.SHORTEST_NS;
            polls += 4 * POLLS_PER_MS;
            assertThat(check.spins(nowNs, polls, 0)).isEqualTo(ms + 4 == 1000);
        }
        assertThat(interval(Long.MAX_VALUE)).isEqualTo(16);
    }
}
