// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.port.Train;
import io.rdma4j.wire.Opcode;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TrainTest {
    private final SkBuffPool pool = new SkBuffPool(2, 256);
    private final SkBuff first = Objects.requireNonNull(pool.allocate());
    private final SkBuff second = Objects.requireNonNull(pool.allocate());
    private final Train train = new Train();

    @AfterEach
    void close() {
        first.free();
        second.free();
        pool.close();
    }

    @Test
    @Covers("SKB-14")
    void theDescriptionOfATrainLiesInItsControlBufferAndGoesAlongWithIt() {
        first.cb().fill((byte) 0x55);
        train.over(first);
        train.describeLast(Opcode.RC_SEND_LAST_IMMEDIATE, true, false, 0x1234_5678);
        train.over(second);
        train.describeLast(Opcode.RC_WRITE_LAST, false, true, 9);

        SkBuff clone = Objects.requireNonNull(first.cloneDescriptor());
        Train elsewhere = new Train();
        elsewhere.over(clone);
        assertThat(elsewhere.lastOpcode()).isEqualTo(Opcode.RC_SEND_LAST_IMMEDIATE);
        assertThat(elsewhere.solicited()).isTrue();
        assertThat(elsewhere.ackRequest()).isFalse();
        assertThat(elsewhere.lastWord()).isEqualTo(0x1234_5678);
        assertThat(clone.cb().get(ValueLayout.JAVA_BYTE, SkBuff.CB_BYTES - 1L))
                .as("room is left")
                .isEqualTo((byte) 0x55);
        clone.free();
    }

    @Test
    @Covers("SKB-15")
    void theDescriptionLeadsBackToItsBuffer() {
        train.over(first);
        assertThat(train.skb()).isSameAs(first);
        train.over(second);
        assertThat(train.skb()).isSameAs(second);
    }

    @Test
    void aControlBufferOfSomebodyElseIsNoDescription() {
        first.cb().fill((byte) 0xFF);
        train.over(first);
        assertThatThrownBy(train::lastOpcode).isInstanceOf(IllegalStateException.class);
    }
}
