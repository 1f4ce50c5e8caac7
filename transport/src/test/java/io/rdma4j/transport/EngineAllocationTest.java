// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.transport.port.CongestionControl;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.values.QpCreateFlag;
import io.rdma4j.verbs.wr.FlushLevel;
import io.rdma4j.verbs.wr.FlushType;
import io.rdma4j.verbs.wr.SendBatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Posting, sending, receiving, acknowledging and polling allocate nothing once all is warm. */
class EngineAllocationTest {
    /** Posts one request of A; {@code near} and {@code far} are the memories of both sides. */
    @FunctionalInterface
    private interface Post {
        void post(SendBatch batch, TestRegion near, TestRegion far, int bytes);
    }

    /** What is posted; the name says what. */
    enum Operation {
        SEND(true, (batch, near, far, bytes) -> batch.send().sge(near.lkey(), near.address(), bytes)),
        SEND_WITH_IMM(true, (batch, near, far, bytes) -> batch.sendImm(7).sge(near.lkey(), near.address(), bytes)),
        RDMA_WRITE(
                false,
                (batch, near, far, bytes) ->
                        batch.rdmaWrite(far.lkey(), far.address()).sge(near.lkey(), near.address(), bytes)),
        RDMA_WRITE_WITH_IMM(
                true,
                (batch, near, far, bytes) ->
                        batch.rdmaWriteImm(far.lkey(), far.address(), 7).sge(near.lkey(), near.address(), bytes)),
        RDMA_READ(
                false,
                (batch, near, far, bytes) ->
                        batch.rdmaRead(far.lkey(), far.address()).sge(near.lkey(), near.address(), bytes)),
        ATOMIC_CMP_AND_SWP(
                false,
                (batch, near, far, bytes) ->
                        batch.atomicCompareSwap(far.lkey(), far.address(), 1, 2).sge(near.lkey(), near.address(), 8)),
        ATOMIC_FETCH_AND_ADD(
                false,
                (batch, near, far, bytes) ->
                        batch.atomicFetchAdd(far.lkey(), far.address(), 1).sge(near.lkey(), near.address(), 8)),
        MASKED_ATOMIC_CMP_AND_SWP(
                false,
                (batch, near, far, bytes) -> batch.maskedAtomicCompareSwap(far.lkey(), far.address(), 1, 1, 2, 3)
                        .sge(near.lkey(), near.address(), 8)),
        MASKED_ATOMIC_FETCH_AND_ADD(
                false,
                (batch, near, far, bytes) -> batch.maskedAtomicFetchAdd(far.lkey(), far.address(), 1, 8)
                        .sge(near.lkey(), near.address(), 8)),
        FLUSH(
                false,
                (batch, near, far, bytes) ->
                        batch.flush(far.lkey(), far.address(), bytes, FlushType.GLOBAL.bit(), FlushLevel.RANGE)),
        ATOMIC_WRITE(false, (batch, near, far, bytes) -> batch.atomicWrite(far.lkey(), far.address(), 1));

        private final boolean takesReceive;

        @SuppressWarnings("ImmutableEnumChecker") // a lambda without state
        private final Post post;

        Operation(boolean takesReceive, Post post) {
            this.takesReceive = takesReceive;
            this.post = post;
        }
    }

    private AllocationRig rig = new AllocationRig(settings());

    private static PairSettings settings() {
        return new PairSettings()
                .rdma(8)
                .mtu(Mtu.MTU_1024)
                .minRnrTimer(1)
                .timeout(1)
                .createFlags(QpCreateFlag.MASKED_ATOMICS);
    }

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void smallMessages() {
        assertAllocatesNothing(Operation.SEND, 64, 8);
    }

    @Test
    void trains() {
        assertAllocatesNothing(Operation.SEND, 50_000, 2);
    }

    @Test
    void losses() {
        rig.lossInterval = 23;
        assertAllocatesNothing(Operation.SEND, 3000, 4);
    }

    @Test
    void lossesWithHeldPackets() {
        rig.close();
        rig = new AllocationRig(settings().options(TransportOptions.DEFAULT.withOutOfOrderPlacement()));
        rig.lossInterval = 23;
        assertAllocatesNothing(Operation.RDMA_READ, 2000, 4);
        assertThat(rig.b.counters().heldRequests).isPositive();
    }

    @ParameterizedTest
    @EnumSource(
            value = Operation.class,
            names = {"RDMA_WRITE", "RDMA_READ"})
    void congestion(Operation operation) {
        rig.close();
        CongestionControl fast = CongestionControl.DEFAULT.withLineRate(1_000_000_000_000L);
        rig = new AllocationRig(settings().timeout(14).options(TransportOptions.DEFAULT.withCongestionControl(fast)));
        rig.a.congested = true;
        rig.b.congested = true;
        assertAllocatesNothing(operation, 3000, 4);
        assertThat(rig.a.counters().handledCnps + rig.b.counters().handledCnps).isPositive();
    }

    @ParameterizedTest
    @EnumSource(Operation.class)
    void everyOperation(Operation operation) {
        assertAllocatesNothing(operation, 2000, 4);
    }

    @ParameterizedTest
    @EnumSource(
            value = Operation.class,
            names = {"RDMA_WRITE", "RDMA_READ", "ATOMIC_FETCH_AND_ADD"})
    void lossesOfEveryKindOfAnswer(Operation operation) {
        rig.lossInterval = 23;
        assertAllocatesNothing(operation, 3000, 4);
    }

    private void assertAllocatesNothing(Operation operation, int bytes, int perBatch) {
        TestRegion near = rig.a.region(bytes);
        TestRegion far = rig.b.shared(bytes);
        int receives = operation.takesReceive ? perBatch : 0;
        rig.assertAllocatesNothing(() -> {
            for (int i = 0; i < receives; i++) {
                rig.b
                        .receives()
                        .receive(i)
                        .sge(far.lkey(), far.address(), bytes)
                        .complete();
            }
            SendBatch batch = rig.a.sends();
            for (int i = 0; i < perBatch; i++) {
                operation.post.post(batch.wrId(i), near, far, bytes);
            }
            batch.complete();
            return perBatch;
        });
        assertThat(rig.received).isEqualTo(operation.takesReceive ? rig.sent : 0);
    }
}
