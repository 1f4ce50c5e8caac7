// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.qp;

import static io.rdma4j.testing.conformance.harness.Refusals.assertRefused;
import static io.rdma4j.testing.conformance.harness.Refusals.assertSays;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.conformance.harness.Bytes;
import io.rdma4j.testing.conformance.harness.ConformanceCases;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.Transitions;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.PartitionPolicy;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.device.LinkLayer;
import io.rdma4j.verbs.values.QpAttribute;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpCreateFlag;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.DataOrder;
import io.rdma4j.verbs.wr.SignalType;
import io.rdma4j.verbs.wr.WrOpcode;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Cases for creating, modifying and querying queue pairs: {@code test_qp.QPTest} and {@code test_qp.RCQPTest} of
 * rdma-core.
 */
public abstract class QueuePairCases extends ConformanceCases {
    private static final QpCapabilities LEAST = new QpCapabilities(1, 1, 1, 1, 0);

    private Endpoint a;
    private Endpoint b;

    protected QueuePairCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    @BeforeEach
    void prepare() {
        a = endpoint(target().first(), EndpointSetup.DEFAULT);
        b = endpoint(target().second(), EndpointSetup.DEFAULT);
    }

    private QueuePair create(QpCapabilities capabilities) {
        return a.pd.createQp(
                QpInitAttributes.builder(a.sendCq).capabilities(capabilities).build());
    }

    private void assertRefusedAndUnchanged(QpState expected, QpAttributes attributes, Object... named) {
        assertRefused(Errno.EINVAL, () -> a.qp.modify(attributes), named);
        assertThat(a.qp.state()).isEqualTo(expected);
    }

    /** {@code test_create_rc_qp_no_attr}. */
    @Test
    @Covers({"QP-2", "QP-10", "QP-23"})
    void aNewQueuePairIsInReset() {
        assertThat(a.qp.state()).isEqualTo(QpState.RESET);
        assertThat(a.qp.qpn()).isBetween(2, 0xFFFFFE);
        assertThat(a.qp.protectionDomain()).isSameAs(a.pd);
        assertThat(a.qp.context()).isSameAs(a.context);
    }

    /**
     * {@code test_create_rc_qp_no_attr}, {@code test_create_rc_qp_with_attr}, {@code test_create_rc_qp_ex_no_attr},
     * {@code test_create_rc_qp_ex_with_attr}, and the same for UC and UD: the extended form declares the operations;
     * attributes move the new queue pair to RTS.
     */
    @ParameterizedTest
    @CsvSource({
        "RC,false,false", "RC,false,true", "RC,true,false", "RC,true,true", "UC,false,false", "UC,false,true",
        "UC,true,false", "UC,true,true", "UD,false,false", "UD,false,true", "UD,true,false", "UD,true,true"
    })
    @Covers({"QP-10", "QP-11", "QP-12", "QP-19"})
    void everyTypeIsMadeByBothForms(QpType type, boolean extended, boolean withAttributes) {
        QpInitAttributes.Builder asked =
                QpInitAttributes.builder(a.sendCq).type(type).capabilities(LEAST);
        QueuePair qp = closing(
                a.pd.createQp(extended ? asked.sendOperations(WrOpcode.SEND).build() : asked.build()));
        assertThat(qp.initAttributes().type()).isEqualTo(type);
        assertThat(qp.state()).isEqualTo(QpState.RESET);
        if (withAttributes) {
            qp.modify(Transitions.init(type, target().port(), Set.of()).build());
            qp.modify(Transitions.readyToReceive(type, LinkSetup.DEFAULT, b.qp.qpn(), a.pathTo(b))
                    .build());
            qp.modify(Transitions.readyToSend(type, LinkSetup.DEFAULT).build());
            assertThat(qp.query().state()).isEqualTo(QpState.RTS);
            assertThat(qp.query().sqPsn()).isEqualTo(LinkSetup.DEFAULT.firstPsn());
            if (extended) {
                assertRefused(Errno.EINVAL, () -> qp.startSend().sendImm(1).complete());
            }
        }
    }

