// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.traffic;

import static io.rdma4j.testing.conformance.harness.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.conformance.harness.Bytes;
import io.rdma4j.testing.conformance.harness.ConformanceCases;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.QpPair;
import io.rdma4j.testing.endpoint.Transitions;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.values.QpCreateFlag;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Cases for large sends of datagrams, which the device segments. */
public abstract class LargeSendCases extends ConformanceCases {
    private static final int ROUTE = 40;
    private static final int ROOM = 2048;
    private static final EndpointSetup SETUP = EndpointSetup.DEFAULT.type(QpType.UD);
    private static final int HEADER_BYTES = 30;

    private final MemorySegment header = MemorySegment.ofArray(new byte[HEADER_BYTES]);

    protected LargeSendCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    @BeforeEach
    void needLargeSends() {
        require(DeviceCapability.UD_TSO);
        Bytes.fill(header, 9);
    }

    private AddressHandle path(Endpoint a, Endpoint b) {
        return closing(a.pd.createAddressHandle(a.pathTo(b)));
    }

    @ParameterizedTest
    @CsvSource({"5000, 900, 6", "900, 900, 1", "901, 900, 2", "0, 900, 1"})
    @Covers({"WR-15", "QP-17", "CQ-56", "DEV-50"})
    void eachSegmentArrivesBehindTheHeader(int bytes, int segmentBytes, int segments) {
        QpPair pair = connected(SETUP.createFlags(QpCreateFlag.IPOIB_UD_LSO), LinkSetup.DEFAULT);
        Endpoint a = pair.a();
        Endpoint b = pair.b();
        Bytes.fill(a.memory.asSlice(0, bytes), 4);
        for (int i = 0; i < segments; i++) {
            b.postReceive(i, (long) i * ROOM, ROOM);
        }
        a.qp.startSend()
                .wrId(5)
                .signaled()
                .sendSegmented(header, segmentBytes)
                .destination(path(a, b), b.qp.qpn(), Transitions.QKEY)
                .sge(a.mr.lkey(), a.mr.address(), bytes)
                .complete();
        WorkCompletion sent = a.awaitSend();
        assertThat(sent.wrId()).isEqualTo(5);
        assertThat(sent.opcode()).isEqualTo(WcOpcode.TSO);
        List<WorkCompletion> received = b.awaitReceives(segments);
        MemorySegment joined = MemorySegment.ofArray(new byte[bytes]);
        for (int i = 0; i < segments; i++) {
            int part = Math.min(segmentBytes, bytes - i * segmentBytes);
            assertThat(received.get(i).status()).isEqualTo(WcStatus.SUCCESS);
            assertThat(received.get(i).byteLength()).isEqualTo(ROUTE + HEADER_BYTES + part);
            MemorySegment at = b.memory.asSlice(received.get(i).wrId() * ROOM + ROUTE);
            assertThat(at.asSlice(0, HEADER_BYTES).mismatch(header)).isEqualTo(-1);
            MemorySegment.copy(at, HEADER_BYTES, joined, (long) i * segmentBytes, part);
        }
        Bytes.assertHolds(joined, 4);
    }

    @Test
    @Covers({"WR-15", "QP-17"})
    void theyAreNotSupportedWithoutTheCreateFlag() {
        QpPair pair = connected(SETUP, LinkSetup.DEFAULT);
        Endpoint a = pair.a();
        Endpoint b = pair.b();
        AddressHandle path = path(a, b);
        SendRequest large = SendRequest.sendSegmented(header, 100)
                .destination(path, b.qp.qpn(), Transitions.QKEY)
                .sge(a.mr.sge(0, 1000))
                .build();
        assertRefused(Errno.EOPNOTSUPP, () -> a.qp.postSend(large));
    }

    @Test
    void theCreateFlagIsForDatagrams() {
        Endpoint any = closing(new Endpoint(target(), context(), EndpointSetup.DEFAULT));
        assertRefused(
                Errno.EINVAL,
                () -> any.pd.createQp(QpInitAttributes.builder(any.sendCq)
                        .createFlags(QpCreateFlag.IPOIB_UD_LSO)
                        .build()));
    }

    @Test
    void aSegmentThatDoesNotFitThePathIsALengthError() {
        assertThat(context().queryDevice().limit(DeviceLimit.MAX_TSO)).isPositive();
        QpPair pair = connected(SETUP.createFlags(QpCreateFlag.IPOIB_UD_LSO), LinkSetup.DEFAULT);
        Endpoint a = pair.a();
        Endpoint b = pair.b();
        int mtu = context().queryPort(target().port()).activeMtu().bytes();
        a.qp.postSend(SendRequest.sendSegmented(header, mtu - HEADER_BYTES + 1)
                .destination(path(a, b), b.qp.qpn(), Transitions.QKEY)
                .sge(a.mr.sge(0, 1000))
                .build());
        assertThat(a.awaitSends(1).getFirst().status()).isEqualTo(WcStatus.LOC_LEN_ERR);
    }
}
