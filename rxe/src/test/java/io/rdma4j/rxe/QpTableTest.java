// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.hca.qp.HcaQp;
import io.rdma4j.hca.qp.QpDomain;
import io.rdma4j.hca.qp.QpRequest;
import io.rdma4j.hca.qp.QpTable;
import io.rdma4j.hca.qp.WorkQueues;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.memory.DmaSpace;
import io.rdma4j.transport.memory.NumberSequence;
import io.rdma4j.transport.port.DatagramPath;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.spi.ring.CompletionRing;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class QpTableTest {
    private static final int FIRST = 0x11;

    private final Bench bench = new Bench(Set.of());
    private CompletionQueue cq;
    private IntFunction<HcaQp> maker;

    @BeforeEach
    void prepare() {
        cq = bench.context.createCq(1);
        QpInitAttributes attributes = QpInitAttributes.builder(cq).build();
        CompletionRing completions = CompletionRing.silent(1);
        QpRequest request = new QpRequest(
                attributes,
                new EmptyDomain(),
                WorkQueues.make(attributes, completions, completions, null),
                null,
                _ -> {});
        maker = qpn -> new HcaQp(qpn, request, bench.port.services(), false);
    }

    /** A protection domain without address handles. */
    private static final class EmptyDomain implements QpDomain {
        @Override
        public int number() {
            return 1;
        }

        private final DmaSpace dmaSpace = new DmaSpace();

        @Override
        public DmaSpace dmaSpace() {
            return dmaSpace;
        }

        @Override
        public @Nullable DatagramPath path(int addressHandle) {
            return null;
        }
    }

    @AfterEach
    void close() {
        cq.close();
        bench.close();
    }

    /** 0 and 1 are the management queue pairs; Linux rxe starts at 17 as well. */
    @Test
    void reservedNumbersAreNotGiven() {
        QpTable table = new QpTable(10, NumberSequence.counting(0xFF_FFFE));
        assertThat(table.add(maker).qpn()).isEqualTo(0xFF_FFFE);
        assertThat(table.add(maker).qpn()).as("behind 0xFFFFFF, 0 and 1").isEqualTo(FIRST);
        assertThat(table.add(maker).qpn()).isEqualTo(FIRST + 1);
    }

    @Test
    @Covers("RXE-16")
    void aQueuePairIsFoundByItsNumberUntilItIsRemoved() {
        QpTable table = new QpTable(300, NumberSequence.counting(FIRST));
        List<HcaQp> all = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            all.add(table.add(maker));
        }
        assertThat(all).allSatisfy(qp -> assertThat(table.find(qp.qpn())).isSameAs(qp));
        table.remove(all.get(150));
        assertThat(table.find(FIRST + 150)).isNull();
        assertThat(table.find(FIRST + 151)).isSameAs(all.get(151));
    }

    @Test
    void numbersOutsideOfTheTableFindNothing() {
        QpTable table = new QpTable(10, NumberSequence.counting(FIRST));
        table.add(maker);
        for (int qpn : new int[] {0, 1, FIRST - 1, FIRST + 1, FIRST + 64, 0xFFFFFF, -1}) {
            assertThat(table.find(qpn)).isNull();
        }
    }

    @Test
    @Covers("RXE-16")
    void aFullTableRefuses() {
        QpTable table = new QpTable(2, NumberSequence.counting(FIRST));
        table.add(maker);
        table.add(maker);
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> table.add(maker))
                .withMessageContaining("max_qp")
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.ENOMEM));
    }

    /** A number is reused as late as possible, so that a late packet for an old number finds no queue pair. */
    @Test
    void aNumberIsUsedAgainLast() {
        QpTable table = new QpTable(3, NumberSequence.counting(FIRST));
        HcaQp first = table.add(maker);
        HcaQp second = table.add(maker);
        table.remove(second);
        table.remove(first);
        assertThat(table.add(maker).qpn()).isEqualTo(FIRST + 2);
        assertThat(table.add(maker).qpn()).isEqualTo(FIRST + 3);
    }
}