    private QpAttributes lidOf(Endpoint from, Endpoint to) {
        boolean isInfiniBand = from.context.linkLayer(target().port()) == LinkLayer.INFINIBAND;
        return isInfiniBand
                ? QpAttributes.builder().addressVector(from.pathTo(to)).build()
                : QpAttributes.builder().build();
    }

    /**
     * Uses the short form to RTS, with the GIDs of the transport. Each end uses only values that the other end would
     * send it; on InfiniBand it knows the LID too.
     */
    @Test
    void connectedQueuePairsTalk() {
        QpAddress here = QpAddress.of(a.qp, target().port(), target().gidIndex());
        QpAddress there = QpAddress.of(b.qp, target().port(), target().gidIndex());
        a.qp.connect(here, QpAddress.ofBytes(there.toBytes()), lidOf(a, b));
        b.qp.connect(there, QpAddress.ofBytes(here.toBytes()), lidOf(b, a));
        Bytes.fill(a.memory.asSlice(0, 5000), 3);
        b.postReceive(1, 0, 5000);
        a.postSend(2, 0, 5000);
        assertThat(a.awaitSend().wrId()).isEqualTo(2);
        assertThat(b.awaitReceive().byteLength()).isEqualTo(5000);
        Bytes.assertHolds(b.memory.asSlice(0, 5000), 3);
    }

    /** {@code test_query_rc_qp}, {@code test_query_uc_qp}, {@code test_query_ud_qp}. */
    @ParameterizedTest
    @EnumSource(names = {"RC", "UC", "UD"})
    @Covers({"QP-3", "QP-77"})
    void aNewQueuePairOfEveryTypeSaysWhatItIs(QpType type) {
        QpCapabilities asked = new QpCapabilities(20, 30, 2, 3, 10);
        QueuePair qp = closing(a.pd.createQp(QpInitAttributes.builder(a.sendCq)
                .type(type)
                .capabilities(asked)
                .build()));
        QpCapabilities actual = qp.initAttributes().capabilities();
        assertThat(qp.query().state()).isEqualTo(QpState.RESET);
        assertThat(actual.maxSendWr()).isGreaterThanOrEqualTo(asked.maxSendWr());
        assertThat(actual.maxReceiveWr()).isGreaterThanOrEqualTo(asked.maxReceiveWr());
        assertThat(actual.maxSendSge()).isGreaterThanOrEqualTo(asked.maxSendSge());
        assertThat(actual.maxReceiveSge()).isGreaterThanOrEqualTo(asked.maxReceiveSge());
        assertThat(actual.maxInlineData()).isGreaterThanOrEqualTo(asked.maxInlineData());
    }

    /** {@code test_query_data_in_order}: none, blocks, or messages, which include blocks. */
    @ParameterizedTest
    @EnumSource
    void aQueuePairSaysHowOrderedItsDataAre(WrOpcode opcode) {
        assertThat(a.qp.queryDataInOrder(opcode))
                .isIn(
                        Set.of(),
                        Set.of(DataOrder.ALIGNED_128_BYTES),
                        Set.of(DataOrder.WHOLE_MESSAGE, DataOrder.ALIGNED_128_BYTES));
    }

    /** {@code test_modify_ud_qp}. */
    @Test
    @Covers({"QP-12", "QP-33", "QP-45"})
    void aDatagramQueuePairKeepsItsKeyAndGoesBackToReset() {
        QueuePair qp = closing(a.pd.createQp(QpInitAttributes.builder(a.sendCq)
                .type(QpType.UD)
                .capabilities(LEAST)
                .build()));
        qp.modify(Transitions.init(QpType.UD, target().port(), Set.of())
                .qkey(0x123)
                .build());
        assertThat(qp.query().qkey()).isEqualTo(0x123);
        qp.modify(Endpoint.only(QpState.RTR));
        qp.modify(QpAttributes.builder().state(QpState.RTS).sqPsn(0x45).build());
        assertThat(qp.query().sqPsn()).isEqualTo(0x45);
        assertThat(qp.query().qkey()).isEqualTo(0x123);
        qp.modify(Endpoint.only(QpState.RESET));
        assertThat(qp.query().state()).isEqualTo(QpState.RESET);
    }

