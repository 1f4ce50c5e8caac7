// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.responder;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Psn;
import io.rdma4j.transport.memory.KeyTable;
import io.rdma4j.transport.memory.NumberSequence;
import io.rdma4j.transport.port.TransportContext;
import io.rdma4j.transport.port.TransportOptions;
import org.junit.jupiter.api.Test;

class RequestOrderTest {
    private final RequestOrder order = new RequestOrder(
            new TransportContext("test", new KeyTable(1, 1, NumberSequence.counting(1)), TransportOptions.DEFAULT));

    @Test
    void anAcknowledgementNamesTheLastPacketWithoutAnAnswerOfItsOwn() {
        order.startAt(100);
        order.advanceTo(101, false);
        order.advanceTo(121, true);
        assertThat(order.expectedPsn()).isEqualTo(121);
        assertThat(order.acknowledgedPsn()).isEqualTo(100);
        order.advanceTo(122, false);
        assertThat(order.acknowledgedPsn()).isEqualTo(121);
    }

    /** Half of the sequence space back it would pass for one to come, all of it back for the newest. */
    @Test
    void whatAnAcknowledgementNamesIsNeverTooLongAgo() {
        order.startAt(100);
        int psn = 100;
        for (int i = 0; i < 40; i++) {
            psn = Psn.add(psn, 1 << 20);
            order.advanceTo(psn, true);
            assertThat(Psn.distance(psn, order.acknowledgedPsn())).isBetween(2, 1 << 22);
        }
    }
}
