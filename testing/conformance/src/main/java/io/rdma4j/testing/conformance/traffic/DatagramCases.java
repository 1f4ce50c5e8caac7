// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.traffic;

import static io.rdma4j.testing.conformance.harness.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.testing.conformance.harness.Bytes;
import io.rdma4j.testing.conformance.harness.Capability;
import io.rdma4j.testing.conformance.harness.ConformanceCases;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.QpPair;
import io.rdma4j.testing.endpoint.Transitions;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.device.LinkLayer;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WcFlag;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Cases for datagrams: {@code ud_send}, {@code _imm}, {@code _zero_size} of {@code test_qpex}, {@code AHTest}, UD of
 * {@code test_cqex}.
 */
public abstract class DatagramCases extends ConformanceCases {
    /** Bytes of the GRH before the message. */
    private static final int ROUTE = 40;

    private static final EndpointSetup SETUP = EndpointSetup.DEFAULT.type(QpType.UD);

    private Endpoint a;
    private Endpoint b;
    private AddressHandle toB;

    protected DatagramCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    @BeforeEach
    void prepare() {
        QpPair pair = connected(SETUP, LinkSetup.DEFAULT);
        a = pair.a();
        b = pair.b();
        toB = closing(a.pd.createAddressHandle(a.pathTo(b)));
    }

    private void send(long wrId, AddressHandle path, int qpn, int qkey, int length) {
        a.qp.startSend()
                .wrId(wrId)
                .signaled()
                .send()
                .destination(path, qpn, qkey)
                .sge(a.mr.lkey(), a.mr.address(), length)
                .complete();
    }

    private void send(long wrId, int length) {
        send(wrId, toB, b.qp.qpn(), Transitions.QKEY, length);
    }

