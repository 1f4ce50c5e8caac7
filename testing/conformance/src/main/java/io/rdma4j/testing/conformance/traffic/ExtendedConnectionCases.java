// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.traffic;

import static io.rdma4j.testing.conformance.harness.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.conformance.harness.Bytes;
import io.rdma4j.testing.conformance.harness.ConformanceCases;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.conformance.harness.ReceivePool;
import io.rdma4j.testing.conformance.harness.XrcSide;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.Paths;
import io.rdma4j.testing.endpoint.Transitions;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SrqInitAttributes;
import io.rdma4j.verbs.XrcDomain;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpAttribute;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.values.SrqAttributes;
import io.rdma4j.verbs.values.XrcdInitAttributes;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Cases for extended reliable connections: {@code xrc_send}, {@code xrc_send_imm} of {@code test_qpex}, XRC cases of
 * other test classes.
 */
public abstract class ExtendedConnectionCases extends ConformanceCases {
    private XrcSide a;
    private XrcSide b;

    protected ExtendedConnectionCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    @BeforeEach
    void connect() {
        require(DeviceCapability.XRC);
        a = closing(new XrcSide(target(), target().first()));
        b = closing(new XrcSide(target(), target().second()));
        a.connectTo(b);
        b.connectTo(a);
    }

    private WorkCompletion await(CompletionQueue cq) {
        List<WorkCompletion> found = new ArrayList<>();
        await("a completion", () -> {
            found.addAll(cq.poll(1));
            return !found.isEmpty();
        });
        return found.getFirst();
    }

    private void send(long wrId, int srq, int length) {
        a.initiator
                .startSend()
                .wrId(wrId)
                .signaled()
                .send()
                .xrcSrq(srq)
                .sge(a.first.mr.lkey(), a.first.mr.address(), length)
                .complete();
    }

    /**
     * {@code test_qp_ex_xrc_send}: the message names the shared receive queue, which completes in its own completion
     * queue.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1024, 50_000})
    @Covers({"XRC-2", "XRC-4", "XRC-5", "XRC-6", "XRC-7", "XRC-14", "SRQ-4", "XRC-1"})
    void eachMessageGoesToTheQueueThatItNames(int length) {
        Bytes.fill(a.first.memory.asSlice(0, length), 1);
        b.first.post(1, 0, length);
        b.second.post(2, 0, length);
        send(10, b.second.srq.number(), length);
        assertThat(await(b.receiveCq).wrId()).isEqualTo(2);
        Bytes.assertHolds(b.second.memory.asSlice(0, length), 1);
        Bytes.assertUntouched(b.first.memory.asSlice(0, length));
        send(11, b.first.srq.number(), length);
        WorkCompletion received = await(b.receiveCq);
        assertThat(received.wrId()).isEqualTo(1);
        assertThat(received.byteLength()).isEqualTo(length);
        Bytes.assertHolds(b.first.memory.asSlice(0, length), 1);
        assertThat(await(a.sendCq).wrId()).isEqualTo(10);
        assertThat(await(a.sendCq).wrId()).isEqualTo(11);
    }

    @Test
    void immediateDataArriveByTheOtherDoorToo() {
        b.first.post(1, 0, 100);
        a.initiator.postSend(SendRequest.sendWithImmediate(77)
                .xrcSrq(b.first.srq.number())
                .sge(a.first.mr.sge(0, 10))
                .build());
        assertThat(await(b.receiveCq).immediate()).isEqualTo(77);
    }

    /**
     * {@code test_xrc_traffic_cq_ex}: the cursor returns the receiving queue pair, and for the sender the sending one.
     */
    @Test
    void theCursorShowsBothEnds() {
        b.second.post(2, 0, 100);
        send(10, b.second.srq.number(), 77);
        awaitUnderCursor(b.receiveCq, wc -> {
            assertThat(wc.wrId()).isEqualTo(2);
            assertThat(wc.opcode()).isEqualTo(WcOpcode.RECV);
            assertThat(wc.byteLength()).isEqualTo(77);
            assertThat(wc.qpNumber()).isEqualTo(b.target.qpn());
        });
        awaitUnderCursor(a.sendCq, wc -> {
            assertThat(wc.wrId()).isEqualTo(10);
            assertThat(wc.opcode()).isEqualTo(WcOpcode.SEND);
            assertThat(wc.qpNumber()).isEqualTo(a.initiator.qpn());
        });
    }

