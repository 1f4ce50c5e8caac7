// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.conformance.harness.Bytes;
import io.rdma4j.testing.conformance.harness.ConformanceCases;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.QpPair;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Cases for RDMA READ: {@code rc_rdma_read} and {@code _zero_size} of {@code test_qpex}, {@code
 * modify_rc_qp_rd_atomic}, the fence.
 */
public abstract class RemoteReadCases extends ConformanceCases {
    private static final int GUARD = 64;

    protected RemoteReadCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    private static void read(Endpoint a, long wrId, Endpoint b, long from, long to, int length) {
        a.qp.startSend()
                .wrId(wrId)
                .signaled()
                .rdmaRead(b.mr.rkey(), b.remote(from))
                .sge(a.mr.lkey(), a.mr.address() + to, length)
                .complete();
    }

    /** {@code test_qp_ex_rc_rdma_read}. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 8, 1023, 1024, 1025, 4096, 100_001, 1 << 23})
    @Covers({"GEN-7", "WR-12", "MR-17", "CQ-52"})
    void dataOfAllSizesAreReadToWhereTheyBelong(int length) {
        QpPair pair = connected(EndpointSetup.OPEN.memoryBytes(length + 2 * GUARD), LinkSetup.DEFAULT);
        Endpoint a = pair.a();
        Endpoint b = pair.b();
        Bytes.fill(b.memory.asSlice(8, length), length);
        b.postReceive(1, 0, 8);
        read(a, 2, b, 8, GUARD, length);
        WorkCompletion done = a.awaitSend();
        assertThat(done.wrId()).isEqualTo(2);
        assertThat(done.opcode()).isEqualTo(WcOpcode.RDMA_READ);
        assertThat(done.byteLength()).isEqualTo(length);
        Bytes.assertHolds(a.memory.asSlice(GUARD, length), length);
        Bytes.assertUntouched(a.memory.asSlice(0, GUARD));
        Bytes.assertUntouched(a.memory.asSlice(GUARD + length, GUARD));
        assertThat(b.receiveCq.poll(1)).isEmpty();
    }

    /** {@code test_qp_ex_rc_rdma_read_zero_size}. */
    @Test
    @Covers("RXE-176")
    void anEmptyReadNeedsNoKey() {
        QpPair pair = connected(EndpointSetup.OPEN, LinkSetup.DEFAULT);
        pair.a().qp.postSend(SendRequest.rdmaRead(-1, -1).signaled().build());
        assertThat(pair.a().awaitSend().byteLength()).isZero();
    }

    @Test
    void anAnswerIsScatteredOverPieces() {
        QpPair pair = connected(EndpointSetup.OPEN, LinkSetup.DEFAULT);
        Endpoint a = pair.a();
        Endpoint b = pair.b();
        Bytes.fill(b.memory.asSlice(0, 9000), 6);
        a.qp.postSend(SendRequest.rdmaRead(b.mr.rkey(), b.remote(0))
                .signaled()
                .sge(a.mr.sge(GUARD, 1))
                .sge(a.mr.sge(10_000, 4999))
                .sge(a.mr.sge(0, 0))
                .sge(a.mr.sge(20_000, 4000))
                .build());
        a.awaitSend();
        MemorySegment joined = MemorySegment.ofArray(new byte[9000]);
        joined.asSlice(0, 1).copyFrom(a.memory.asSlice(GUARD, 1));
        joined.asSlice(1, 4999).copyFrom(a.memory.asSlice(10_000, 4999));
        joined.asSlice(5000).copyFrom(a.memory.asSlice(20_000, 4000));
        Bytes.assertHolds(joined, 6);
        Bytes.assertUntouched(a.memory.asSlice(GUARD + 1, 100));
        Bytes.assertUntouched(a.memory.asSlice(14_999, 100));
        Bytes.assertUntouched(a.memory.asSlice(24_000, 100));
    }

