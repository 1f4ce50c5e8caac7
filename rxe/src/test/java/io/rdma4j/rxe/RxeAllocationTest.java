// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.conformance.harness.Allocations;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The data path of the allocation-free API allocates nothing: post, progress and poll of both sides on one thread. */
class RxeAllocationTest {
    private static final int MESSAGES = 2000;
    private static final int LARGE = 40_000;
    private static final int SMALL = 64;

    static List<Supplier<ConformanceTarget>> targets() {
        return List.of(RxeTargets::udp, RxeTargets::sharedMemory, RxeTargets::loopback);
    }

    @ParameterizedTest
    @MethodSource("targets")
    void aMessageAllocatesNothing(Supplier<ConformanceTarget> opener) {
        try (ConformanceTarget target = opener.get();
                Endpoint a = new Endpoint(target, target.first(), EndpointSetup.DEFAULT);
                Endpoint b = new Endpoint(target, target.second(), EndpointSetup.DEFAULT)) {
            a.connectTo(b, LinkSetup.DEFAULT);
            b.connectTo(a, LinkSetup.DEFAULT);
            long allocated = Allocations.inSteadyState("rdma4j-", () -> {
                for (int i = 0; i < MESSAGES; i++) {
                    exchange(a, b, i % 50 == 0 ? LARGE : SMALL);
                }
            });
            assertThat(allocated).isZero();
        }
    }

    private static void exchange(Endpoint a, Endpoint b, int length) {
        b.postReceive(1, 0, LARGE);
        a.postSend(2, 0, length);
        Progress.awaitMessage(a.sendCq, b.receiveCq);
    }
}
