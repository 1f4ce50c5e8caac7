// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One queue pair does not take all the buffers of the port. */
class BuffersUnderWayTest {
    private static PairSettings small() {
        return new PairSettings().mtu(Mtu.MTU_256);
    }

    @ParameterizedTest
    @EnumSource(
            value = QpType.class,
            names = {"RC", "UC"})
    @Covers({"RXE-25", "RXE-100"})
    void noMoreThanSixtyFourAreUnderWay(QpType type) {
        try (EnginePair pair = new EnginePair(small().type(type))) {
            pair.postReceives(100, 10);
            pair.postSends(100, 10);
            pair.transmit();
            assertThat(pair.network.inFlight()).hasSize(64);
            pair.transmit();
            assertThat(pair.network.inFlight()).hasSize(64);
            pair.run();
            assertThat(pair.a.sendResults()).hasSize(100);
            assertThat(pair.b.receiveResults()).hasSize(100);
        }
    }

    /** The last packets were acknowledged: nothing but the buffers can say that there is room again. */
    @Test
    @Covers({"RXE-25", "RXE-149"})
    void theRequesterIsWokenWhenSixteenAreLeft() {
        try (EnginePair pair = new EnginePair(small())) {
            pair.postSends(100, 10);
            pair.transmit();
            for (int left = 63; left > 16; left--) {
                pair.network.drop(0);
                assertThat(pair.a.wakeUps).as("%d are left", left).isZero();
            }
            pair.network.drop(0);
            assertThat(pair.a.wakeUps).isEqualTo(1);
            pair.transmit();
            assertThat(pair.network.inFlight()).hasSize(16 + 36);
        }
    }

    @Test
    void whatIsUnderWayWhenAQueuePairBeginsAnewIsNotCounted() {
        try (EnginePair pair = new EnginePair(small())) {
            pair.postSends(64, 10);
            pair.transmit();
            pair.a.modify(QpState.RESET);
            pair.b.modify(QpState.RESET);
            pair.connect();
            pair.network.dropAll();
            pair.postReceives(100, 10);
            pair.postSends(100, 10);
            pair.transmit();
            assertThat(pair.network.inFlight()).hasSize(64);
            pair.run();
            assertThat(pair.a.sendResults()).hasSize(100);
        }
    }
}
