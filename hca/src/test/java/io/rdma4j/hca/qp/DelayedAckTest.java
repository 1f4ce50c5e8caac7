// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DelayedAckTest {
    private final DelayedAck delayed = new DelayedAck();
    private long nowNs = 1;

    /** Runs the loop for a polling thread with an acknowledgement due; returns true if it is delayed. */
    private boolean arrival(long afterNs) {
        nowNs += afterNs;
        delayed.begin(nowNs, true);
        return delayed.keeps();
    }

    private void back(long afterNs) {
        nowNs += afterNs;
        delayed.begin(nowNs, false);
    }

    private void learn() {
        for (int i = 0; i < DelayedAck.TIMES; i++) {
            assertThat(arrival(DelayedAck.PROMPT_NS)).as("before %d answers", i).isFalse();
            back(DelayedAck.PROMPT_NS);
        }
    }

    @Test
    void nothingWaitsBeforeTheThreadHasBeenBackAtOnceSeveralTimes() {
        learn();
        assertThat(arrival(1)).isTrue();
    }

    @Test
    void whatHasWaitedOnceGoesWithTheNextVisitWhateverItIs() {
        learn();
        assertThat(arrival(1)).isTrue();
        assertThat(arrival(1)).isFalse();
        assertThat(arrival(1)).isTrue();
        back(1);
        assertThat(delayed.keeps()).isFalse();
    }

    @Test
    void whoseAcknowledgementWasDueIsExpectedBackOnce() {
        assertThat(delayed.isOwed()).isFalse();
        assertThat(arrival(1)).isFalse();
        assertThat(delayed.isOwed()).isTrue();
        back(1);
        assertThat(delayed.isOwed()).isFalse();
    }

    @Test
    void inTheEndItSaysWhetherSomethingWaitsAndNothingDoesAnyMore() {
        learn();
        assertThat(delayed.end()).isFalse();
        assertThat(arrival(1)).isTrue();
        assertThat(delayed.end()).isTrue();
        assertThat(delayed.keeps()).isFalse();
    }

    @Test
    void anotherRoundOfTheSameVisitIsNotTheThreadsReturn() {
        learn();
        assertThat(arrival(1)).isTrue();
        delayed.begin(nowNs, true);
        assertThat(delayed.keeps()).isTrue();
    }

    @Test
    void aThreadThatTakesItsTimeHasToBeBackAtOnceSeveralTimesAgain() {
        learn();
        assertThat(arrival(1)).isTrue();
        back(DelayedAck.PROMPT_NS + 1);
        learn();
        assertThat(arrival(1)).isTrue();
    }

    @Test
    void timeInWhichNothingWasOwedDoesNotCount() {
        learn();
        delayed.begin(nowNs += 1, true);
        delayed.begin(nowNs += 1_000 * DelayedAck.PROMPT_NS, true);
        assertThat(arrival(1)).isTrue();
    }

    @Test
    void nobodyWaitsForAThreadThatDoesNotPoll() {
        learn();
        back(1);
        assertThat(delayed.keeps()).isFalse();
    }
}
