// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A device that fails raises an event, completes all requests, and stops. */
class PortFailureTest {
    private final Bench bench = new Bench(Set.of());

    @AfterEach
    void close() {
        bench.close();
    }

    private static List<String> results(List<WorkCompletion> completions) {
        return completions.stream().map(wc -> wc.wrId() + " " + wc.status()).toList();
    }

    private void assertFailed(Endpoint endpoint) throws InterruptedException {
        AsyncEvent event = bench.context.getAsyncEvent();
        assertThat(event.type()).isEqualTo(EventType.DEVICE_FATAL);
        assertThat(event.port()).isZero();
        bench.context.acknowledgeAsyncEvent(event);
        assertThat(bench.context.getAsyncEvent(Duration.ZERO)).isNull();
        assertThat(bench.context.queryPort(1).state()).isEqualTo(PortState.DOWN);
        assertThat(endpoint.qp.state()).isEqualTo(QpState.ERR);
        assertThat(results(endpoint.sendCq.poll(10))).containsExactly("1 FATAL_ERR", "2 WR_FLUSH_ERR");
        assertThat(results(endpoint.receiveCq.poll(10))).containsExactly("3 WR_FLUSH_ERR");
    }

    private Endpoint busy() {
        Endpoint endpoint = bench.connected(Bench.PEER_V4, 14);
        endpoint.postReceive(3, 0, 8);
        endpoint.postSend(1, 0, 8);
        endpoint.postSend(2, 0, 8);
        return endpoint;
    }

    @Test
    @Covers({"EVT-15", "CQ-47"})
    void aFailureThatIsAskedForEndsAllWork() throws InterruptedException {
        Endpoint endpoint = busy();
        bench.port.fail("a test wants to know");
        assertFailed(endpoint);
        bench.port.fail("once is enough");
        assertThat(bench.context.getAsyncEvent(Duration.ZERO)).isNull();
    }

    /** A driver throws: the exception does not reach the application thread that runs the loop. */
    @Test
    @Covers({"EVT-15", "CQ-47"})
    void anErrorThatNobodyHasForeseenTakesTheDeviceOutOfService() throws InterruptedException {
        Endpoint endpoint = busy();
        bench.link.breaksAtNextPacket();
        bench.run();
        assertFailed(endpoint);
    }

    @Test
    void whatIsPostedToAFailedDeviceIsFlushed() {
        Endpoint endpoint = bench.connected(Bench.PEER_V4, 14);
        bench.port.fail("a test wants to know");
        endpoint.postSend(4, 0, 8);
        endpoint.postReceive(5, 0, 8);
        bench.run();
        assertThat(results(endpoint.sendCq.poll(10))).containsExactly("4 WR_FLUSH_ERR");
        assertThat(results(endpoint.receiveCq.poll(10))).containsExactly("5 WR_FLUSH_ERR");
        assertThat(bench.link.sent).isEmpty();
    }

    @Test
    void aFailedDeviceMakesNothingNewButLetsGoOfTheOld() {
        Endpoint endpoint = bench.connected(Bench.PEER_V4, 14);
        bench.port.fail("a test wants to know");
        endpoint.qp.modify(QpAttributes.builder().state(QpState.RESET).build());
        QpInitAttributes another = QpInitAttributes.builder(endpoint.sendCq).build();
        QpAttributes toInit = QpAttributes.builder()
                .state(QpState.INIT)
                .pkeyIndex(0)
                .port(1)
                .accessFlags(Set.of())
                .build();
        for (Runnable verb : List.<Runnable>of(() -> endpoint.pd.createQp(another), () -> endpoint.qp.modify(toInit))) {
            assertThatExceptionOfType(RdmaException.class)
                    .isThrownBy(verb::run)
                    .withMessageContaining("out of service")
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EIO));
        }
    }
}