    /** A receive may be posted in INIT, before the queue pair can receive, but is not required. */
    @Test
    @Covers("QP-31")
    void aReceivePostedInInitTakesTheFirstMessage() {
        b.bringTo(QpState.INIT, a);
        b.postReceive(7, 0, 64);
        b.moveTo(QpState.RTR, a, LinkSetup.DEFAULT);
        a.bringTo(QpState.RTS, b);
        a.postSend(8, 0, 64);
        assertThat(b.awaitReceive().wrId()).isEqualTo(7);
        assertThat(a.awaitSend().wrId()).isEqualTo(8);
    }

    /** {@code test_query_rc_qp}: capacities are at least the requested ones. */
    @ParameterizedTest
    @CsvSource({"1,1,1,1,0", "2,3,1,4,36", "100,1000,3,2,200", "0,0,0,0,0"})
    @Covers({"QP-3", "QP-77"})
    void capacitiesAreAtLeastWhatWasAskedFor(int sendWr, int receiveWr, int sendSge, int receiveSge, int inline) {
        try (QueuePair qp = create(new QpCapabilities(sendWr, receiveWr, sendSge, receiveSge, inline))) {
            QpCapabilities actual = qp.initAttributes().capabilities();
            assertThat(actual.maxSendWr()).isGreaterThanOrEqualTo(sendWr);
            assertThat(actual.maxReceiveWr()).isGreaterThanOrEqualTo(receiveWr);
            assertThat(actual.maxSendSge()).isGreaterThanOrEqualTo(sendSge);
            assertThat(actual.maxReceiveSge()).isGreaterThanOrEqualTo(receiveSge);
            assertThat(actual.maxInlineData()).isGreaterThanOrEqualTo(inline);
            assertThat(qp.query().state()).isEqualTo(QpState.RESET);
        }
    }

    /**
     * {@code test_create_raw_qp_ex_with_illegal_caps_max_send_wr} and three similar cases: values at the limits are
     * accepted, larger ones rejected.
     */
    @Test
    @Covers("RXE-30")
    void capacitiesBeyondTheDevicesLimitsAreRefused() {
        DeviceAttributes device = context().queryDevice();
        int wr = (int) device.limit(DeviceLimit.MAX_QP_WR);
        int sge = (int) device.limit(DeviceLimit.MAX_SGE);
        create(new QpCapabilities(wr, wr, 1, 1, 0)).close();
        create(new QpCapabilities(1, 1, sge, sge, 0)).close();
        assertTooLarge(new QpCapabilities(wr + 1, 1, 1, 1, 0), "max_send_wr", wr + 1, wr);
        assertTooLarge(new QpCapabilities(1, wr + 1, 1, 1, 0), "max_recv_wr", wr + 1, wr);
        assertTooLarge(new QpCapabilities(1, 1, sge + 1, 1, 0), "max_send_sge", sge + 1, sge);
        assertTooLarge(new QpCapabilities(1, 1, 1, sge + 1, 0), "max_recv_sge", sge + 1, sge);
        assertTooLarge(new QpCapabilities(1, 1, 1, 1, 1 << 24), "max_inline_data", 1 << 24, "limit");
        assertRefused(Errno.EINVAL, () -> new QpCapabilities(-1, 1, 1, 1, 0), "max_send_wr", "negative");
    }

    private void assertTooLarge(QpCapabilities capabilities, Object... named) {
        assertRefused(Errno.EINVAL, () -> create(capabilities), named);
    }

