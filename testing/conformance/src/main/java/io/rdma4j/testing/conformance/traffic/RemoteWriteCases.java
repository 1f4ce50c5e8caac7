// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.conformance.harness.Bytes;
import io.rdma4j.testing.conformance.harness.Capability;
import io.rdma4j.testing.conformance.harness.ConformanceCases;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.QpPair;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.wr.WcFlag;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Cases for RDMA WRITE: {@code rc_rdma_write}, {@code _imm} and {@code _zero_size} of {@code test_qpex}. */
public abstract class RemoteWriteCases extends ConformanceCases {
    private static final int GUARD = 64;
    private static final int NO_KEY = -1;

    protected RemoteWriteCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    private static void assertOnlyThere(Endpoint at, long offset, int length, int number) {
        Bytes.assertHolds(at.memory.asSlice(offset, length), number);
        Bytes.assertUntouched(at.memory.asSlice(offset - GUARD, GUARD));
        Bytes.assertUntouched(at.memory.asSlice(offset + length, GUARD));
    }

    /** {@code test_qp_ex_rc_rdma_write}: the peer's program gets no completion. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 8, 1023, 1024, 1025, 4096, 100_001, 1 << 23})
    @Covers({"GEN-7", "WR-8", "WR-30", "MR-16", "QP-42", "QP-63", "CQ-51"})
    void dataOfAllSizesAreWrittenWhereTheyBelong(int length) {
        QpPair pair = connected(EndpointSetup.OPEN.memoryBytes(length + 2 * GUARD), LinkSetup.DEFAULT);
        Endpoint a = pair.a();
        Endpoint b = pair.b();
        Bytes.fill(a.memory.asSlice(0, length), length);
        b.postReceive(1, 0, 8);
        a.qp.startSend()
                .wrId(2)
                .signaled()
                .rdmaWrite(b.mr.rkey(), b.remote(GUARD))
                .sge(a.mr.lkey(), a.mr.address(), length)
                .complete();
        WorkCompletion written = a.awaitSend();
        assertThat(written.wrId()).isEqualTo(2);
        assertThat(written.opcode()).isEqualTo(WcOpcode.RDMA_WRITE);
        assertOnlyThere(b, GUARD, length, length);
        assertThat(b.receiveCq.poll(1)).isEmpty();
    }

    /** {@code test_qp_ex_rc_rdma_write_imm}, with both APIs: it takes a receive, whose memory stays unchanged. */
    @ParameterizedTest
    @ValueSource(ints = {1, 1024, 5000})
    @Covers({"WR-6", "WR-9", "WR-29", "CQ-62", "CQ-72"})
    void aWriteWithImmediateTakesAReceive(int length) {
        QpPair pair = connected(EndpointSetup.OPEN, LinkSetup.DEFAULT);
        Endpoint a = pair.a();
        Endpoint b = pair.b();
        Bytes.fill(a.memory.asSlice(0, length), 7);
        b.postReceive(1, 0, 16);
        b.qp.startReceive().receive(2).complete();
        a.qp.postSend(SendRequest.rdmaWriteWithImmediate(b.mr.rkey(), b.remote(GUARD), 0x12345678)
                .sge(a.mr.sge(0, length))
                .build());
        a.qp.startSend()
                .signaled()
                .rdmaWriteImm(b.mr.rkey(), b.remote(30_000), -2)
                .sge(a.mr.lkey(), a.mr.address(), length)
                .complete();
        WorkCompletion first = b.awaitReceive();
        WorkCompletion second = b.awaitReceive();
        assertThat(a.awaitSend().opcode()).isEqualTo(WcOpcode.RDMA_WRITE);
        assertThat(first.wrId()).isEqualTo(1);
        assertThat(first.opcode()).isEqualTo(WcOpcode.RECV_RDMA_WITH_IMM);
        assertThat(first.byteLength()).isEqualTo(length);
        assertThat(first.flags()).containsExactly(WcFlag.WITH_IMM);
        assertThat(first.immediate()).isEqualTo(0x12345678);
        assertThat(second.wrId()).isEqualTo(2);
        assertThat(second.immediate()).isEqualTo(-2);
        assertOnlyThere(b, GUARD, length, 7);
        assertOnlyThere(b, 30_000, length, 7);
    }

    /** {@code test_qp_ex_rc_rdma_write_zero_size}: key and address of an empty write are ignored. */
    @Test
    @Covers("RXE-176")
    void anEmptyWriteNeedsNoKey() {
        QpPair pair = connected(EndpointSetup.OPEN, LinkSetup.DEFAULT);
        Endpoint a = pair.a();
        Endpoint b = pair.b();
        b.postReceive(1, 0, 8);
        a.qp.startSend().signaled().rdmaWrite(NO_KEY, -1).complete();
        a.awaitSend();
        a.qp.startSend().signaled().rdmaWriteImm(NO_KEY, 3, 9).complete();
        a.awaitSend();
        WorkCompletion received = b.awaitReceive();
        assertThat(received.immediate()).isEqualTo(9);
        assertThat(received.byteLength()).isZero();
        Bytes.assertUntouched(b.memory);
    }

