// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.spi.ring.ReceiveQueue;
import io.rdma4j.verbs.spi.ring.RingMemory;
import io.rdma4j.verbs.spi.ring.RingReceiveBatch;
import io.rdma4j.verbs.spi.ring.SgeLayout;
import io.rdma4j.verbs.values.QpType;
import org.junit.jupiter.api.Test;

/** Layout of a receive request in the ring. */
class ReceiveElementTest {
    private final ReceiveQueue queue = new ReceiveQueue(3, 3);
    private final RingReceiveBatch batch = new RingReceiveBatch(queue, new SendStation(QpType.RC));
    private final RingMemory memory = queue.memory();

    @Test
    @Covers("RXE-72")
    void anElementHoldsTheNumberAndWhereTheBytesGo() {
        batch.start()
                .receive(0x1122_3344_5566_7788L)
                .sge(7, 0x4000, 100)
                .sge(8, 0x9000, 0x7000_0000)
                .receive(2)
                .complete();

        long wqe = queue.ring().offset(0);
        assertThat(ReceiveQueue.wrId(memory, wqe)).isEqualTo(0x1122_3344_5566_7788L);
        assertThat(ReceiveQueue.numSge(ReceiveQueue.sizes(memory, wqe))).isEqualTo(2);
        assertThat(ReceiveQueue.length(ReceiveQueue.sizes(memory, wqe))).isEqualTo(0x7000_0064);
        assertPiece(ReceiveQueue.sge(wqe, 0), 7, 0x4000, 100);
        assertPiece(ReceiveQueue.sge(wqe, 1), 8, 0x9000, 0x7000_0000);
        long next = queue.ring().offset(1);
        assertThat(next).isGreaterThanOrEqualTo(ReceiveQueue.sge(wqe, 3));
        assertThat(ReceiveQueue.wrId(memory, next)).isEqualTo(2);
        assertThat(ReceiveQueue.numSge(ReceiveQueue.sizes(memory, next))).isZero();
        assertThat(ReceiveQueue.length(ReceiveQueue.sizes(memory, next))).isZero();
    }

    private void assertPiece(long sge, int lkey, long address, int lengthBytes) {
        assertThat(SgeLayout.lkey(SgeLayout.lengthAndKey(memory, sge))).isEqualTo(lkey);
        assertThat(SgeLayout.address(memory, sge)).isEqualTo(address);
        assertThat(SgeLayout.length(SgeLayout.lengthAndKey(memory, sge))).isEqualTo(lengthBytes);
    }
}