    /**
     * {@code test_xrc_atomic_fetch_and_add}, {@code test_xrc_atomic_cmp_and_swap}; IBA A14: the peer's keys must belong
     * to the protection domain of the named queue.
     */
    @Test
    void writesReadsAndAtomicsGoWhereTheQueueAllows() {
        int srq = b.second.srq.number();
        int rkey = b.second.mr.rkey();
        long there = b.second.mr.iova();
        long here = a.first.mr.address();
        Bytes.fill(a.first.memory.asSlice(0, 5000), 5);
        a.initiator
                .startSend()
                .rdmaWrite(rkey, there)
                .xrcSrq(srq)
                .sge(a.first.mr.lkey(), here, 5000)
                .rdmaRead(rkey, there)
                .xrcSrq(srq)
                .sge(a.first.mr.lkey(), here + 8000, 5000)
                .atomicFetchAdd(rkey, there + 8000, 5)
                .xrcSrq(srq)
                .sge(a.first.mr.lkey(), here + 16_000, 8)
                .signaled()
                .atomicCompareSwap(rkey, there + 8000, 5, 9)
                .xrcSrq(srq)
                .sge(a.first.mr.lkey(), here + 16_008, 8)
                .complete();
        assertThat(await(a.sendCq).status()).isEqualTo(WcStatus.SUCCESS);
        Bytes.assertHolds(b.second.memory.asSlice(0, 5000), 5);
        Bytes.assertHolds(a.first.memory.asSlice(8000, 5000), 5);
        assertThat(b.second.memory.get(ValueLayout.JAVA_LONG, 8000)).isEqualTo(9);
        assertThat(a.first.memory.get(ValueLayout.JAVA_LONG, 16_008)).isEqualTo(5);
        a.initiator
                .startSend()
                .signaled()
                .rdmaWrite(rkey, there)
                .xrcSrq(b.first.srq.number())
                .sge(a.first.mr.lkey(), here, 10)
                .complete();
        assertThat(await(a.sendCq).status()).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    @Test
    void aQueueOfAnotherDomainIsNotThere() {
        XrcDomain other = closing(b.context.openXrcDomain());
        ReceivePool foreign = closing(new ReceivePool(
                target(), b.context, SrqInitAttributes.xrc(new SrqAttributes(4, 1, 0), other, b.receiveCq)));
        foreign.post(1, 0, 100);
        send(1, foreign.srq.number(), 10);
        assertThat(await(a.sendCq).status()).isEqualTo(WcStatus.REM_INV_REQ_ERR);
        foreign.close();
    }

    @Test
    void anOrdinaryQueueHasNoPlaceInADomain() {
        ReceivePool ordinary = closing(new ReceivePool(target(), b.context, SrqInitAttributes.basic(4, 1)));
        assertRefused(Errno.EOPNOTSUPP, ordinary.srq::number);
        send(1, 0xFFFFFF, 10);
        assertThat(await(a.sendCq).status()).isEqualTo(WcStatus.REM_INV_REQ_ERR);
    }

    /** {@code ibv_open_qp}: the target exists as long as any process has it open. */
    @Test
    @Covers({"XRC-8", "XRC-10", "XRC-16"})
    void anOpenedTargetOutlivesItsMaker() {
        QueuePair opened = closing(b.domain.openQp(b.target.qpn()));
        b.target.close();
        assertRefused(Errno.EBUSY, b.domain::close, b.domain, "still used");
        b.first.post(1, 0, 100);
        send(1, b.first.srq.number(), 10);
        assertThat(await(b.receiveCq).qpNumber()).isEqualTo(opened.qpn());
        opened.close();
        assertRefused(Errno.ENOENT, () -> b.domain.openQp(opened.qpn()));
    }

    /** {@code struct ib_qp_open_attr}: number, type, context and handler of events of the opening. */
    @Test
    @Covers("XRC-9")
    void anOpeningHasItsOwnContextAndHandlerAndIsOfATarget() {
        List<AsyncEvent> seen = new CopyOnWriteArrayList<>();
        QueuePair opened = closing(b.domain.openQp(b.target.qpn(), "mine", seen::add));
        assertThat(opened.qpn()).isEqualTo(b.target.qpn());
        assertThat(opened.userContext()).isEqualTo("mine");
        assertThat(b.target.userContext()).isNull();
        assertThat(opened.initAttributes().type()).isEqualTo(QpType.XRC_TGT);
        assertRefused(Errno.ENOENT, () -> b.domain.openQp(b.initiator.qpn()), "XRC_TGT");
        a.initiator
                .startSend()
                .signaled()
                .rdmaWrite(~b.second.mr.rkey(), b.second.mr.iova())
                .xrcSrq(b.second.srq.number())
                .sge(a.first.mr.lkey(), a.first.mr.address(), 8)
                .complete();
        assertThat(await(a.sendCq).status()).isEqualTo(WcStatus.REM_ACCESS_ERR);
        List<QueuePair> told = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            told.add(awaitEvent(b.context, EventType.QP_ACCESS_ERR).queuePair());
        }
        assertThat(told).containsExactlyInAnyOrder(b.target, opened);
        assertThat(seen).extracting(AsyncEvent::queuePair).containsExactly(opened);
    }