    @Test
    void aWriteWithImmediateWaitsForAReceive() {
        QpPair pair = connected(EndpointSetup.OPEN, LinkSetup.DEFAULT);
        Endpoint a = pair.a();
        Endpoint b = pair.b();
        Bytes.fill(a.memory.asSlice(0, 3000), 2);
        a.qp.startSend()
                .signaled()
                .rdmaWriteImm(b.mr.rkey(), b.remote(GUARD), 1)
                .sge(a.mr.lkey(), a.mr.address(), 3000)
                .complete();
        assertStaysQuiet(a);
        b.postReceive(1, 0, 0);
        b.awaitReceive();
        a.awaitSend();
        assertOnlyThere(b, GUARD, 3000, 2);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 64})
    @Covers("WR-27")
    void inlineDataAreWritten(int length) {
        QpPair pair = connected(EndpointSetup.OPEN, LinkSetup.DEFAULT);
        MemorySegment data = MemorySegment.ofArray(new byte[length]);
        Bytes.fill(data, 5);
        pair.a()
                .qp
                .startSend()
                .signaled()
                .rdmaWrite(pair.b().mr.rkey(), pair.b().remote(GUARD))
                .inline(data)
                .complete();
        data.fill((byte) 0);
        pair.a().awaitSend();
        assertOnlyThere(pair.b(), GUARD, length, 5);
    }

    @Test
    void piecesAreGatheredIntoOneRange() {
        QpPair pair = connected(EndpointSetup.OPEN, LinkSetup.DEFAULT);
        Endpoint a = pair.a();
        Endpoint b = pair.b();
        MemorySegment whole = MemorySegment.ofArray(new byte[9000]);
        Bytes.fill(whole, 3);
        a.memory.asSlice(50, 1).copyFrom(whole.asSlice(0, 1));
        a.memory.asSlice(20_000, 4999).copyFrom(whole.asSlice(1, 4999));
        a.memory.asSlice(40_000, 4000).copyFrom(whole.asSlice(5000));
        a.qp.startSend()
                .signaled()
                .rdmaWrite(b.mr.rkey(), b.remote(GUARD + 1))
                .sge(a.mr.lkey(), a.mr.address() + 50, 1)
                .sge(a.mr.lkey(), a.mr.address() + 20_000, 4999)
                .sge(a.mr.lkey(), a.mr.address(), 0)
                .sge(a.mr.lkey(), a.mr.address() + 40_000, 4000)
                .complete();
        a.awaitSend();
        assertOnlyThere(b, GUARD + 1, 9000, 3);
    }

    /** Later data overwrite earlier ones, and only the signalled request completes. */
    @Test
    @Covers({"QP-7", "WR-25"})
    void writesAreCarriedOutInTheirOrder() {
        QpPair pair = connected(EndpointSetup.OPEN, LinkSetup.DEFAULT);
        Endpoint a = pair.a();
        Endpoint b = pair.b();
        for (int i = 0; i < 20; i++) {
            Bytes.fill(a.memory.asSlice(3000L * i, 3000), i);
            var batch = a.qp.startSend().wrId(i);
            if (i == 19) {
                batch.signaled();
            }
            batch.rdmaWrite(b.mr.rkey(), b.remote(GUARD))
                    .sge(a.mr.lkey(), a.mr.address() + 3000L * i, 3000)
                    .complete();
        }
        assertThat(a.awaitSend().wrId()).isEqualTo(19);
        assertOnlyThere(b, GUARD, 3000, 19);
        assertThat(a.sendCq.poll(1)).isEmpty();
    }

    /** The address is relative to the region's IOVA, wherever the memory is. */
    @Test
    void theAddressFollowsTheIova() {
        QpPair pair = connected(EndpointSetup.OPEN, LinkSetup.DEFAULT);
        Endpoint a = pair.a();
        Endpoint b = pair.b();
        MemoryRegion zeroBased = closing(b.pd.registerMemory(
                b.memory, Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.ZERO_BASED)));
        Bytes.fill(a.memory.asSlice(0, 200), 4);
        a.qp.startSend()
                .signaled()
                .rdmaWrite(zeroBased.rkey(), 300)
                .sge(a.mr.lkey(), a.mr.address(), 200)
                .complete();
        a.awaitSend();
        assertOnlyThere(b, 300, 200, 4);
    }

    @Test
    void aQueuePairWritesToItself() {
        require(Capability.SELF_TALK);
        Endpoint self = endpoint(context(), EndpointSetup.OPEN);
        self.connectTo(self, LinkSetup.DEFAULT);
        Bytes.fill(self.memory.asSlice(0, 10_000), 1);
        self.qp
                .startSend()
                .signaled()
                .rdmaWrite(self.mr.rkey(), self.remote(20_000))
                .sge(self.mr.lkey(), self.mr.address(), 10_000)
                .complete();
        self.awaitSend();
        assertOnlyThere(self, 20_000, 10_000, 1);
    }
}
