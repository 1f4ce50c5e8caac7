// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.conformance.harness.Allocations;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.conformance.harness.RemoteOperation;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.verbs.values.AccessFlag;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** RDMA and atomic operations allocate nothing: post, progress and poll of both sides on one thread. */
class OperationAllocationTest {
    private static final int OPERATIONS = 2000;
    private static final Set<AccessFlag> RIGHTS =
            Set.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC, AccessFlag.FLUSH_GLOBAL);

    @ParameterizedTest
    @EnumSource(RemoteOperation.class)
    void anOperationOverSocketsAllocatesNothing(RemoteOperation operation) {
        assertAllocatesNothing(RxeTargets::udp, operation);
    }

    @ParameterizedTest
    @EnumSource(RemoteOperation.class)
    void anOperationWithinTheMachineAllocatesNothing(RemoteOperation operation) {
        assertAllocatesNothing(RxeTargets::loopback, operation);
    }

    private static void assertAllocatesNothing(Supplier<ConformanceTarget> opener, RemoteOperation operation) {
        EndpointSetup setup = EndpointSetup.DEFAULT.remoteRights(RIGHTS);
        try (ConformanceTarget target = opener.get();
                Endpoint a = new Endpoint(target, target.first(), setup);
                Endpoint b = new Endpoint(target, target.second(), setup)) {
            a.connectTo(b, LinkSetup.DEFAULT);
            b.connectTo(a, LinkSetup.DEFAULT);
            long allocated = Allocations.inSteadyState("rdma4j-", () -> {
                for (int i = 0; i < OPERATIONS; i++) {
                    run(operation, a, b);
                }
            });
            assertThat(allocated).isZero();
        }
    }

    private static void run(RemoteOperation operation, Endpoint a, Endpoint b) {
        boolean receives = operation == RemoteOperation.WRITE_WITH_IMMEDIATE;
        if (receives) {
            b.postReceive(1, 0, 0);
        }
        operation.post(a, 2, b.mr.rkey(), b.remote(0));
        Progress.await(a.sendCq, b.receiveCq, receives);
    }
}
