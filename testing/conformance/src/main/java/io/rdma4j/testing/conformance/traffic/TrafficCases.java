// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.testing.conformance.harness.Bytes;
import io.rdma4j.testing.conformance.harness.Capability;
import io.rdma4j.testing.conformance.harness.ConformanceCases;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.Paths;
import io.rdma4j.testing.endpoint.QpPair;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.SignalType;
import io.rdma4j.verbs.wr.WcFlag;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Cases for SEND over a reliable connection: {@code test_qpex} ({@code rc_send}, {@code rc_send_imm}) and similar
 * cases.
 */
public abstract class TrafficCases extends ConformanceCases {
    private static final int GUARD = 64;

    protected TrafficCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    private QpPair connectedFor(int length, LinkSetup link) {
        return connected(EndpointSetup.DEFAULT.memoryBytes(length + 2 * GUARD), link);
    }

    private static void assertArrives(QpPair pair, int length) {
        Endpoint a = pair.a();
        Endpoint b = pair.b();
        Bytes.fill(a.memory.asSlice(GUARD, length), length);
        b.postReceive(7, GUARD, length);
        a.postSend(8, GUARD, length);
        WorkCompletion received = b.awaitReceive();
        WorkCompletion sent = a.awaitSend();
        assertThat(received.wrId()).isEqualTo(7);
        assertThat(received.opcode()).isEqualTo(WcOpcode.RECV);
        assertThat(received.byteLength()).isEqualTo(length);
        assertThat(received.qpNumber()).isEqualTo(b.qp.qpn());
        assertThat(received.flags()).isEmpty();
        assertThat(sent.wrId()).isEqualTo(8);
        assertThat(sent.opcode()).isEqualTo(WcOpcode.SEND);
        assertThat(sent.qpNumber()).isEqualTo(a.qp.qpn());
        Bytes.assertHolds(b.memory.asSlice(GUARD, length), length);
        Bytes.assertUntouched(b.memory.asSlice(0, GUARD));
        Bytes.assertUntouched(b.memory.asSlice(GUARD + length, GUARD));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 255, 256, 1023, 1024, 1025, 2048, 4096, 65_536, 1_048_576, 3_000_001})
    @Covers({"GEN-5", "GEN-6", "CQ-28", "CQ-50", "CQ-61", "CQ-64", "CQ-65", "QP-26", "WR-10"})
    void messagesOfAllSizesArriveWholeAndWhereTheyBelong(int length) {
        assertArrives(connectedFor(length, LinkSetup.DEFAULT), length);
    }

    @ParameterizedTest
    @EnumSource(Mtu.class)
    @Covers("QP-47")
    void everyPathMtuThatThePortHasWorks(Mtu mtu) {
        Mtu active = context().queryPort(target().port()).activeMtu();
        Assumptions.assumeTrue(mtu.compareTo(active) <= 0, () -> "the port's active MTU is " + active.bytes());
        assertArrives(connectedFor(20_001, LinkSetup.DEFAULT.mtu(mtu)), 20_001);
    }

    /** The PSNs wrap in the middle of a message. */
    @Test
    @Covers({"GEN-15", "QP-51", "QP-55"})
    void sequenceNumbersWrap() {
        QpPair pair = connectedFor(100 * 1024, LinkSetup.DEFAULT.firstPsn(0xFFFFF0));
        assertArrives(pair, 100 * 1024);
        assertThat(pair.a().qp.query().sqPsn()).isEqualTo(0xFFFFF0 + 100 - 0x1000000);
        assertThat(pair.b().qp.query().rqPsn()).isEqualTo(0xFFFFF0 + 100 - 0x1000000);
    }

    @Test
    void aDeviceTalksToItself() {
        require(Capability.SELF_TALK);
        EndpointSetup setup = EndpointSetup.DEFAULT.memoryBytes(300_000);
        QpPair pair = new QpPair(endpoint(context(), setup), endpoint(context(), setup));
        pair.connect(LinkSetup.DEFAULT);
        assertArrives(pair, 250_000);
    }

    @Test
    void aQueuePairTalksToItself() {
        require(Capability.SELF_TALK);
        Endpoint self = endpoint(context(), EndpointSetup.DEFAULT);
        self.connectTo(self, LinkSetup.DEFAULT);
        Bytes.fill(self.memory.asSlice(0, 10_000), 1);
        self.postReceive(1, 20_000, 10_000);
        self.postSend(2, 0, 10_000);
        self.awaitReceive();
        self.awaitSend();
        Bytes.assertHolds(self.memory.asSlice(20_000, 10_000), 1);
    }

    /** {@code test_qp_ex_rc_send_imm}, with both APIs. */
    @ParameterizedTest
    @CsvSource({"0,0", "1,-1", "5000,305419896", "0,-2147483648"})
    @Covers({"CQ-66", "CQ-72", "WR-11"})
    void immediateDataArriveWithTheirMessage(int length, int immediate) {
        QpPair pair = connected();
        Endpoint a = pair.a();
        pair.b().postReceive(1, 0, 8192);
        pair.b().postReceive(2, 0, 8192);
        a.qp.postSend(SendRequest.sendWithImmediate(immediate)
                .sge(a.mr.sge(0, length))
                .build());
        a.qp.startSend()
                .wrId(3)
                .signaled()
                .sendImm(~immediate)
                .sge(a.mr.lkey(), a.mr.address(), length)
                .complete();
        WorkCompletion first = pair.b().awaitReceive();
        WorkCompletion second = pair.b().awaitReceive();
        a.awaitSend();
        assertThat(first.flags()).containsExactly(WcFlag.WITH_IMM);
        assertThat(first.immediate()).isEqualTo(immediate);
        assertThat(first.byteLength()).isEqualTo(length);
        assertThat(second.immediate()).isEqualTo(~immediate);
    }

    /** Segments of odd lengths on both sides, including empty ones. */
    @Test
    @Covers({"WR-3", "WR-4", "WR-5", "MR-37"})
    void piecesAreGatheredAndScattered() {
        QpPair pair = connected();
        Endpoint a = pair.a();
        Endpoint b = pair.b();
        Bytes.fill(a.memory.asSlice(0, 5000), 9);
        b.qp.postReceive(ReceiveRequest.of(
                1, b.mr.sge(40_000, 1), b.mr.sge(100, 0), b.mr.sge(10_000, 2998), b.mr.sge(20_000, 9000)));
        a.qp.postSend(SendRequest.send()
                .signaled()
                .sge(a.mr.sge(0, 7))
                .sge(a.mr.sge(7, 1017))
                .sge(a.mr.sge(1024, 0))
                .sge(a.mr.sge(1024, 3976))
                .build());
        assertThat(b.awaitReceive().byteLength()).isEqualTo(5000);
        a.awaitSend();
        MemorySegment joined = MemorySegment.ofArray(new byte[5000]);
        joined.asSlice(0, 1).copyFrom(b.memory.asSlice(40_000, 1));
        joined.asSlice(1, 2998).copyFrom(b.memory.asSlice(10_000, 2998));
        joined.asSlice(2999, 2001).copyFrom(b.memory.asSlice(20_000, 2001));
        Bytes.assertHolds(joined, 9);
        Bytes.assertUntouched(b.memory.asSlice(22_001, 6999));
    }

    /** Inline data are copied when they are posted, from memory that is not registered. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 33, 64})
    @Covers("WR-27")
    void inlineDataMayChangeAtOnce(int length) {
        QpPair pair = connected();
        byte[] heap = new byte[length];
        MemorySegment data = MemorySegment.ofArray(heap);
        Bytes.fill(data, 4);
        pair.b().postReceive(1, 0, 100);
        pair.b().postReceive(2, 100, 100);
        pair.a().qp.postSend(SendRequest.send().inlineData(data).build());
        pair.a().qp.startSend().signaled().send().inline(data).complete();
        data.fill((byte) 0);
        pair.a().awaitSend();
        pair.b().awaitReceives(2);
        Bytes.assertHolds(pair.b().memory.asSlice(0, length), 4);
        Bytes.assertHolds(pair.b().memory.asSlice(100, length), 4);
        Bytes.assertUntouched(pair.b().memory.asSlice(length, 100 - length));
    }

    /** Sends many more messages than the queues hold, in batches, with counted completions. */
    @Test
    @Covers({"QP-1", "QP-7", "WR-25", "WR-38", "WR-39", "WR-40", "WR-41"})
    void batchesOfManyMessagesKeepTheirOrder() {
        QpPair pair = connected();
        Endpoint a = pair.a();
        Endpoint b = pair.b();
        int batch = 32;
        for (int round = 0; round < 20; round++) {
            SendBatch sends = a.qp.startSend();
            for (int i = 0; i < batch; i++) {
                int number = round * batch + i;
                Bytes.fill(a.memory.asSlice(1024L * i, 100 + i), number);
                b.postReceive(number, 1024L * i, 1024);
                sends.wrId(number);
                if (i == batch - 1) {
                    sends.signaled();
                }
                sends.send().sge(a.mr.lkey(), a.mr.address() + 1024L * i, 100 + i);
            }
            sends.complete();
            assertThat(a.awaitSend().wrId()).isEqualTo(round * batch + batch - 1L);
            int first = round * batch;
            for (int i = 0; i < batch; i++) {
                WorkCompletion received = b.awaitReceive();
                assertThat(received.wrId()).isEqualTo(first + i);
                assertThat(received.byteLength()).isEqualTo(100 + i);
                Bytes.assertHolds(b.memory.asSlice(1024L * i, 100 + i), first + i);
            }
            assertThat(a.sendCq.poll(1)).isEmpty();
        }
    }

    @Test
    @Covers({"QP-5", "QP-6"})
    void aQueuePairThatSignalsAllSignalsAll() {
        QpPair pair = connected(EndpointSetup.DEFAULT.signalType(SignalType.ALL_WR), LinkSetup.DEFAULT);
        for (int i = 0; i < 5; i++) {
            pair.b().postReceive(i, 0, 8);
            pair.a().qp.startSend().wrId(i).send().complete();
        }
        assertThat(pair.a().awaitSends(5)).extracting(WorkCompletion::wrId).containsExactly(0L, 1L, 2L, 3L, 4L);
    }

    /** Both sides fill their send queues before either polls. */
    @Test
    void bothDirectionsWorkAtOnce() {
        QpPair pair =
                connected(EndpointSetup.DEFAULT.capabilities(new QpCapabilities(31, 31, 1, 1, 0)), LinkSetup.DEFAULT);
        for (int i = 0; i < 31; i++) {
            pair.a().postReceive(i, 0, 3000);
            pair.b().postReceive(i, 0, 3000);
        }
        Bytes.fill(pair.a().memory.asSlice(10_000, 3000), 1);
        Bytes.fill(pair.b().memory.asSlice(10_000, 3000), 2);
        for (int i = 0; i < 31; i++) {
            pair.a().postSend(i, 10_000, 3000);
            pair.b().postSend(i, 10_000, 3000);
        }
        for (int i = 0; i < 31; i++) {
            assertThat(pair.b().awaitReceive().wrId()).isEqualTo(i);
            assertThat(pair.a().awaitReceive().wrId()).isEqualTo(i);
        }
        assertThat(pair.a().awaitSends(31)).hasSize(31);
        assertThat(pair.b().awaitSends(31)).hasSize(31);
        Bytes.assertHolds(pair.b().memory.asSlice(0, 3000), 1);
        Bytes.assertHolds(pair.a().memory.asSlice(0, 3000), 2);
    }

    @Test
    void connectionsDoNotMix() {
        QpPair[] pairs = new QpPair[6];
        for (int i = 0; i < pairs.length; i++) {
            pairs[i] = connected();
        }
        for (int i = 0; i < pairs.length; i++) {
            Bytes.fill(pairs[i].a().memory.asSlice(0, 5000), i);
            pairs[i].b().postReceive(i, 0, 5000);
            pairs[i].a().postSend(i, 0, 5000);
        }
        for (int i = 0; i < pairs.length; i++) {
            pairs[i].a().awaitSend();
            assertThat(pairs[i].b().awaitReceive().wrId()).isEqualTo(i);
            Bytes.assertHolds(pairs[i].b().memory.asSlice(0, 5000), i);
        }
    }

    /** The transport may ignore flow label, traffic class and hop limit; the messages arrive. */
    @Test
    void aRouteWithAllItsFieldsWorks() {
        QpPair pair = new QpPair(
                endpoint(target().first(), EndpointSetup.DEFAULT), endpoint(target().second(), EndpointSetup.DEFAULT));
        GlobalRoute route = new GlobalRoute(pair.b().gid(), 0xABCDE, target().gidIndex(), 3, 0x68);
        pair.a().moveTo(QpState.INIT, pair.b(), LinkSetup.DEFAULT);
        pair.a()
                .qp
                .modify(pair.a()
                        .readyToReceive(pair.b(), LinkSetup.DEFAULT)
                        .addressVector(Paths.to(target(), pair.b().context, route))
                        .build());
        pair.a().moveTo(QpState.RTS, pair.b(), LinkSetup.DEFAULT);
        pair.b().connectTo(pair.a(), LinkSetup.DEFAULT);
        assertArrives(pair, 3000);
    }
}
