// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BusyPollTest {
    private static final long FAR = 1_000_000_000;

    private final BusyPoll poll = new BusyPoll();

    @Test
    void whoeverHasNotSleptYetSleepsAtOnce() {
        poll.worked(1000);
        assertThat(poll.goesOn(1000)).isFalse();
    }

    @Test
    void afterAShortSleepItLooksForAsLongAsASleepMayHaveTaken() {
        poll.slept(1000, 1000 + BusyPoll.LONGEST_NS, FAR);
        poll.worked(500_000);
        assertThat(poll.goesOn(500_000)).isTrue();
        assertThat(poll.goesOn(500_000 + BusyPoll.LONGEST_NS - 1)).isTrue();
        assertThat(poll.goesOn(500_000 + BusyPoll.LONGEST_NS)).isFalse();
    }

    @Test
    void eachPacketGivesItThatTimeAgain() {
        poll.slept(0, 1, FAR);
        poll.worked(BusyPoll.LONGEST_NS - 1);
        assertThat(poll.goesOn(BusyPoll.LONGEST_NS + 1)).isTrue();
    }

    @Test
    void afterALongSleepItSleepsAtOnce() {
        poll.slept(0, 1, FAR);
        poll.slept(1000, 1000 + BusyPoll.LONGEST_NS + 1, FAR);
        poll.worked(500_000);
        assertThat(poll.goesOn(500_000)).isFalse();
    }

    @Test
    void afterASleepThatWasMeantToBeShortItSleepsAtOnce() {
        poll.slept(0, 1, FAR);
        poll.slept(1000, 2000, 2000);
        poll.worked(500_000);
        assertThat(poll.goesOn(500_000)).isFalse();
    }
}
