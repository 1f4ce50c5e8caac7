// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.message;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class QueueAccountTest {
    private final QueueAccount account = new QueueAccount(4, 10);

    @Test
    void neverMoreIsPostedThanTheQueueHolds() {
        assertThat(account.room()).isEqualTo(4);
        account.post(3);
        assertThat(account.room()).isEqualTo(1);
        account.returnUpTo(1);
        assertThat(account.room()).isEqualTo(3);
    }

    @Test
    void aWholeQueueIsKeptForTheEndAndPostedAtOnce() {
        account.post(4);
        account.returnUpTo(3);
        assertThat(account.room()).as("up to the pause").isEqualTo(2);
        assertThat(account.isFinalBurst()).isFalse();
        account.post(2);
        account.returnUpTo(4);
        assertThat(account.room()).as("one is still out").isZero();
        account.returnUpTo(5);
        assertThat(account.isFinalBurst()).isTrue();
        assertThat(account.room()).isEqualTo(4);
        account.post(4);
        assertThat(account.room()).isZero();
        account.returnUpTo(9);
        assertThat(account.isDone()).isTrue();
        assertThat(account.room()).isZero();
    }

    @Test
    void theRequestsThatEverybodyWaitsForAreKnown() {
        assertThat(account.isLastBeforePause(5)).isTrue();
        assertThat(account.isLastBeforePause(9)).isTrue();
        assertThat(account.isLastBeforePause(6)).isFalse();
    }
}
