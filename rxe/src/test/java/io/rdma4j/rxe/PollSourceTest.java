// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.verbs.spi.PollRegistration;
import io.rdma4j.verbs.spi.PollSource;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Poll sources: work of a port that does not come through the verbs. */
class PollSourceTest {
    private final Bench bench = new Bench(Set.of());

    @AfterEach
    void close() {
        bench.close();
    }

    /** A source that runs a task of the test as its work. */
    private static final class Source implements PollSource {
        final AtomicInteger polls = new AtomicInteger();
        final Runnable task;
        boolean pending;

        Source(Runnable task) {
            this.task = task;
        }

        @Override
        public boolean isPending() {
            return pending;
        }

        @Override
        public void poll() {
            pending = false;
            polls.getAndIncrement();
            task.run();
        }

        @Override
        public boolean beforeSleep(int sleeper) {
            return !pending;
        }

        @Override
        public void afterSleep(int sleeper) {}

        @Override
        public boolean isAwaited() {
            return false;
        }
    }

    @Test
    void aSourceHasItsTurnInEachVisitUntilItIsTakenAway() {
        Source source = new Source(() -> {});
        PollRegistration registration = bench.context.addPollSource(source);
        bench.run();
        assertThat(source.polls).as("it had nothing").hasValue(0);
        source.pending = true;
        bench.run();
        assertThat(source.polls).hasValue(1);
        registration.close();
        source.pending = true;
        bench.run();
        assertThat(source.polls).hasValue(1);
    }

    /** The failure affects neither the thread that drives the port nor the port. */
    @Test
    void aSourceThatThrowsIsNotPolledAnyMoreAndThePortGoesOn() {
        Source broken = new Source(() -> {
            throw new InternalError("memory that is gone");
        });
        Source good = new Source(() -> {});
        bench.context.addPollSource(broken);
        bench.context.addPollSource(good);
        broken.pending = true;
        good.pending = true;
        bench.run();
        broken.pending = true;
        bench.run();
        assertThat(broken.polls).hasValue(1);
        assertThat(good.polls).hasValue(1);
        assertThat(bench.context.queryPort(1).state().name()).isEqualTo("ACTIVE");
        Endpoint endpoint = bench.connected(Bench.PEER_V4, 14);
        assertThat(endpoint.qp.state().name()).isEqualTo("RTS");
    }
}