    @ParameterizedTest
    @EnumSource(names = {"RC", "UC", "UD"})
    @Covers("RXE-30")
    void aQueuePairNeedsItsCompletionQueues(QpType type) {
        for (boolean sends : new boolean[] {true, false}) {
            QpInitAttributes attributes = QpInitAttributes.builder(sends ? a.sendCq : null, sends ? null : a.receiveCq)
                    .type(type)
                    .build();
            assertRefused(Errno.EINVAL, () -> a.pd.createQp(attributes), type, "completion queue");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aCreateFlagThatTheDeviceLacksIsRefusedAsSuch(QpCreateFlag flag) {
        QpType type = flag == QpCreateFlag.MASKED_ATOMICS ? QpType.RC : QpType.UD;
        QpInitAttributes attributes =
                QpInitAttributes.builder(a.sendCq).type(type).createFlags(flag).build();
        try (QueuePair made = a.pd.createQp(attributes)) {
            assertThat(made.initAttributes().createFlags()).containsExactly(flag);
        } catch (RdmaException e) {
            assertSays(e, Errno.EOPNOTSUPP, flag);
        }
    }

    @Test
    @Covers("QP-18")
    void aCreateFlagOfAnotherTypeIsRefused() {
        for (QpCreateFlag flag : List.of(QpCreateFlag.IPOIB_UD_LSO, QpCreateFlag.BLOCK_MULTICAST_LOOPBACK)) {
            assertRefused(Errno.EINVAL, () -> a.pd.createQp(with(QpType.RC, flag)), QpType.RC, flag);
        }
        assertRefused(
                Errno.EINVAL,
                () -> a.pd.createQp(with(QpType.UD, QpCreateFlag.MASKED_ATOMICS)),
                QpType.UD,
                QpCreateFlag.MASKED_ATOMICS);
    }

    private QpInitAttributes with(QpType type, QpCreateFlag... flags) {
        return QpInitAttributes.builder(a.sendCq).type(type).createFlags(flags).build();
    }

    /** {@code ib_create_qp_security}, {@code ib_security_modify_qp}: the host's policy decides about each partition. */
    @Test
    @Covers("QP-21")
    void aQueuePairEntersOnlyPartitionsThatThePolicyAllows() {
        Host host = context().device().host();
        int pkey = context().queryPkey(target().port(), 0);
        host.partitionPolicy((device, port, any) -> false);
        try {
            assertRefused(
                    Errno.EACCES,
                    () -> a.pd.createQp(with(QpType.RC)),
                    context().device());
            host.partitionPolicy((device, port, any) -> any != pkey);
            assertRefused(Errno.EACCES, () -> a.qp.modify(a.init().build()), String.format("0x%04x", pkey));
            assertThat(a.qp.state()).isEqualTo(QpState.RESET);
        } finally {
            host.partitionPolicy(PartitionPolicy.OPEN);
        }
        a.qp.modify(a.init().build());
        assertThat(a.qp.state()).isEqualTo(QpState.INIT);
    }

    /** XRC targets also need an XRC domain, so they have separate cases. */
    @ParameterizedTest
    @EnumSource(
            value = QpType.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"RC", "XRC_TGT"})
    void aTypeThatTheDeviceLacksOrForbidsIsRefusedAsSuch(QpType type) {
        QpInitAttributes attributes = QpInitAttributes.builder(a.sendCq)
                .type(type)
                .port(target().port())
                .etherType(type == QpType.RAW_ETHERTYPE ? Endpoint.ETHER_TYPE : 0)
                .capabilities(LEAST)
                .build();
        try (QueuePair made = a.pd.createQp(attributes)) {
            assertThat(made.initAttributes().type()).isEqualTo(type);
        } catch (RdmaException e) {
            boolean privileged = type.isRaw() && e.errno() == Errno.EPERM;
            assertSays(e, privileged ? Errno.EPERM : Errno.EOPNOTSUPP, type);
        }
    }

    @Test
    void completionQueuesOfAnotherContextOrClosedOnesAreRefused() {
        assertRefused(
                Errno.EINVAL,
                () -> a.pd.createQp(QpInitAttributes.builder(b.sendCq).build()));
        CompletionQueue closed = context().createCq(1);
        closed.close();
        assertRefused(
                Errno.EINVAL,
                () -> a.pd.createQp(QpInitAttributes.builder(closed).build()));
    }

    @Test
    @Covers({"CQ-24", "QP-4"})
    void oneCompletionQueueMayServeBothDirections() {
        QpInitAttributes attributes = QpInitAttributes.builder(a.sendCq)
                .signalType(SignalType.ALL_WR)
                .userContext("mine")
                .build();
        try (QueuePair qp = a.pd.createQp(attributes)) {
            assertThat(qp.initAttributes().sendCq()).isSameAs(a.sendCq);
            assertThat(qp.initAttributes().receiveCq()).isSameAs(a.sendCq);
            assertThat(qp.initAttributes().signalType()).isEqualTo(SignalType.ALL_WR);
            assertThat(qp.userContext()).isEqualTo("mine");
        }
    }

    /** {@code test_modify_rc_qp_rd_atomic} for the requested values, and all other attributes. */
    @Test
    @Covers({"QP-30", "QP-35", "QP-36", "QP-37", "QP-38", "QP-39", "QP-46", "QP-47", "QP-59", "QP-66", "QP-77", "QP-61"
    })
    void theWayFromResetToReadyToSendLeavesItsTraces() {
        a.qp.modify(a.init().build());
        assertThat(a.qp.state()).isEqualTo(QpState.INIT);
        a.qp.modify(a.readyToReceive(b, LinkSetup.DEFAULT).maxDestRdAtomic(12).build());
        assertThat(a.qp.state()).isEqualTo(QpState.RTR);
        a.qp.modify(Endpoint.readyToSend(LinkSetup.DEFAULT).maxRdAtomic(12).build());
        QpAttributes found = a.qp.query();
        assertThat(found.state()).isEqualTo(QpState.RTS);
        assertThat(found.currentState()).isEqualTo(QpState.RTS);
        assertThat(found.port()).isEqualTo(target().port());
        assertThat(found.pkeyIndex()).isZero();
        assertThat(found.pathMtu()).isEqualTo(LinkSetup.DEFAULT.mtu());
        assertThat(found.destinationQpn()).isEqualTo(b.qp.qpn());
        assertThat(found.rqPsn()).isEqualTo(LinkSetup.DEFAULT.firstPsn());
        assertThat(found.sqPsn()).isEqualTo(LinkSetup.DEFAULT.firstPsn());
        assertThat(found.minRnrTimer()).isEqualTo(LinkSetup.DEFAULT.minRnrTimer());
        assertThat(found.timeout()).isEqualTo(LinkSetup.DEFAULT.timeout());
        assertThat(found.retryCount()).isEqualTo(LinkSetup.DEFAULT.retryCount());
        assertThat(found.rnrRetry()).isEqualTo(LinkSetup.DEFAULT.rnrRetry());
        assertThat(found.maxDestRdAtomic()).isGreaterThanOrEqualTo(12);
        assertThat(found.maxRdAtomic()).isGreaterThanOrEqualTo(12);
        assertThat(found.addressVector()).isNotNull();
    }

    @ParameterizedTest
    @CsvSource({
        "RESET,RTR",
        "RESET,RTS",
        "RESET,SQD",
        "RESET,SQE",
        "RESET,ERR",
        "INIT,RTS",
        "INIT,SQD",
        "INIT,SQE",
        "RTR,INIT",
        "RTR,RTR",
        "RTR,SQD",
        "RTS,INIT",
        "RTS,RTR",
        "RTS,SQE",
        "SQD,INIT",
        "SQD,RTR",
        "SQD,SQE",
        "ERR,INIT",
        "ERR,RTR",
        "ERR,RTS",
        "ERR,SQD"
    })
    @Covers("QP-30")
    void stepsThatAreNotInTheTableAreRefused(QpState from, QpState to) {
        a.bringTo(from, b);
        assertRefused(Errno.EINVAL, () -> a.moveTo(to, b, LinkSetup.DEFAULT), QpType.RC, from, to);
        assertThat(a.qp.state()).isEqualTo(from);
    }

    @ParameterizedTest
    @EnumSource(value = QpState.class, mode = EnumSource.Mode.EXCLUDE, names = "SQE")
    @Covers("QP-33")
    void everyStateLeadsBackToReset(QpState from) {
        a.bringTo(from, b);
        a.moveTo(QpState.RESET, b, LinkSetup.DEFAULT);
        assertThat(a.qp.query().state()).isEqualTo(QpState.RESET);
        a.bringTo(QpState.RTS, b);
        assertThat(a.qp.state()).isEqualTo(QpState.RTS);
    }

    @ParameterizedTest
    @EnumSource(
            value = QpState.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"SQE", "RESET"})
    void everyStateButResetLeadsToError(QpState from) {
        a.bringTo(from, b);
        a.moveTo(QpState.ERR, b, LinkSetup.DEFAULT);
        assertThat(a.qp.state()).isEqualTo(QpState.ERR);
    }