    private int mtuBytes() {
        return context().queryPort(target().port()).activeMtu().bytes();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 100, 1024, -1})
    @Covers({"GEN-5", "QP-12", "AH-1", "AH-9", "AH-10", "WR-33", "CQ-68", "CQ-71", "RXE-107", "RXE-177"})
    void aDatagramArrivesWithTheRouteItTook(int size) {
        int length = size < 0 ? mtuBytes() : size;
        Bytes.fill(a.memory.asSlice(0, length), 3);
        b.postReceive(7, 64, ROUTE + length);
        send(8, length);
        WorkCompletion received = b.awaitReceive();
        WorkCompletion sent = a.awaitSend();
        assertThat(sent.wrId()).isEqualTo(8);
        assertThat(sent.opcode()).isEqualTo(WcOpcode.SEND);
        assertThat(received.wrId()).isEqualTo(7);
        assertThat(received.opcode()).isEqualTo(WcOpcode.RECV);
        assertThat(received.byteLength()).isEqualTo(ROUTE + length);
        assertThat(received.flags()).containsExactly(WcFlag.GRH);
        assertThat(received.sourceQp()).isEqualTo(a.qp.qpn());
        Bytes.assertHolds(b.memory.asSlice(64 + ROUTE, length), 3);
        Bytes.assertUntouched(b.memory.asSlice(0, 64));
        Bytes.assertUntouched(b.memory.asSlice(64 + ROUTE + length, 64));
    }

    /** {@code test_cqex.CqExTestCase.test_ud_traffic_cq_ex}: the same with the cursor. */
    @Test
    @Covers({"CQ-4", "CQ-68", "CQ-71"})
    void theCursorShowsWhereADatagramCameFrom() {
        b.postReceive(7, 64, ROUTE + 10);
        send(8, 10);
        awaitUnderCursor(b.receiveCq, wc -> {
            assertThat(wc.wrId()).isEqualTo(7);
            assertThat(wc.byteLength()).isEqualTo(ROUTE + 10);
            assertThat(wc.has(WcFlag.GRH)).isTrue();
            assertThat(wc.sourceQp()).isEqualTo(a.qp.qpn());
        });
        a.awaitSend();
    }

    /** {@code test_qp_ex_ud_send_imm}, with both APIs. */
    @Test
    @Covers({"CQ-66", "WR-11"})
    void immediateDataArriveWithTheirDatagram() {
        b.postReceive(1, 0, 100);
        b.postReceive(2, 0, 100);
        a.qp.startSend()
                .sendImm(0x1234)
                .destination(toB, b.qp.qpn(), Transitions.QKEY)
                .complete();
        a.qp.postSend(SendRequest.sendWithImmediate(-2)
                .destination(toB, b.qp.qpn(), Transitions.QKEY)
                .sge(a.mr.sge(0, 5))
                .build());
        List<WorkCompletion> received = b.awaitReceives(2);
        assertThat(received).extracting(WorkCompletion::immediate).containsExactly(0x1234, -2);
        assertThat(received).extracting(WorkCompletion::byteLength).containsExactly(ROUTE, ROUTE + 5);
        assertThat(received)
                .allSatisfy(wc -> assertThat(wc.flags()).containsExactlyInAnyOrder(WcFlag.GRH, WcFlag.WITH_IMM));
    }

    /** {@code ibv_create_ah_from_wc}: the receiver replies to the source of the datagram. */
    @Test
    @Covers({"AH-11", "AH-12"})
    void theReceiverAnswersByWhatCameInFront() {
        b.postReceive(1, 0, 100);
        send(1, 10);
        WorkCompletion received = b.awaitReceive();
        AddressVector back = b.context.replyPath(target().port(), received, b.memory.asSlice(0, ROUTE));
        GlobalRoute route = Objects.requireNonNull(back.route());
        assertThat(route.destination()).isEqualTo(a.gid());
        assertThat(b.context.queryGid(target().port(), route.sourceGidIndex())).isEqualTo(b.gid());

        AddressHandle toA = closing(b.pd.createAddressHandle(target().port(), received, b.memory.asSlice(0, ROUTE)));
        a.postReceive(2, 1000, 100);
        b.qp.startSend()
                .signaled()
                .send()
                .destination(toA, received.sourceQp(), Transitions.QKEY)
                .sge(b.mr.lkey(), b.mr.address(), 20)
                .complete();
        assertThat(a.awaitReceive().sourceQp()).isEqualTo(b.qp.qpn());
        b.awaitSend();
    }

    /** IBA 10.2.5: a receiver drops datagrams with a wrong Q_Key, and its port counts them. */
    @Test
    @Covers("QP-45")
    void aWrongQkeyIsDroppedAndCounted() {
        int before = b.context.queryPort(target().port()).qkeyViolationCounter();
        b.postReceive(1, 0, 100);
        send(1, toB, b.qp.qpn(), Transitions.QKEY + 1, 10);
        a.awaitSend();
        send(2, 20);
        assertThat(b.awaitReceive().byteLength()).isEqualTo(ROUTE + 20);
        assertThat(b.context.queryPort(target().port()).qkeyViolationCounter()).isEqualTo(before + 1);
    }

    /** IBA 10.2.5: a key with bit 31 means the sender's own Q_Key. */
    @Test
    @Covers("WR-34")
    void aQkeyOfTheUpperHalfMeansTheSendersOwn() {
        b.postReceive(1, 0, 100);
        send(1, toB, b.qp.qpn(), 0x80000000, 10);
        assertThat(b.awaitReceive().byteLength()).isEqualTo(ROUTE + 10);
    }

    /**
     * IBA 9.8.4: a datagram is one packet. The send queue stops (SQE), the receive queue continues; then the send queue
     * is restarted.
     */
    @Test
    @Covers({"RXE-103", "RXE-105", "QP-28"})
    void aMessageAboveTheMtuFailsAndStopsTheSendQueueOnly() {
        send(1, mtuBytes() + 1);
        assertThat(a.awaitSends(1).getFirst().status()).isEqualTo(WcStatus.LOC_LEN_ERR);
        assertThat(a.qp.state()).isEqualTo(QpState.SQE);
        send(2, 10);
        assertThat(a.awaitSends(1).getFirst().status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
        a.qp.modify(Endpoint.only(QpState.RTS));
        b.postReceive(3, 0, 100);
        send(3, 10);
        assertThat(a.awaitSend().wrId()).isEqualTo(3);
        assertThat(b.awaitReceive().wrId()).isEqualTo(3);
    }

    /** Neither side is notified. */
    @ParameterizedTest
    @CsvSource({"false,100", "true,49"})
    void datagramsThatFindNoRoomAreLost(boolean posted, int room) {
        if (posted) {
            b.postReceive(1, 0, room);
        }
        send(1, 10);
        a.awaitSend();
        if (!posted) {
            target().progress();
            b.postReceive(1, 0, room);
        }
        send(2, toB, b.qp.qpn(), Transitions.QKEY, 5);
        WorkCompletion received = b.awaitReceive();
        assertThat(received.byteLength()).isIn(ROUTE + 5, ROUTE + 10);
        assertThat(b.qp.state()).isEqualTo(QpState.RTS);
    }

    /** IBA 11.2.2.1: only address handles of the queue pair's protection domain are valid. */
    @Test
    @Covers({"AH-18", "PD-6"})
    void aHandleOfAnotherProtectionDomainLeadsNowhere() {
        ProtectionDomain other = closing(a.context.allocatePd());
        AddressHandle foreign = closing(other.createAddressHandle(a.pathTo(b)));
        assertRefused(
                Errno.EINVAL,
                () -> a.qp.postSend(SendRequest.send()
                        .destination(foreign, b.qp.qpn(), Transitions.QKEY)
                        .build()));
        send(1, foreign, b.qp.qpn(), Transitions.QKEY, 10);
        assertThat(a.awaitSends(1).getFirst().status()).isEqualTo(WcStatus.LOC_QP_OP_ERR);
    }

    /** {@code test_create_ah_roce}: on Ethernet a path without global route is invalid. */
    @Test
    @Covers({"AH-7", "AH-15", "AH-8"})
    void handlesAreCheckedWhenTheyAreMadeAndFreedOnce() {
        int port = target().port();
        if (a.context.linkLayer(port) == LinkLayer.ETHERNET) {
            assertRefused(
                    Errno.EINVAL, () -> a.pd.createAddressHandle(AddressVector.local(port, 1, 0)), "global route");
        }
        assertRefused(Errno.EINVAL, () -> a.pd.createAddressHandle(AddressVector.roce(port, b.gid(), 200)));
        assertRefused(Errno.EINVAL, () -> a.pd.createAddressHandle(AddressVector.roce(port + 1, b.gid(), 0)));
        assertRefused(
                Errno.EINVAL,
                () -> a.pd.createAddressHandle(AddressVector.roce(port, Gid.parse("fd00::77"), target().gidIndex())));
        AddressHandle handle = a.pd.createAddressHandle(a.pathTo(b));
        assertThat(handle.handle()).isNotEqualTo(toB.handle());
        handle.close();
        handle.close();
        assertRefused(Errno.EINVAL, handle::query);
    }

    @Test
    @Covers({"AH-13", "AH-14"})
    void aHandleThatIsModifiedLeadsElsewhere() {
        AddressHandle handle = closing(a.pd.createAddressHandle(a.pathTo(a)));
        handle.modify(a.pathTo(b));
        assertThat(handle.query()).isEqualTo(a.pathTo(b));
        b.postReceive(1, 0, 100);
        send(1, handle, b.qp.qpn(), Transitions.QKEY, 10);
        b.awaitReceive();
    }

    @Test
    void oneReceivesFromManyAndKnowsThemApart() {
        Endpoint c = endpoint(target().first(), SETUP);
        c.connectTo(b, LinkSetup.DEFAULT);
        AddressHandle fromC = closing(c.pd.createAddressHandle(c.pathTo(b)));
        b.postReceive(1, 0, 100);
        b.postReceive(2, 0, 100);
        send(1, 1);
        b.awaitReceive();
        c.qp.startSend().send().destination(fromC, b.qp.qpn(), Transitions.QKEY).complete();
        assertThat(b.awaitReceive().sourceQp()).isEqualTo(c.qp.qpn());
    }

    /** Sends more datagrams than a queue holds; each completes after it was sent. */
    @Test
    void aLongSequenceCompletesInOrder() {
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < 50; i++) {
                b.postReceive(i, 0, ROUTE + 100);
            }
            for (int i = 0; i < 50; i++) {
                send(i, 100);
            }
            List<WorkCompletion> sent = a.awaitSends(50);
            for (int i = 0; i < 50; i++) {
                assertThat(sent.get(i).wrId()).isEqualTo(i);
                assertThat(sent.get(i).status()).isEqualTo(WcStatus.SUCCESS);
            }
            b.awaitReceives(50);
        }
    }

    /**
     * QP1: one for each port. Its Q_Key is that of the general services, and each datagram contains its P_Key index.
     */
    @Test
    @Covers({"QP-9", "RXE-62"})
    void thereIsOneGeneralServicesQueuePairForEachPort() {
        require(Capability.SELF_TALK);
        EndpointSetup setup = EndpointSetup.DEFAULT.type(QpType.GSI);
        Endpoint gsi = endpoint(context(), setup);
        assertThat(gsi.qp.qpn()).isEqualTo(1);
        ProtectionDomain pd = gsi.pd;
        assertRefused(Errno.EBUSY, () -> pd.createQp(gsi.qp.initAttributes()));
        gsi.connectTo(gsi, LinkSetup.DEFAULT);
        AddressHandle self = closing(gsi.pd.createAddressHandle(gsi.pathTo(gsi)));
        gsi.postReceive(1, 0, 300);
        gsi.qp
                .startSend()
                .signaled()
                .send()
                .destination(self, 1, Transitions.GSI_QKEY)
                .pkeyIndex(0)
                .sge(gsi.mr.lkey(), gsi.mr.address() + 1000, 256)
                .complete();
        gsi.awaitSend();
        WorkCompletion received = gsi.awaitReceive();
        assertThat(received.sourceQp()).isEqualTo(1);
        assertThat(received.byteLength()).isEqualTo(ROUTE + 256);
    }
}
