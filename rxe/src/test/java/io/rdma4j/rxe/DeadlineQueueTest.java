package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Deadline;
import io.rdma4j.testing.conformance.Endpoint;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** With queue pairs that wait for an acknowledgement; the port itself never comes to move. */
class DeadlineQueueTest {
    private final Bench bench = new Bench(Set.of());
    private final DeadlineQueue queue = new DeadlineQueue();

    @AfterEach
    void close() {
        bench.close();
    }

    /** A queue pair whose retransmission timer was set at {@code nowNs}. */
    private RxeQp waiting(long nowNs, int timeout) {
        Endpoint endpoint = bench.connected(Bench.PEER_V4, timeout);
        endpoint.qp.startSend().send().complete();
        RxeQp qp = bench.rxeQp(endpoint);
        qp.engine().pollTransmit(nowNs, 1);
        assertThat(qp.engine().nextDeadlineNs()).isEqualTo(nowNs + (4096L << timeout));
        return qp;
    }

    private List<Long> drain() {
        List<Long> deadlines = new ArrayList<>();
        while (queue.nextNs() != Deadline.NEVER) {
            long next = queue.nextNs();
            assertThat(queue.remove().queuedDeadlineNs).isEqualTo(next);
            deadlines.add(next);
        }
        return deadlines;
    }

    @Test
    void anEmptyQueueNeverComesUp() {
        assertThat(queue.nextNs()).isEqualTo(Deadline.NEVER);
    }

    @Test
    void aQueuePairWithoutDeadlineIsNotQueued() {
        queue.update(bench.rxeQp(bench.endpoint()));
        assertThat(queue.nextNs()).isEqualTo(Deadline.NEVER);
    }

    @Test
    void theEarliestComesUpFirst() {
        Random random = new Random(4);
        for (int i = 0; i < 100; i++) {
            queue.update(waiting(random.nextInt(100_000_000), 1 + random.nextInt(14)));
        }
        assertThat(drain()).hasSize(100).isSorted();
    }

    @Test
    void anyQueuePairMayBeRemoved() {
        Random random = new Random(5);
        List<RxeQp> all = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            RxeQp qp = waiting(random.nextInt(100_000_000), 1 + random.nextInt(14));
            all.add(qp);
            queue.update(qp);
        }
        Collections.shuffle(all, random);
        all.subList(0, 40).forEach(queue::remove);
        all.subList(0, 40).forEach(queue::remove);
        assertThat(drain())
                .isSorted()
                .containsExactlyInAnyOrderElementsOf(all.subList(40, 60).stream()
                        .map(qp -> qp.engine().nextDeadlineNs())
                        .toList());
    }

    /** The clock may wrap. */
    @Test
    void orderHoldsAcrossTheEndOfTime() {
        long late = Long.MAX_VALUE - 5_000_000;
        for (int timeout : new int[] {10, 3, 12, 1}) {
            queue.update(waiting(late, timeout));
        }
        assertThat(drain())
                .containsExactly(late + (4096L << 1), late + (4096L << 3), late + (4096L << 10), late + (4096L << 12));
    }

    /** The heap keeps the old time, and the queue pair is put right when it comes up. The second try waits twice as long. */
    @Test
    void aDeadlineThatMovesBackIsLeftWhereItIs() {
        RxeQp qp = waiting(0, 10);
        queue.update(qp);
        qp.engine().onTimeout(4096L << 10);
        qp.engine().pollTransmit(4096L << 10, 1);
        assertThat(qp.engine().nextDeadlineNs()).isEqualTo(3 * (4096L << 10));
        queue.update(qp);
        assertThat(queue.nextNs()).isEqualTo(4096L << 10);
        assertThat(queue.remove()).isSameAs(qp);
        queue.update(qp);
        assertThat(drain()).containsExactly(3 * (4096L << 10));
    }
}