    @Test
    void anAttributeThatIsMissingIsAskedFor() {
        assertRefusedAndUnchanged(QpState.RESET, Endpoint.only(QpState.INIT), "missing", QpAttribute.PORT);
        a.bringTo(QpState.INIT, b);
        assertRefusedAndUnchanged(QpState.INIT, Endpoint.only(QpState.RTR), "missing", QpAttribute.DEST_QPN);
        a.moveTo(QpState.RTR, b, LinkSetup.DEFAULT);
        assertRefusedAndUnchanged(QpState.RTR, Endpoint.only(QpState.RTS), "missing", QpAttribute.SQ_PSN);
    }

    @Test
    void anAttributeThatDoesNotBelongThereIsRefused() {
        assertRefusedAndUnchanged(QpState.RESET, a.init().sqPsn(1).build(), "not allowed", QpAttribute.SQ_PSN);
        assertRefusedAndUnchanged(QpState.RESET, a.init().qkey(1).build(), "not allowed", QpAttribute.QKEY);
        a.bringTo(QpState.INIT, b);
        assertRefusedAndUnchanged(QpState.INIT, rtr().timeout(14).build(), "not allowed", QpAttribute.TIMEOUT);
    }

    @Test
    @Covers("QP-40")
    void anAssumedStateMustBeTheRealOne() {
        a.bringTo(QpState.RTR, b);
        assertRefusedAndUnchanged(
                QpState.RTR,
                Endpoint.readyToSend(LinkSetup.DEFAULT)
                        .currentState(QpState.RTS)
                        .build());
        a.qp.modify(Endpoint.readyToSend(LinkSetup.DEFAULT)
                .currentState(QpState.RTR)
                .build());
        assertThat(a.qp.state()).isEqualTo(QpState.RTS);
    }

