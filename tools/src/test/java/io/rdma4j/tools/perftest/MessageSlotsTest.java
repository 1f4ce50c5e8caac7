// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MessageSlotsTest {
    @Test
    void smallMessagesGoRoundInAPageOnLinesOfTheirOwn() {
        MessageSlots ring = MessageSlots.of(2, 4096, 64);
        assertThat(ring.offset(0)).isZero();
        assertThat(ring.offset(1)).isEqualTo(64);
        assertThat(ring.offset(63)).isEqualTo(4032);
        assertThat(ring.offset(64)).isZero();
        assertThat(MessageSlots.of(100, 4096, 64).offset(1)).isEqualTo(128);
        assertThat(MessageSlots.of(2048, 4096, 64).offset(3)).isEqualTo(2048);
    }

    @Test
    void largeMessagesStayWhereTheyAre() {
        assertThat(MessageSlots.of(2049, 4096, 64).offset(7)).isZero();
        assertThat(MessageSlots.of(1 << 23, 4096, 64).offset(1)).isZero();
    }

    @Test
    void noMessageLeavesThePlace() {
        for (int size = 1; size <= 2048; size++) {
            MessageSlots ring = MessageSlots.of(size, 4096, 64);
            assertThat(ring.offset(ring.places() - 1L) + size).isLessThanOrEqualTo(4096);
        }
    }
}
