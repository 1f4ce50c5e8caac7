// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.rdma4j.base.Errno;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.values.WqState;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Queue pairs that receive through an indirection table of work queues. */
class RwqIndirectionTableTest {
    private final Fixture fixture = new Fixture();
    private final Context context = fixture.context;
    private final CompletionQueue sends = context.createCq(16);
    private final CompletionQueue receives = context.createCq(16);
    private final WorkQueue first = fixture.pd.createWorkQueue(receives, 4, 1);
    private final WorkQueue second = fixture.pd.createWorkQueue(receives, 4, 1);
    private final RwqIndirectionTable table = context.createRwqIndirectionTable(List.of(first, second));

    private static QpCapabilities sizes(int maxSendWr, int maxReceiveWr, int maxReceiveSge) {
        return new QpCapabilities(maxSendWr, maxReceiveWr, 1, maxReceiveSge, 0);
    }

    private static QpInitAttributes.Builder through(
            RwqIndirectionTable table, @Nullable CompletionQueue sendCq, @Nullable CompletionQueue receiveCq) {
        return QpInitAttributes.builder(sendCq, receiveCq)
                .capabilities(sizes(2, 0, 0))
                .rwqIndirectionTable(table);
    }

    private void refused(String message, QpInitAttributes.Builder asked) {
        assertRefused(Errno.EINVAL, message, () -> fixture.pd.createQp(asked.build()));
    }

    @Test
    void aQueuePairReceivesThroughTheQueuesOfItsTable() {
        QueuePair receiver = fixture.pd.createQp(through(table, sends, null).build());
        assertThat(receiver.initAttributes().rwqIndirectionTable()).isSameAs(table);
        assertThat(receiver.initAttributes().receiveCq()).isNull();
        first.modify(WqState.RDY);
        second.modify(WqState.RDY);
        first.postReceive(ReceiveRequest.of(1));
        second.postReceive(ReceiveRequest.of(2));

        for (int i = 0; i < 2; i++) {
            QueuePair sender = fixture.qp(sends);
            Fixture.connect(receiver, sender);
            Fixture.connect(sender, receiver);
            sender.postSend(SendRequest.send().build());
            receiver.modify(QpAttributes.builder().state(QpState.RESET).build());
        }

        assertThat(receives.poll(9))
                .extracting(WorkCompletion::wrId, WorkCompletion::status, WorkCompletion::qpNumber)
                .containsExactlyInAnyOrder(
                        tuple(1L, WcStatus.SUCCESS, receiver.qpn()), tuple(2L, WcStatus.SUCCESS, receiver.qpn()));
        assertRefused(Errno.EINVAL, table + ": post receives to its queues", receiver::startReceive);
    }

    @Test
    void aTableExcludesWhatItsQueuesBring() {
        SharedReceiveQueue srq = fixture.pd.createSrq(SrqInitAttributes.basic(4, 1));
        refused("cannot have a completion queue for receives", through(table, sends, receives));
        refused(
                "cannot have a shared receive queue",
                through(table, sends, null).srq(srq));
        refused("cannot have max_recv_wr 3", through(table, sends, null).capabilities(sizes(2, 3, 0)));
        refused("cannot have max_recv_sge 1", through(table, sends, null).capabilities(sizes(2, 0, 1)));

        table.close();
        first.close();
        srq.close();
    }