    @Test
    @Covers({"QP-43", "QP-44"})
    void placesThatAreNotThereAreRefused() {
        int ports = context().queryDevice().physicalPortCount();
        for (int port : new int[] {0, ports + 1, 256}) {
            assertRefusedAndUnchanged(QpState.RESET, a.init().port(port).build(), "port", port, 1, ports);
        }
        int pkeys = context().queryPort(target().port()).pkeyTableLength();
        for (int index : new int[] {pkeys, -1}) {
            assertRefusedAndUnchanged(
                    QpState.RESET, a.init().pkeyIndex(index).build(), "pkey_index", index, 0, pkeys - 1);
        }
    }

    @Test
    void valuesOutOfRangeAreRefused() {
        DeviceAttributes device = context().queryDevice();
        int responder = (int) device.limit(DeviceLimit.MAX_QP_RD_ATOM);
        int initiator = (int) device.limit(DeviceLimit.MAX_QP_INIT_RD_ATOM);
        a.bringTo(QpState.INIT, b);
        assertOutOfRange(rtr().minRnrTimer(32), "min_rnr_timer", 32, 31);
        assertOutOfRange(rtr().destinationQpn(1 << 24), "dest_qp_num", 1 << 24, (1 << 24) - 1);
        assertOutOfRange(rtr().maxDestRdAtomic(responder + 1), "max_dest_rd_atomic", responder + 1, responder);
        assertOutOfRange(rtr().maxDestRdAtomic(-1), "max_dest_rd_atomic", -1, 0);
        a.moveTo(QpState.RTR, b, LinkSetup.DEFAULT);
        assertOutOfRange(rts().timeout(32), "timeout", 32, 31);
        assertOutOfRange(rts().retryCount(8), "retry_cnt", 8, 7);
        assertOutOfRange(rts().rnrRetry(8), "rnr_retry", 8, 7);
        assertOutOfRange(rts().maxRdAtomic(initiator + 1), "max_rd_atomic", initiator + 1, initiator);
    }

