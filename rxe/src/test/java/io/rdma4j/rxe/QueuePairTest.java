// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import io.rdma4j.hca.HcaLimits;
import io.rdma4j.hca.qp.QpTable;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.SrqInitAttributes;
import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.AlternatePath;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.SignalType;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Creation and modification of the device's queue pairs. */
class QueuePairTest {
    private final Bench bench = new Bench(Set.of());

    @AfterEach
    void close() {
        bench.close();
    }

    private static void refused(Errno errno, ThrowingCallable call) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(call)
                .satisfies(e -> assertThat(e.errno()).isEqualTo(errno));
    }

    @Test
    @Covers({"RXE-58", "RXE-61", "RXE-63"})
    void queuePairHoldsWhatItIsMadeFromAndSaysWhatItIs() {
        ProtectionDomain pd = bench.context.allocatePd();
        CompletionQueue sends = bench.context.createCq(8);
        CompletionQueue receives = bench.context.createCq(8);
        SharedReceiveQueue srq = pd.createSrq(SrqInitAttributes.basic(4, 1));
        QueuePair qp = pd.createQp(QpInitAttributes.builder(sends, receives)
                .srq(srq)
                .signalType(SignalType.ALL_WR)
                .userContext("mine")
                .capabilities(new QpCapabilities(5, 6, 2, 3, 20))
                .build());
        assertThat(qp.state()).isEqualTo(QpState.RESET);
        assertThat(qp.context()).isSameAs(bench.context);
        assertThat(qp.protectionDomain()).isSameAs(pd);
        assertThat(qp.userContext()).isEqualTo("mine");
        assertThat(qp.qpn()).isGreaterThanOrEqualTo(QpTable.FIRST_QPN);
        QpInitAttributes made = qp.initAttributes();
        assertThat(made.type()).isEqualTo(QpType.RC);
        assertThat(made.sendCq()).isSameAs(sends);
        assertThat(made.receiveCq()).isSameAs(receives);
        assertThat(made.srq()).isSameAs(srq);
        assertThat(made.signalType()).isEqualTo(SignalType.ALL_WR);
        assertThat(made.capabilities().maxReceiveWr())
                .as("it has no receive queue of its own")
                .isZero();

        refused(Errno.EBUSY, pd::close);
        refused(Errno.EBUSY, sends::close);
        refused(Errno.EBUSY, receives::close);
        refused(Errno.EBUSY, srq::close);
        qp.close();
        assertThat(bench.port.services().common().queuePairs().find(qp.qpn())).isNull();
        srq.close();
        receives.close();
        sends.close();
        pd.close();
    }

    @Test
    @Covers({"RXE-58", "RXE-61"})
    void queuePairThatCannotBeMadeLeavesNothingBehind() {
        ProtectionDomain pd = bench.context.allocatePd();
        CompletionQueue cq = bench.context.createCq(8);
        refused(
                Errno.EINVAL,
                () -> pd.createQp(QpInitAttributes.builder(cq).type(QpType.SMI).build()));
        refused(
                Errno.EOPNOTSUPP,
                () -> pd.createQp(QpInitAttributes.builder(cq)
                        .type(QpType.SMI)
                        .port(HcaLimits.PORT)
                        .build()));
        refused(
                Errno.EOPNOTSUPP,
                () -> pd.createQp(
                        QpInitAttributes.builder(cq).type(QpType.DRIVER).build()));
        refused(
                Errno.EINVAL,
                () -> pd.createQp(QpInitAttributes.builder(cq)
                        .capabilities(new QpCapabilities(1, 1, 1, 1, HcaLimits.MAX_INLINE_DATA + 1))
                        .build()));
        assertThat(bench.port.services().common().queuePairs().find(QpTable.FIRST_QPN))
                .isNull();
        cq.close();
        pd.close();
    }

    @Test
    void theDeviceHasNoReceiveQueuesToSpreadMessagesOver() {
        ProtectionDomain pd = bench.context.allocatePd();
        CompletionQueue cq = bench.context.createCq(8);
        refused(Errno.EOPNOTSUPP, () -> pd.createWorkQueue(cq, 1, 1));
        refused(Errno.EOPNOTSUPP, () -> bench.context.createRwqIndirectionTable(List.of()));
        cq.close();
        pd.close();
    }

    /**
     * The reported sizes are those of the slot, for both ways to request them: scatter/gather elements or inline data.
     */
    @Test
    @Covers({"RXE-58", "RXE-67", "RXE-71"})
    void sizesAreThoseOfTheSlotsOfTheRings() {
        Endpoint inline = bench.endpoint(EndpointSetup.DEFAULT.capabilities(new QpCapabilities(10, 9, 1, 3, 400)));
        Endpoint pieces = bench.endpoint(EndpointSetup.DEFAULT.capabilities(new QpCapabilities(10, 9, 25, 3, 0)));
        for (Endpoint endpoint : new Endpoint[] {inline, pieces}) {
            QpCapabilities actual = endpoint.qp.initAttributes().capabilities();
            assertThat(actual.maxInlineData()).isGreaterThanOrEqualTo(400);
            assertThat(actual.maxSendSge()).isEqualTo(Math.min(32, actual.maxInlineData() / 16));
            assertThat(actual.maxReceiveSge()).isGreaterThanOrEqualTo(3);
            Bench.connect(endpoint.qp, GlobalRoute.to(Bench.PEER_V4, 0), 14);
            for (int i = 0; i < actual.maxSendWr(); i++) {
                endpoint.postSend(i, 0, 8);
            }
            refused(Errno.ENOMEM, () -> endpoint.postSend(0, 0, 8));
            for (int i = 0; i < actual.maxReceiveWr(); i++) {
                endpoint.postReceive(i, 0, 8);
            }
            refused(Errno.ENOMEM, () -> endpoint.postReceive(0, 0, 8));
            assertThat(actual.maxSendWr()).isGreaterThanOrEqualTo(10);
            assertThat(actual.maxReceiveWr()).isGreaterThanOrEqualTo(9);
        }
    }

    @Test
    @Covers("RXE-64")
    void everyQueuePairHasANumberAndADatagramOneThePortsMtu() {
        Endpoint one = bench.endpoint();
        Endpoint other = bench.endpoint(EndpointSetup.DEFAULT.type(QpType.UD));
        assertThat(other.qp.qpn()).isNotEqualTo(one.qp.qpn());
        assertThat(bench.rxeQp(one).qpn()).isEqualTo(one.qp.qpn());
        assertThat(bench.rxeQp(other).qpn()).isEqualTo(other.qp.qpn());

        other.connectTo(other, LinkSetup.DEFAULT);
        int mtu = bench.context.queryPort(HcaLimits.PORT).activeMtu().bytes();
        try (AddressHandle path = other.pd.createAddressHandle(AddressVector.roce(1, Bench.PEER_V4, 0))) {
            for (int length : new int[] {mtu, mtu + 1}) {
                other.qp
                        .startSend()
                        .signaled()
                        .send()
                        .destination(path, Bench.PEER_QPN, 1)
                        .sge(other.mr.lkey(), other.mr.address(), length)
                        .complete();
            }
            bench.run();
        }
        assertThat(bench.link.sent).hasSize(1);
        assertThat(other.sendCq.poll(3))
                .extracting(WorkCompletion::status)
                .containsExactly(WcStatus.SUCCESS, WcStatus.LOC_LEN_ERR);
    }

    /** A UDP socket has one source port for all packets. */
    @Test
    @Covers("RXE-65")
    void requesterBeginsIdleWithoutTimersAndOnTheChannelThatAllShare() {
        bench.link.udpSourcePort = RxeOptions.ROCE_V2_PORT;
        Endpoint untimed = bench.connected(Bench.PEER_V4, 0);
        Endpoint timed = bench.connected(Bench.PEER_V4, 14);
        bench.run();
        assertThat(bench.link.sent).isEmpty();
        assertThat(bench.rxeQp(timed).engine().nextDeadlineNs()).isEqualTo(Deadline.NEVER);
        untimed.postSend(1, 0, 8);
        timed.postSend(1, 0, 8);
        bench.run();
        assertThat(bench.link.sent)
                .hasSize(2)
                .extracting(QueuePairTest::sourcePort)
                .containsOnly(4791);
        assertThat(bench.rxeQp(untimed).engine().nextDeadlineNs()).isEqualTo(Deadline.NEVER);
        assertThat(bench.rxeQp(timed).engine().nextDeadlineNs()).isEqualTo(bench.now + (4096L << 14));
    }

    /**
     * Linux starts with a hash of the queue pair's number. The address vector then determines the source port: from the
     * flow label or from the queue pair numbers, as in all RoCE devices.
     */
    @Test
    @Covers("RXE-66")
    void allPacketsOfAConnectionAreOneFlow() {
        Set<Integer> ports = new HashSet<>();
        int connections = 16;
        for (int i = 0; i < connections; i++) {
            Endpoint from = bench.connected(Bench.PEER_V4, 14);
            bench.link.sent.clear();
            for (int message = 0; message < 3; message++) {
                from.postSend(message, 0, 3000);
                bench.run();
            }
            int port = sourcePort(bench.link.sent.getFirst());
            assertThat(port).isBetween(0xC000, 0xFFFF);
            assertThat(bench.link.sent)
                    .hasSize(9)
                    .extracting(QueuePairTest::sourcePort)
                    .containsOnly(port);
            ports.add(port);
        }
        assertThat(ports).as("flows are spread").hasSizeGreaterThan(connections / 2);
    }

    /** The UDP source port of a packet over IPv4. */
    private static int sourcePort(byte[] packet) {
        return ByteBuffer.wrap(packet).getShort(20) & 0xFFFF;
    }

    /** The message sequence number restarts at a reset. */
    @Test
    @Covers("RXE-70")
    void responderBeginsWithoutMessages() {
        Endpoint to = bench.endpoint();
        for (int life = 0; life < 2; life++) {
            Bench.connect(to.qp, GlobalRoute.to(Bench.PEER_V4, 0), 14);
            for (int message = 1; message <= 3; message++) {
                to.postReceive(message, 0, 8);
                bench.link.arrive(new PlainPacket(Bench.PEER_V4, Bench.LOCAL_V4)
                        .qpn(to.qp.qpn())
                        .psn(Bench.FIRST_PSN + message - 1)
                        .ackRequest(true)
                        .bytes());
                bench.run();
                assertThat(sequenceNumber(bench.link.sent.removeLast())).isEqualTo(message);
            }
            to.qp.modify(QpAttributes.builder().state(QpState.RESET).build());
        }
    }

    /** The MSN of an acknowledgement over IPv4. */
    private static int sequenceNumber(byte[] acknowledgement) {
        return ByteBuffer.wrap(acknowledgement).getInt(40) & 0xFF_FFFF;
    }

    @Test
    @Covers({"QP-34", "RXE-73", "RXE-74", "RXE-75"})
    void attributesAreCheckedBeforeAnyOfThemIsSet() {
        Endpoint endpoint = bench.connected(Bench.PEER_V4, 14);
        QueuePair qp = endpoint.qp;
        QpAttributes before = qp.query();
        AddressVector good = AddressVector.roce(1, Bench.PEER_V4, 0);
        QpAttributes.Builder live = QpAttributes.builder().minRnrTimer(5);

        refused(Errno.EOPNOTSUPP, () -> qp.modify(live.rateLimit(1).build()));
        QpAttributes.Builder more = QpAttributes.builder().minRnrTimer(5);
        QpCapabilities tooMuchInline = new QpCapabilities(1, 1, 1, 1, 1 << 20);
        refused(Errno.EINVAL, () -> qp.modify(more.capabilities(tooMuchInline).build()));
        refused(Errno.EINVAL, () -> QpState.ofCode(7));
        refused(Errno.EINVAL, () -> qp.modify(with(new AlternatePath(good, 0, 2, 14))));
        refused(Errno.EINVAL, () -> qp.modify(with(new AlternatePath(good, 1, 1, 14))));
        refused(Errno.EINVAL, () -> qp.modify(with(new AlternatePath(good, 0, 1, 32))));
        AddressVector empty = AddressVector.roce(1, Bench.PEER_V4, 9);
        refused(Errno.EINVAL, () -> qp.modify(with(new AlternatePath(empty, 0, 1, 14))));
        assertThat(qp.query()).isEqualTo(before);

        QueuePair fresh = bench.endpoint().qp;
        QpAttributes.Builder init =
                QpAttributes.builder().state(QpState.INIT).pkeyIndex(0).accessFlags(Set.of());
        refused(Errno.EINVAL, () -> fresh.modify(init.port(2).build()));
        fresh.modify(init.port(1).build());
        QpAttributes.Builder rtr = QpAttributes.builder()
                .state(QpState.RTR)
                .addressVector(good)
                .destinationQpn(1)
                .rqPsn(1)
                .minRnrTimer(1);
        refused(
                Errno.EINVAL,
                () -> fresh.modify(
                        rtr.pathMtu(Mtu.MTU_1024).maxDestRdAtomic(129).build()));
        refused(
                Errno.EINVAL,
                () -> fresh.modify(rtr.maxDestRdAtomic(1).addressVector(empty).build()));
        assertThat(fresh.state()).isEqualTo(QpState.INIT);
        fresh.modify(rtr.addressVector(good).build());
        QpAttributes.Builder rts =
                QpAttributes.builder().state(QpState.RTS).sqPsn(1).retryCount(1).rnrRetry(1);
        refused(Errno.EINVAL, () -> fresh.modify(rts.timeout(32).maxRdAtomic(1).build()));
        refused(
                Errno.EINVAL,
                () -> fresh.modify(rts.timeout(31).maxRdAtomic(129).build()));
        fresh.modify(rts.maxRdAtomic(128).build());
    }

    private static QpAttributes with(AlternatePath path) {
        return QpAttributes.builder().minRnrTimer(5).alternatePath(path).build();
    }

    @Test
    @Covers({"QP-27", "RXE-75"})
    void drainingQueuePairGoesNowhereButToItsEnd() {
        Endpoint endpoint = bench.connected(Bench.PEER_V4, 14);
        endpoint.postSend(1, 0, 8);
        bench.run();
        endpoint.qp.modify(QpAttributes.builder().state(QpState.SQD).build());
        assertThat(endpoint.qp.query().sqDraining()).isTrue();
        QpAttributes again = QpAttributes.builder().state(QpState.RTS).build();
        refused(Errno.EINVAL, () -> endpoint.qp.modify(again));
        bench.link.arrive(new PlainPacket(Bench.PEER_V4, Bench.LOCAL_V4)
                .qpn(endpoint.qp.qpn())
                .opcode(PlainPacket.ACKNOWLEDGE)
                .psn(Bench.FIRST_PSN)
                .extended(0x1F00_0001)
                .bytes());
        bench.run();
        assertThat(endpoint.qp.query().sqDraining()).isFalse();
        endpoint.qp.modify(again);
        endpoint.postSend(2, 0, 8);
        bench.run();
        endpoint.qp.modify(QpAttributes.builder().state(QpState.SQD).build());
        endpoint.qp.modify(QpAttributes.builder().state(QpState.ERR).build());
        assertThat(endpoint.qp.state()).isEqualTo(QpState.ERR);
    }

    /** Therefore no queue pair is rejected because of the resources of others. */
    @Test
    @Covers("DEV-19")
    void theDeviceServesAsManyReadsAsAllItsQueuePairsTogether() {
        DeviceAttributes device = bench.context.queryDevice();
        long each = device.limit(DeviceLimit.MAX_QP_RD_ATOM);
        assertThat(device.limit(DeviceLimit.MAX_RES_RD_ATOM)).isEqualTo(each * device.limit(DeviceLimit.MAX_QP));
    }
}