    @Test
    void onlyWhatSendsNeedsACompletionQueue() {
        refused("needs a completion queue for sends", through(table, null, null));
        QueuePair receiver = fixture.pd.createQp(
                through(table, sends, null).capabilities(sizes(0, 0, 0)).build());
        assertThat(receiver.initAttributes().sendCq()).isNull();
        sends.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"XRC_INI", "XRC_TGT"})
    void aTypeThatReceivesNothingTakesNoTable(QpType type) {
        refused("has no receive queue", through(table, sends, null).type(type));
    }

    @Test
    void aTableThatIsClosedOrOfAnotherContextIsRefused() {
        Context other = fixture.host.open("loop0");
        CompletionQueue foreign = other.createCq(4);
        ProtectionDomain foreignPd = other.allocatePd();
        assertRefused(
                Errno.EINVAL,
                table + " belongs to another context",
                () -> foreignPd.createQp(through(table, foreign, null).build()));
        assertRefused(
                Errno.EINVAL,
                first + " belongs to another context",
                () -> other.createRwqIndirectionTable(List.of(first)));
        assertRefused(Errno.EINVAL, receives + " belongs to another", () -> foreignPd.createWorkQueue(receives, 1, 1));
        table.close();
        refused(table + " is closed", through(table, sends, null));
        foreign.close();
        foreignPd.close();
        other.close();
    }

    @Test
    void queuePairTableAndQueuesAreClosedInThisOrder() {
        QueuePair qp = fixture.pd.createQp(through(table, sends, null).build());
        assertRefused(Errno.EBUSY, "1 queue pair", table::close);
        assertRefused(Errno.EBUSY, "1 receive queue table", first::close);
        assertRefused(Errno.EBUSY, "2 work queues", receives::close);
        assertRefused(Errno.EBUSY, "2 work queues, 1 queue pair", fixture.pd::close);
        qp.close();
        table.close();
        for (WorkQueue queue : List.of(first, second)) {
            queue.close();
            queue.close();
        }
        receives.close();
        sends.close();
        fixture.pd.close();
        context.close();
    }

    @Test
    void aTableHasAPowerOfTwoEntriesThatMayRepeat() {
        assertRefused(Errno.EINVAL, "a table of 0", () -> context.createRwqIndirectionTable(List.of()));
        assertRefused(
                Errno.EINVAL, "a table of 3", () -> context.createRwqIndirectionTable(List.of(first, second, first)));
        List<WorkQueue> four = List.of(first, second, first, first);
        RwqIndirectionTable repeating = context.createRwqIndirectionTable(four);
        assertThat(repeating.queues()).isEqualTo(four);
        assertRefused(Errno.ENOMEM, "max_rwq_ind", () -> context.createRwqIndirectionTable(List.of(first)));
        fixture.device.limit(DeviceLimit.MAX_RWQ_INDIRECTION_TABLE_SIZE, 2);
        assertRefused(Errno.EINVAL, "size 4 is not in 1..2", () -> context.createRwqIndirectionTable(four));
        repeating.close();
        table.close();
        first.close();
    }

    @Test
    void whatTheDeviceRefusesIsUndone() {
        fixture.device.refuseNext(Errno.ENOMEM);
        assertRefused(Errno.ENOMEM, "refused", () -> fixture.pd.createWorkQueue(sends, 1, 1));
        sends.close();
        table.close();
        fixture.device.refuseNext(Errno.ENOMEM);
        assertRefused(Errno.ENOMEM, "refused", () -> context.createRwqIndirectionTable(List.of(first)));
        first.close();
        assertRefused(Errno.EINVAL, first + " is closed", () -> context.createRwqIndirectionTable(List.of(first)));
    }

    @Test
    void aDeviceWithoutThemSaysSo() {
        fixture.device.limit(DeviceLimit.MAX_WQ_TYPE_RQ, 0);
        fixture.device.limit(DeviceLimit.MAX_RWQ_INDIRECTION_TABLES, 0);
        assertRefused(Errno.EOPNOTSUPP, "max_wq_type_rq is 0", () -> fixture.pd.createWorkQueue(receives, 1, 1));
        assertRefused(
                Errno.EOPNOTSUPP,
                "max_rwq_indirection_tables is 0",
                () -> context.createRwqIndirectionTable(List.of(first)));
    }

    @Test
    void sizesOfQueuesAreChecked() {
        assertRefused(Errno.EINVAL, "max_wr 0 is not in 1..64", () -> fixture.pd.createWorkQueue(receives, 0, 1));
        assertRefused(Errno.EINVAL, "max_wr 65 is not in 1..64", () -> fixture.pd.createWorkQueue(receives, 65, 1));
        assertRefused(Errno.EINVAL, "max_sge 4 is not in 0..3", () -> fixture.pd.createWorkQueue(receives, 1, 4));
    }

    @Test
    void aQueueTakesReceivesOnceItIsReadyAndFlushesThemInError() {
        assertThat(first.state()).isEqualTo(WqState.RESET);
        assertThat(first.cq()).isSameAs(receives);
        assertThat(first.protectionDomain()).isSameAs(fixture.pd);
        assertRefused(Errno.EINVAL, "in RESET", () -> first.postReceive(ReceiveRequest.of(1)));
        assertRefused(Errno.EINVAL, "cannot go from RESET to ERR", () -> first.modify(WqState.ERR));
        first.modify(WqState.RDY);
        first.postReceive(ReceiveRequest.of(2));
        first.modify(WqState.RESET);
        first.modify(WqState.RDY);
        assertRefused(Errno.EINVAL, "cannot go from RDY to RDY", () -> first.modify(WqState.RDY));
        first.postReceive(ReceiveRequest.of(3));
        first.modify(WqState.ERR);
        first.postReceive(ReceiveRequest.of(4));
        assertThat(receives.poll(9))
                .extracting(WorkCompletion::wrId, WorkCompletion::status)
                .containsExactly(tuple(3L, WcStatus.WR_FLUSH_ERR), tuple(4L, WcStatus.WR_FLUSH_ERR));
        assertThat(WqState.ERR.code()).isEqualTo(2);
        table.close();
        first.close();
        assertRefused(Errno.EINVAL, "is closed", () -> first.modify(WqState.RESET));
        assertRefused(Errno.EINVAL, "is closed", first::startReceive);
    }
}
