// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A program whose queues lie in memory of its own writes into a request what no verb would write. */
class ForgedRequestTest {
    private static final long MARK = 0x1122_3344_5566_7788L;

    // Offsets of the words of a request, from its number on
    private static final long OPCODE = 8;
    private static final long PIECES = 20;

    @ParameterizedTest
    @CsvSource({"20, 33", "20, -1", "20, 2147483647", "8, 12", "8, 255", "8, -1"})
    @Covers("CQ-30")
    void aRequestThatNoVerbWritesIsAnErrorOfTheQueuePair(long word, int value) {
        assertThat(word).isIn(OPCODE, PIECES);
        List<MemorySegment> queues = new ArrayList<>();
        try (Bench bench = new Bench(Set.of())) {
            Endpoint endpoint = bench.endpoint();
            try (QueuePair qp = endpoint.pd.createQp(QpInitAttributes.builder(endpoint.sendCq)
                    .capabilities(new QpCapabilities(4, 4, 2, 2, 0))
                    .queueMemory((size, alignment) -> {
                        MemorySegment memory = Arena.ofAuto().allocate(size, alignment);
                        queues.add(memory);
                        return memory;
                    })
                    .build())) {
                Bench.connect(qp, GlobalRoute.to(Bench.PEER_V4, 0), 14);
                qp.startSend()
                        .wrId(MARK)
                        .send()
                        .sge(endpoint.mr.lkey(), endpoint.mr.address(), 8)
                        .wrId(2)
                        .send()
                        .complete();
                forge(queues, word, value);
                bench.run();
                assertThat(endpoint.sendCq.poll(3))
                        .extracting(WorkCompletion::wrId, WorkCompletion::status)
                        .containsExactly(tuple(MARK, WcStatus.LOC_QP_OP_ERR), tuple(2L, WcStatus.WR_FLUSH_ERR));
                assertThat(qp.state()).isEqualTo(QpState.ERR);
                assertThat(bench.link.sent).isEmpty();
            }
        }
    }

    private static void forge(List<MemorySegment> queues, long word, int value) {
        for (MemorySegment queue : queues) {
            for (long at = 0; at <= queue.byteSize() - Long.BYTES; at += Long.BYTES) {
                if (queue.get(ValueLayout.JAVA_LONG, at) == MARK) {
                    queue.set(ValueLayout.JAVA_INT, at + word, value);
                    return;
                }
            }
        }
        throw new AssertionError("the request is not in the queues");
    }
}
