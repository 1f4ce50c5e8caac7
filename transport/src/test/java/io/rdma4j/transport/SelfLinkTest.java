// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.port.LinkDelivery;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpState;
import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A queue pair that is connected to itself: it delivers messages to its own responder. */
class SelfLinkTest {
    private static final long NOW_NS = 1_000_000;
    private static final int PSN = 55;
    private static final int ENTRIES = 3;

    private final LinkDelivery delivery = new LinkDelivery();
    private final Queue<SkBuff> packets = new ArrayDeque<>();
    private final Endpoint self = new Endpoint(
            new Endpoint.Outlet() {
                @Override
                public void carry(SkBuff skb, Endpoint from) {
                    packets.add(skb);
                }

                @Override
                public long nowNs() {
                    return NOW_NS;
                }
            },
            EnginePair.QPN_A,
            new PairSettings().rdma(1).completionEntries(ENTRIES));

    SelfLinkTest() {
        self.init();
        self.readyToReceive(EnginePair.QPN_A, PSN);
        self.readyToSend(PSN);
    }

    @AfterEach
    void close() {
        packets.forEach(SkBuff::free);
        self.close();
    }

    private void settle() {
        StepLimit steps = new StepLimit("nothing is under way", 10_000);
        do {
            steps.step();
            self.engine.deliver(self.engine, delivery, /* inLoop= */ true);
            self.engine.raiseEvents();
            self.engine.pollTransmit(NOW_NS, 100);
            for (int left = packets.size(); left > 0; left--) {
                SkBuff skb = packets.remove();
                self.receive(skb, NOW_NS);
                skb.free();
            }
        } while (self.engine.pollTransmit(NOW_NS, 100) || !packets.isEmpty());
    }

    @Test
    void itsMessagesArrive() {
        TestRegion memory = self.region(200).filled(3);
        self.receive(1, memory.piece(100, 100));
        self.send(2, memory.first(100));
        settle();
        assertThat(self.sendResults()).containsExactly("2 SUCCESS");
        assertThat(self.receiveResults()).containsExactly("1 SUCCESS");
        assertThat(memory.bytes(100, 100)).isEqualTo(memory.bytes(0, 100));
    }

    /** The receive completion finds no room: what sends is in ERR all at once, and sends nothing more. */
    @Test
    void itBreaksOffWhenItsOwnCompletionQueueOverruns() {
        for (int i = 0; i <= ENTRIES; i++) {
            self.receive(i);
        }
        for (int i = 0; i < ENTRIES; i++) {
            self.send(i);
            settle();
            assertThat(self.sendResults()).containsExactly(i + " SUCCESS");
        }
        self.send(7);
        self.send(8);
        settle();
        assertThat(self.state()).isEqualTo(QpState.ERR);
        assertThat(self.events).startsWith(EventType.CQ_ERR);
        assertThat(self.sendResults()).containsExactly("7 WR_FLUSH_ERR", "8 WR_FLUSH_ERR");
        assertThat(self.engine.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
        assertThat(self.receiveResults()).hasSize(ENTRIES);
    }
}
