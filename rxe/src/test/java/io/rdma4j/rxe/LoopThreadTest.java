// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.loop.ProgressMode;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.values.QpState;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The loop thread drives a device while the program sleeps, computes, or has ended. */
class LoopThreadTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int LARGE = 8 << 20;

    static List<Supplier<ConformanceTarget>> targets() {
        return List.of(RxeTargets::udp, RxeTargets::loopback);
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("rdma4j-") && thread.isAlive())
                .count();
    }

    /** After the post the program neither polls nor blocks on a channel. */
    @ParameterizedTest
    @MethodSource("targets")
    void timersFireWhenNobodyPolls(Supplier<ConformanceTarget> opener) {
        try (ConformanceTarget target = opener.get();
                Endpoint lonely = new Endpoint(target, target.first(), EndpointSetup.DEFAULT)) {
            Endpoint gone = new Endpoint(target, target.second(), EndpointSetup.DEFAULT);
            lonely.connectTo(gone, LinkSetup.SHORT_TIMEOUTS);
            gone.close();
            lonely.postSend(1, 0, 8);
            long end = System.nanoTime() + TIMEOUT.toNanos();
            while (lonely.qp.state() != QpState.ERR && System.nanoTime() - end < 0) {
                LockSupport.parkNanos(1_000_000);
            }
            assertThat(lonely.qp.state()).isEqualTo(QpState.ERR);
        }
    }

    /** The thread posts and blocks without a poll; the message takes hundreds of runs of the loop. */
    @ParameterizedTest
    @MethodSource("targets")
    void aLargeMessageGoesOnWhileTheProgramSleeps(Supplier<ConformanceTarget> opener) throws Exception {
        EndpointSetup setup = EndpointSetup.DEFAULT.memoryBytes(LARGE);
        try (ConformanceTarget target = opener.get();
                CompletionChannel channel = target.first().createCompletionChannel();
                Endpoint a = new Endpoint(target, target.first(), setup.channel(channel));
                Endpoint b = new Endpoint(target, target.second(), setup)) {
            a.connectTo(b, LinkSetup.DEFAULT);
            b.connectTo(a, LinkSetup.DEFAULT);
            b.postReceive(1, 0, LARGE);
            a.sendCq.requestNotification(false);
            long start = System.nanoTime();
            a.postSend(2, 0, LARGE);
            Objects.requireNonNull(channel.getEvent(TIMEOUT), "an event").acknowledgeEvents(1);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
            a.awaitSend();
            b.awaitReceive();
        }
    }

    /** Work that a post leaves is done as soon as the posting thread blocks, whatever the state of the network. */
    @Test
    void packetsToTheDeviceItselfDoNotWaitForTheNetwork() throws Exception {
        try (Bench bench = new Bench(Set.of(), ProgressMode.AUTOMATIC);
                CompletionChannel channel = bench.context.createCompletionChannel();
                Endpoint self = new Endpoint(bench, bench.context, EndpointSetup.DEFAULT.channel(channel))) {
            self.connectTo(self, LinkSetup.DEFAULT);
            for (int i = 0; i < 10; i++) {
                self.postReceive(i, 0, 30_000);
                self.receiveCq.requestNotification(false);
                self.postSend(i, 30_000, 30_000);
                Objects.requireNonNull(channel.getEvent(TIMEOUT), "an event").acknowledgeEvents(1);
                self.awaitReceive();
                self.awaitSend();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("targets")
    void theThreadEndsWithTheDevice(Supplier<ConformanceTarget> opener) {
        long before = threads();
        try (ConformanceTarget target = opener.get()) {
            assertThat(target.first()).isNotNull();
            assertThat(threads()).isGreaterThan(before);
        }
        assertThat(threads()).isEqualTo(before);
    }
}
