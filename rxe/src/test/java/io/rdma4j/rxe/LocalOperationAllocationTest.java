// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.conformance.harness.Allocations;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.FastMemoryRegion;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.MemoryKeys;
import io.rdma4j.verbs.wr.CompletionCursor;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WindowType;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests without packets allocate nothing on the Java heap. */
class LocalOperationAllocationTest {
    private static final int ROUNDS = 2000;
    private static final Set<AccessFlag> RIGHTS = Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND);
    private static final int WRITABLE = AccessFlag.REMOTE_WRITE.bit();

    private final ConformanceTarget target = RxeTargets.loopback();
    private final Endpoint endpoint = connected();
    private int key;

    private Endpoint connected() {
        Endpoint self = new Endpoint(target, target.first(), EndpointSetup.DEFAULT);
        self.connectTo(self, LinkSetup.DEFAULT);
        return self;
    }

    @AfterEach
    void close() {
        endpoint.close();
        target.close();
    }

    private void await(int completions) {
        CompletionQueue cq = endpoint.sendCq;
        for (int left = completions; left > 0; ) {
            try (CompletionCursor wc = cq.startPoll()) {
                while (wc.next()) {
                    if (wc.status() != WcStatus.SUCCESS) {
                        throw new AssertionError(wc.status());
                    }
                    left--;
                }
            }
        }
    }

    @Test
    void bindingAWindowAllocatesNothing() {
        try (MemoryRegion region = endpoint.pd.registerMemory(endpoint.memory, RIGHTS);
                MemoryWindow window = endpoint.pd.allocateWindow(WindowType.TYPE_1)) {
            key = window.rkey();
            long allocated = Allocations.inSteadyState("rdma4j-", () -> {
                for (int i = 0; i < ROUNDS; i++) {
                    key = MemoryKeys.next(key);
                    endpoint.qp
                            .startSend()
                            .signaled()
                            .bindWindow(window, key, region, region.iova(), 100, WRITABLE)
                            .complete();
                    await(1);
                }
            });
            assertThat(allocated).isZero();
        }
    }

    @Test
    void registeringAndInvalidatingAllocateNothing() {
        try (FastMemoryRegion region = endpoint.pd.allocateFastRegion(32)) {
            region.map(List.of(endpoint.memory));
            key = region.key();
            long allocated = Allocations.inSteadyState("rdma4j-", () -> {
                for (int i = 0; i < ROUNDS; i++) {
                    key = MemoryKeys.next(key);
                    endpoint.qp
                            .startSend()
                            .signaled()
                            .registerMemory(region, key, AccessFlag.LOCAL_WRITE.bit())
                            .signaled()
                            .localInvalidate(key)
                            .complete();
                    await(2);
                }
            });
            assertThat(allocated).isZero();
        }
    }
}