    private void assertOutOfRange(QpAttributes.Builder attributes, Object... named) {
        assertRefusedAndUnchanged(a.qp.state(), attributes.build(), named);
    }

    @Test
    void aPathMtuAboveThatOfThePortIsRefused() {
        Mtu active = context().queryPort(target().port()).activeMtu();
        Assumptions.assumeTrue(active != Mtu.MTU_4096, "there is no path MTU above 4096");
        a.bringTo(QpState.INIT, b);
        assertOutOfRange(rtr().pathMtu(Mtu.MTU_4096), "path_mtu", Mtu.MTU_4096.bytes(), active.bytes());
    }

    private QpAttributes.Builder rtr() {
        return a.readyToReceive(b, LinkSetup.DEFAULT);
    }

    private static QpAttributes.Builder rts() {
        return Endpoint.readyToSend(LinkSetup.DEFAULT);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 31})
    void everyTimeoutCodeIsTaken(int code) {
        a.bringTo(QpState.RTR, b);
        a.qp.modify(rts().timeout(code).build());
        assertThat(a.qp.query().timeout()).isEqualTo(code);
    }

    /**
     * Attributes outside the verbs cannot be expressed ({@link QpAttribute} has them all); those that devices do not
     * support can.
     */
    @Test
    @Covers("QP-60")
    void packetPacingIsNotSupported() {
        a.bringTo(QpState.RTS, b);
        assertRefused(
                Errno.EOPNOTSUPP,
                () -> a.qp.modify(QpAttributes.builder().rateLimit(1000).build()),
                QpAttribute.RATE_LIMIT);
    }

    @Test
    void queuesAreNotResizedByADeviceThatCannot() {
        Assumptions.assumeFalse(
                context().queryDevice().has(DeviceCapability.RESIZE_MAX_WR), "the device resizes queues");
        a.bringTo(QpState.RTS, b);
        assertRefused(
                Errno.EOPNOTSUPP,
                () -> a.qp.modify(QpAttributes.builder().capabilities(LEAST).build()),
                DeviceCapability.RESIZE_MAX_WR);
    }

    /** IBA 10.2.5. The device decides whether the program is privileged. */
    @Test
    void aPrivilegedQkeyNeedsAPrivilege() {
        QueuePair qp = closing(
                a.pd.createQp(QpInitAttributes.builder(a.sendCq).type(QpType.UD).build()));
        QpAttributes attributes = Transitions.init(QpType.UD, target().port(), Set.of())
                .qkey(Transitions.GSI_QKEY)
                .build();
        try {
            qp.modify(attributes);
            assertThat(qp.query().qkey()).isEqualTo(Transitions.GSI_QKEY);
        } catch (RdmaException e) {
            assertSays(e, e.errno() == Errno.EACCES ? Errno.EACCES : Errno.EPERM, "0x80010000", "bit 31");
            assertThat(qp.state()).isEqualTo(QpState.RESET);
        }
    }

    /** Attributes may change without a change of state; the others keep their values. */
    @Test
    @Covers("GEN-10")
    void onlyAttributesInTheMaskChange() {
        a.bringTo(QpState.RTS, b);
        QpAttributes before = a.qp.query();
        a.qp.modify(QpAttributes.builder().minRnrTimer(3).build());
        QpAttributes after = a.qp.query();
        assertThat(after.minRnrTimer()).isEqualTo(3);
        assertThat(after.toBuilder().minRnrTimer(before.minRnrTimer()).build()).isEqualTo(before);
    }
}
