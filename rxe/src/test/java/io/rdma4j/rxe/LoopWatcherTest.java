package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.net.loop.ProgressMode;
import io.rdma4j.testing.conformance.ConformanceTarget;
import io.rdma4j.testing.conformance.Endpoint;
import io.rdma4j.testing.conformance.EndpointSetup;
import io.rdma4j.testing.conformance.LinkSetup;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.QpState;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A device that is driven by its own thread because the program sleeps, computes, or is gone. */
class LoopWatcherTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int LARGE = 8 << 20;

    static List<Supplier<ConformanceTarget>> targets() {
        return List.of(RxeTargets::udp, RxeTargets::loopback);
    }

    private static long watchers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("rdma4j-") && thread.isAlive())
                .count();
    }

    /** Long after the post, without a poll or a sleep on a channel: the program waits on something else. */
    @ParameterizedTest
    @MethodSource("targets")
    void timersFireWhenNobodyPolls(Supplier<ConformanceTarget> opener) {
        try (ConformanceTarget target = opener.get();
                Endpoint lonely = new Endpoint(target, target.first(), EndpointSetup.DEFAULT)) {
            Endpoint gone = new Endpoint(target, target.second(), EndpointSetup.DEFAULT);
            lonely.connectTo(gone, LinkSetup.IMPATIENT);
            gone.close();
            lonely.postSend(1, 0, 8);
            long end = System.nanoTime() + PATIENCE.toNanos();
            while (lonely.qp.state() != QpState.ERR && System.nanoTime() - end < 0) {
                LockSupport.parkNanos(1_000_000);
            }
            assertThat(lonely.qp.state()).isEqualTo(QpState.ERR);
        }
    }

    /** The thread posts and sleeps without having polled; the message takes hundreds of rounds of the loop. */
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
            Objects.requireNonNull(channel.getEvent(PATIENCE), "an event").acknowledgeEvents(1);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
            a.awaitSend();
            b.awaitReceive();
        }
    }

    /** What a post leaves to be done is done at once when the poster goes to sleep, whatever the network does. */
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
                Objects.requireNonNull(channel.getEvent(PATIENCE), "an event").acknowledgeEvents(1);
                self.awaitReceive();
                self.awaitSend();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("targets")
    void theThreadEndsWithTheDevice(Supplier<ConformanceTarget> opener) {
        long before = watchers();
        try (ConformanceTarget target = opener.get()) {
            assertThat(target.first()).isNotNull();
            assertThat(watchers()).isGreaterThan(before);
        }
        assertThat(watchers()).isEqualTo(before);
    }
}
