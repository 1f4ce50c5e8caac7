// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.SrqInitAttributes;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.QpState;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A shared receive queue whose memory the device can no longer read (IBA 11.6.3.4: SRQ catastrophic error). */
class SharedReceiveErrorTest {
    private static final int REMOTE_OPERATIONAL_ERROR = 0x63;

    /** After IPv4, UDP and BTH. */
    private static final int SYNDROME = 20 + 8 + 12;

    private static AsyncEvent event(Bench bench) throws InterruptedException {
        AsyncEvent event = Objects.requireNonNull(bench.context.getAsyncEvent(Duration.ZERO), "an event");
        bench.context.acknowledgeAsyncEvent(event);
        return event;
    }

    private static void message(Bench bench, Endpoint to) {
        bench.link.arrive(new PlainPacket(Bench.PEER_V4, Bench.LOCAL_V4)
                .qpn(to.qp.qpn())
                .psn(Bench.FIRST_PSN)
                .ackRequest(true)
                .payload(new byte[] {1, 2, 3, 4})
                .bytes());
        bench.run();
    }

    private static Endpoint connected(Bench bench, SharedReceiveQueue srq) {
        Endpoint endpoint =
                bench.endpoint(EndpointSetup.DEFAULT.memoryBytes(1 << 17).srq(srq));
        Bench.connect(endpoint.qp, new GlobalRoute(Bench.PEER_V4, 0, 0, 64, 0), 14);
        return endpoint;
    }

    private static void assertEnds(Bench bench, Endpoint endpoint) throws InterruptedException {
        AsyncEvent fatal = event(bench);
        assertThat(fatal.type()).isEqualTo(EventType.QP_FATAL);
        assertThat(fatal.queuePair()).isSameAs(endpoint.qp);
        assertThat(event(bench).type()).isEqualTo(EventType.QP_LAST_WQE_REACHED);
        assertThat(endpoint.qp.state()).isEqualTo(QpState.ERR);
        assertThat(bench.link.sent.getLast()[SYNDROME]).isEqualTo((byte) REMOTE_OPERATIONAL_ERROR);
    }

    @Test
    @Covers("EVT-21")
    void aQueueWhoseMemoryIsGoneRaisesOneEventAndEndsEachQueuePairThatNeedsARequest() throws InterruptedException {
        try (Bench bench = new Bench(Set.of());
                ProtectionDomain pd = bench.context.allocatePd()) {
            Arena arena = Arena.ofShared();
            SharedReceiveQueue srq = pd.createSrq(SrqInitAttributes.basic(8, 1).withQueueMemory(arena));
            Endpoint one = connected(bench, srq);
            Endpoint other = connected(bench, srq);
            arena.close();
            assertThat(bench.context.getAsyncEvent(Duration.ZERO)).isNull();
            message(bench, one);
            AsyncEvent error = event(bench);
            assertThat(error.type()).isEqualTo(EventType.SRQ_ERR);
            assertThat(error.sharedReceiveQueue()).isSameAs(srq);
            assertEnds(bench, one);
            assertThat(other.qp.state()).isEqualTo(QpState.RTS);
            message(bench, other);
            assertEnds(bench, other);
            assertThat(bench.context.getAsyncEvent(Duration.ZERO)).isNull();
            one.close();
            other.close();
            srq.close();
        }
    }
}