    /** Posts more READs than may be outstanding, and as many as may be. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4, 16})
    @Covers({"QP-52", "QP-56", "QP-66", "RXE-102"})
    void readsWaitForTheirTurn(int rdAtomic) {
        QpPair pair = connected(EndpointSetup.OPEN, LinkSetup.DEFAULT.rdAtomic(rdAtomic));
        Endpoint a = pair.a();
        Endpoint b = pair.b();
        Bytes.fill(b.memory.asSlice(0, 2000), 1);
        for (int i = 0; i < 30; i++) {
            read(a, i, b, 0, 2000L * i, 2000);
        }
        for (int i = 0; i < 30; i++) {
            assertThat(a.awaitSend().wrId()).isEqualTo(i);
            Bytes.assertHolds(a.memory.asSlice(2000L * i, 2000), 1);
        }
    }

    /** {@code test_modify_rc_qp_rd_atomic}. */
    @Test
    @Covers({"QP-52", "QP-56", "DEV-19"})
    void depthsAreTakenUpToTheLimitsOfTheDevice() {
        int target = (int) context().queryDevice().limit(DeviceLimit.MAX_QP_RD_ATOM);
        int initiator = (int) context().queryDevice().limit(DeviceLimit.MAX_QP_INIT_RD_ATOM);
        assertDepths(12, 12);
        assertDepths(initiator, target);
    }

    private void assertDepths(int initiator, int target) {
        Endpoint a = endpoint(target().first(), EndpointSetup.OPEN);
        Endpoint b = endpoint(target().second(), EndpointSetup.OPEN);
        a.qp.modify(a.init().build());
        a.qp.modify(
                a.readyToReceive(b, LinkSetup.DEFAULT).maxDestRdAtomic(target).build());
        a.qp.modify(
                Endpoint.readyToSend(LinkSetup.DEFAULT).maxRdAtomic(initiator).build());
        QpAttributes attributes = a.qp.query();
        assertThat(attributes.maxDestRdAtomic()).isGreaterThanOrEqualTo(target);
        assertThat(attributes.maxRdAtomic()).isGreaterThanOrEqualTo(initiator);
    }

    /** A limit of 0 outstanding READs would block the queue without end. */
    @Test
    void aReadThatMayNeverGoOutFails() {
        QpPair pair = connected(EndpointSetup.OPEN, LinkSetup.DEFAULT.rdAtomic(0));
        read(pair.a(), 1, pair.b(), 0, 0, 8);
        assertThat(pair.a().awaitSends(1).getFirst().status()).isEqualTo(WcStatus.LOC_QP_OP_ERR);
    }

    @Test
    @Covers({"QP-56", "CQ-37"})
    void aPeerThatServesNoReadsRefusesThem() {
        QpPair pair = connected(EndpointSetup.OPEN, LinkSetup.DEFAULT);
        Endpoint a = pair.a();
        Endpoint b = pair.b();
        b.qp.modify(Endpoint.only(QpState.RESET));
        b.connectTo(a, LinkSetup.DEFAULT.rdAtomic(0));
        read(a, 1, b, 0, 0, 8);
        assertThat(a.awaitSends(1).getFirst().status()).isEqualTo(WcStatus.REM_INV_REQ_ERR);
        Bytes.assertUntouched(a.memory.asSlice(0, 8));
    }

    /** The next request sends the data that a READ brings, so it waits for the READ. */
    @Test
    @Covers("WR-24")
    void aFenceWaitsForReads() {
        QpPair pair = connected(EndpointSetup.OPEN, LinkSetup.DEFAULT.rdAtomic(8));
        Endpoint a = pair.a();
        Endpoint b = pair.b();
        for (int i = 0; i < 20; i++) {
            Bytes.fill(b.memory.asSlice(0, 5000), i);
            b.postReceive(i, 30_000, 5000);
            a.qp.startSend()
                    .rdmaRead(b.mr.rkey(), b.remote(0))
                    .sge(a.mr.lkey(), a.mr.address(), 5000)
                    .fenced()
                    .signaled()
                    .send()
                    .sge(a.mr.lkey(), a.mr.address(), 5000)
                    .complete();
            b.awaitReceive();
            a.awaitSend();
            Bytes.assertHolds(b.memory.asSlice(30_000, 5000), i);
        }
    }

