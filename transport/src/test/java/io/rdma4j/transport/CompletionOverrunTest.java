// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpState;
import org.junit.jupiter.api.Test;

/** A completion queue that overflows breaks, and takes its queue pairs with it, in good order. */
class CompletionOverrunTest {
    @Test
    @Covers({"CQ-17", "EVT-7", "EVT-8", "RXE-201", "RXE-237", "RXE-185"})
    void receiveCompletionWithoutRoomPutsTheReceiverIntoError() {
        try (EnginePair pair = new EnginePair(new PairSettings().completionEntries(3))) {
            pair.postReceives(10, 10);
            // The sender's completion queue is no larger: it is emptied in between.
            for (int i = 0; i < 3; i++) {
                pair.a.send(i);
                pair.settle();
                assertThat(pair.a.sendResults()).hasSize(1);
            }
            assertThat(pair.b.state()).isEqualTo(QpState.RTS);
            pair.a.send(3);
            pair.settle();
            assertThat(pair.b.state()).isEqualTo(QpState.ERR);
            assertThat(pair.b.events).containsExactly(EventType.CQ_ERR, EventType.QP_FATAL);
            assertThat(pair.b.receiveResults()).containsExactly("0 SUCCESS", "1 SUCCESS", "2 SUCCESS");
            assertThat(pair.b.receiveQueue.ring().acquireConsumer())
                    .as("all receives were flushed")
                    .isEqualTo(pair.b.receiveQueue.ring().acquireProducer());
        }
    }

    @Test
    void aMessageWhoseCompletionWasLostIsNotAcknowledged() {
        try (EnginePair pair = new EnginePair(new PairSettings().completionEntries(1))) {
            pair.postReceives(3, 10);
            pair.a.send(0);
            pair.a.send(1);
            pair.settle();
            assertThat(pair.network.responses()).isEmpty();
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("0 RETRY_EXC_ERR");
        }
    }

    @Test
    @Covers({"CQ-17", "EVT-8"})
    void sendCompletionWithoutRoomPutsTheSenderIntoErrorAndFlushesItsRing() {
        try (EnginePair pair = new EnginePair(new PairSettings().completionEntries(3))) {
            pair.b.receives().receive(1).receive(2).receive(3).complete();
            pair.postSends(8, 0);
            pair.settle();
            pair.b.receiveResults();
            pair.b.receives().receive(4).receive(5).complete();
            pair.run();
            assertThat(pair.a.state()).isEqualTo(QpState.ERR);
            assertThat(pair.a.events).containsExactly(EventType.CQ_ERR, EventType.QP_FATAL);
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS", "1 SUCCESS", "2 SUCCESS");
            assertThat(pair.a.sendQueue.ring().acquireConsumer())
                    .isEqualTo(pair.a.sendQueue.ring().acquireProducer());
            pair.a.send(9);
            pair.run();
            assertThat(pair.a.sendResults()).as("the queue stays broken").isEmpty();
        }
    }

    @Test
    void flushThatOverflowsEnds() {
        try (EnginePair pair = new EnginePair(new PairSettings().completionEntries(1))) {
            pair.postSends(100, 0);
            for (int i = 0; i < 100; i++) {
                pair.a.receive(i);
            }
            pair.a.modify(QpState.ERR);
            assertThat(pair.a.sendResults()).containsExactly("0 WR_FLUSH_ERR");
            assertThat(pair.a.receiveResults()).containsExactly("0 WR_FLUSH_ERR");
            assertThat(pair.a.events).containsExactly(EventType.CQ_ERR, EventType.QP_FATAL, EventType.CQ_ERR);
        }
    }
}