    /** A program may give the attributes of both halves of a connection to either half. */
    @Test
    @Covers("QP-78")
    void attributesOfTheOtherHalfAreDropped() {
        for (QpType type : List.of(QpType.XRC_INI, QpType.XRC_TGT)) {
            QueuePair half = closing(
                    type == QpType.XRC_TGT
                            ? a.first.pd.createQp(
                                    QpInitAttributes.xrcTarget(a.domain).build())
                            : a.first.pd.createQp(QpInitAttributes.builder(a.sendCq)
                                    .type(type)
                                    .capabilities(new QpCapabilities(4, 0, 1, 0, 0))
                                    .build()));
            LinkSetup link = LinkSetup.DEFAULT;
            AddressVector path = Paths.to(target(), b.context);
            half.modify(Transitions.init(QpType.RC, target().port(), Set.of()).build());
            half.modify(Transitions.readyToReceive(QpType.RC, link, b.target.qpn(), path)
                    .build());
            half.modify(Transitions.readyToSend(QpType.RC, link).build());
            Set<QpAttribute> kept = half.query().mask();
            boolean sends = type == QpType.XRC_INI;
            assertThat(kept.contains(QpAttribute.MAX_QP_RD_ATOMIC)).isEqualTo(sends);
            assertThat(kept.contains(QpAttribute.RETRY_CNT)).isEqualTo(sends);
            assertThat(kept.contains(QpAttribute.RNR_RETRY)).isEqualTo(sends);
            assertThat(kept.contains(QpAttribute.MAX_DEST_RD_ATOMIC)).isNotEqualTo(sends);
            assertThat(kept.contains(QpAttribute.MIN_RNR_TIMER)).isNotEqualTo(sends);
        }
    }

    /**
     * {@code ibv_open_xrcd} with a file, {@code ibv_create_xrc_rcv_qp} and related calls: another context uses the
     * target by its number, also after its creator has closed all its objects.
     */
    @Test
    @Covers({"XRC-2", "XRC-8", "XRC-10", "XRC-11", "XRC-12", "XRC-13"})
    void aTargetOfASharedDomainOutlivesWhatItsMakerHas(@TempDir Path folder) throws IOException {
        Path file = Files.createFile(folder.resolve("domain"));
        Context other = closing(b.context.device().open());
        XrcDomain domain = b.context.openXrcDomain(XrcdInitAttributes.shared(file));
        ProtectionDomain pd = b.context.allocatePd();
        QueuePair target = pd.createQp(QpInitAttributes.xrcTarget(domain).build());
        XrcDomain shared = closing(other.openXrcDomain(new XrcdInitAttributes(file, false, false)));
        QueuePair opened = closing(shared.openQp(target.qpn()));
        opened.modify(
                Transitions.init(QpType.XRC_TGT, target().port(), Set.of()).build());
        assertThat(target.state()).isEqualTo(QpState.INIT);
        target.close();
        pd.close();
        domain.close();
        assertThat(opened.query().state()).isEqualTo(QpState.INIT);
        assertThat(shared.openQp(opened.qpn())).satisfies(QueuePair::close);
        assertRefused(Errno.EBUSY, shared::close, shared, "still used");
        opened.close();
        assertRefused(Errno.ENOENT, () -> shared.openQp(opened.qpn()));
    }

    /** {@code fd} and {@code oflags} of {@code ibv_open_xrcd}. */
    @Test
    @Covers("XRC-2")
    void aDomainIsFoundByTheInodeOfItsFile(@TempDir Path folder) throws IOException {
        Path file = Files.createFile(folder.resolve("domain"));
        Path link = Files.createLink(folder.resolve("link"), file);
        XrcdInitAttributes existing = new XrcdInitAttributes(link, false, false);
        XrcdInitAttributes exclusive = new XrcdInitAttributes(link, true, true);
        assertRefused(Errno.EAGAIN, () -> b.context.openXrcDomain(existing));
        assertRefused(
                Errno.ENOENT, () -> b.context.openXrcDomain(XrcdInitAttributes.shared(folder.resolve("no such file"))));
        XrcDomain first = b.context.openXrcDomain(exclusive);
        assertRefused(Errno.EINVAL, () -> b.context.openXrcDomain(exclusive));
        XrcDomain second = b.context.openXrcDomain(XrcdInitAttributes.shared(file));
        first.close();
        b.context.openXrcDomain(existing).close();
        second.close();
        assertRefused(Errno.EAGAIN, () -> b.context.openXrcDomain(existing));
    }

    @Test
    @Covers({"XRC-3", "XRC-15"})
    void eachEndDoesItsOwnPartOnly() {
        QpInitAttributes withXrcQueue =
                QpInitAttributes.builder(b.sendCq, b.receiveCq).srq(b.first.srq).build();
        assertRefused(Errno.EINVAL, () -> b.first.pd.createQp(withXrcQueue));
        assertRefused(Errno.EINVAL, b.target::startSend);
        assertRefused(Errno.EINVAL, b.target::startReceive);
        assertRefused(Errno.EINVAL, a.initiator::startReceive);
        assertRefused(Errno.EINVAL, () -> a.initiator.startSend().send().complete());
        assertRefused(Errno.EBUSY, b.domain::close);
    }
}