    /** A READ returns the data of earlier WRITEs. */
    @Test
    void aReadSeesEarlierWrites() {
        QpPair pair = connected(EndpointSetup.OPEN, LinkSetup.DEFAULT.rdAtomic(4));
        Endpoint a = pair.a();
        Endpoint b = pair.b();
        Bytes.fill(a.memory.asSlice(0, 7000), 3);
        a.qp.startSend()
                .rdmaWrite(b.mr.rkey(), b.remote(100))
                .sge(a.mr.lkey(), a.mr.address(), 7000)
                .signaled()
                .rdmaRead(b.mr.rkey(), b.remote(100))
                .sge(a.mr.lkey(), a.mr.address() + 20_000, 7000)
                .complete();
        a.awaitSend();
        Bytes.assertHolds(a.memory.asSlice(20_000, 7000), 3);
    }

    @Test
    void bothSidesReadAtOnce() {
        QpPair pair = connected(EndpointSetup.OPEN.memoryBytes(1 << 21), LinkSetup.DEFAULT.rdAtomic(2));
        int length = 1_000_000;
        Bytes.fill(pair.a().memory.asSlice(0, length), 1);
        Bytes.fill(pair.b().memory.asSlice(0, length), 2);
        read(pair.a(), 1, pair.b(), 0, length, length);
        read(pair.b(), 2, pair.a(), 0, length, length);
        pair.a().awaitSend();
        pair.b().awaitSend();
        Bytes.assertHolds(pair.a().memory.asSlice(length, length), 2);
        Bytes.assertHolds(pair.b().memory.asSlice(length, length), 1);
    }

    @Test
    @Covers({"QP-7", "WR-25"})
    void onlySignalledReadsComplete() {
        QpPair pair = connected(EndpointSetup.OPEN, LinkSetup.DEFAULT);
        Endpoint a = pair.a();
        Endpoint b = pair.b();
        Bytes.fill(b.memory.asSlice(0, 100), 3);
        a.qp.startSend()
                .wrId(1)
                .rdmaRead(b.mr.rkey(), b.remote(0))
                .sge(a.mr.lkey(), a.mr.address(), 100)
                .wrId(2)
                .signaled()
                .rdmaRead(b.mr.rkey(), b.remote(0))
                .sge(a.mr.lkey(), a.mr.address() + 100, 100)
                .complete();
        assertThat(a.awaitSend().wrId()).isEqualTo(2);
        assertThat(a.sendCq.poll(1)).isEmpty();
        Bytes.assertHolds(a.memory.asSlice(0, 100), 3);
    }

    /** The response cannot be written to local memory. */
    @Test
    @Covers({"CQ-32", "MR-15"})
    void aReadIntoMemoryThatMayNotBeWrittenFails() {
        QpPair pair = connected(EndpointSetup.OPEN, LinkSetup.DEFAULT);
        Endpoint a = pair.a();
        Endpoint b = pair.b();
        Bytes.fill(b.memory.asSlice(0, 64), 3);
        MemoryRegion readOnly = closing(a.pd.registerMemory(a.memory, Set.of(AccessFlag.REMOTE_READ)));
        a.qp.startSend()
                .wrId(1)
                .rdmaRead(b.mr.rkey(), b.remote(0))
                .sge(readOnly.lkey(), readOnly.address(), 64)
                .complete();
        assertThat(a.awaitSends(1).getFirst().status()).isEqualTo(WcStatus.LOC_PROT_ERR);
        Bytes.assertUntouched(a.memory);
    }
}
