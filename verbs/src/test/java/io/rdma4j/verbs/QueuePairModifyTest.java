// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.AlternatePath;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.SignalType;
import java.util.Set;
import org.junit.jupiter.api.Test;

class QueuePairModifyTest {
    private final Fixture fixture = new Fixture();
    private final CompletionQueue cq = fixture.context.createCq(16);
    private final QueuePair qp = fixture.qp(cq);

    private void refused(String message, QpAttributes.Builder attributes) {
        QpState before = qp.state();
        assertRefused(Errno.EINVAL, message, () -> qp.modify(attributes.build()));
        assertThat(qp.state()).isEqualTo(before);
    }

    @Test
    @Covers({"QP-2", "QP-3", "QP-4"})
    void aNewQueuePairIsInResetAndHasAtLeastTheSizesAskedFor() {
        QueuePair made = fixture.pd.createQp(QpInitAttributes.builder(cq)
                .capabilities(new QpCapabilities(5, 6, 2, 3, 20))
                .signalType(SignalType.ALL_WR)
                .userContext("mine")
                .build());

        QpCapabilities actual = made.initAttributes().capabilities();
        assertThat(made.state()).isEqualTo(QpState.RESET);
        assertThat(made.query().state()).isEqualTo(QpState.RESET);
        assertThat(actual.maxSendWr()).isGreaterThanOrEqualTo(5);
        assertThat(actual.maxReceiveWr()).isGreaterThanOrEqualTo(6);
        assertThat(actual.maxSendSge()).isGreaterThanOrEqualTo(2);
        assertThat(actual.maxReceiveSge()).isGreaterThanOrEqualTo(3);
        assertThat(actual.maxInlineData()).isGreaterThanOrEqualTo(20);
        assertThat(made.query().capabilities()).isEqualTo(actual);
        assertThat(made.initAttributes().signalType()).isEqualTo(SignalType.ALL_WR);
        assertThat(made.userContext()).isEqualTo("mine");
        assertThat(made.protectionDomain()).isSameAs(fixture.pd);
        assertThat(made.context()).isSameAs(fixture.context);
    }

    @Test
    void aQueuePairNeedsCompletionQueues() {
        assertRefused(
                Errno.EINVAL,
                "needs a completion queue for sends and one for receives",
                () -> fixture.pd.createQp(QpInitAttributes.builder(cq, null).build()));
    }

    @Test
    void sizesAboveTheDevicesLimitsAreRefused() {
        QpInitAttributes.Builder init = QpInitAttributes.builder(cq);
        assertRefused(
                Errno.EINVAL,
                "max_send_wr 65 is not in 0..64",
                () -> fixture.pd.createQp(
                        init.capabilities(new QpCapabilities(65, 1, 1, 1, 0)).build()));
        assertRefused(
                Errno.EINVAL,
                "max_recv_wr 65",
                () -> fixture.pd.createQp(
                        init.capabilities(new QpCapabilities(1, 65, 1, 1, 0)).build()));
        assertRefused(
                Errno.EINVAL,
                "max_send_sge 4 is not in 0..3",
                () -> fixture.pd.createQp(
                        init.capabilities(new QpCapabilities(1, 1, 4, 1, 0)).build()));
        assertRefused(
                Errno.EINVAL,
                "max_recv_sge 4",
                () -> fixture.pd.createQp(
                        init.capabilities(new QpCapabilities(1, 1, 1, 4, 0)).build()));
        assertRefused(Errno.EINVAL, "max_send_wr -1 is negative", () -> QpCapabilities.of(-1, 1));
    }

    @Test
    @Covers({
        "QP-38", "QP-77", "QP-61", "QP-72", "QP-39", "QP-42", "QP-43", "QP-44", "QP-46", "QP-47", "QP-48", "QP-49",
        "QP-50", "QP-52", "QP-54", "QP-56", "QP-59"
    })
    void whatWasSetOnTheWayToRtsCanBeQueried() {
        qp.modify(Fixture.toInit()
                .pkeyIndex(1)
                .accessFlags(Set.of(AccessFlag.REMOTE_READ))
                .build());
        qp.modify(Fixture.toRtr(0xABCDEF).rqPsn(0x123456).build());
        qp.modify(Fixture.toRts().sqPsn(0x654321).maxRdAtomic(8).build());

        QpAttributes now = qp.query();
        assertThat(now.state()).isEqualTo(QpState.RTS);
        assertThat(now.currentState()).isEqualTo(QpState.RTS);
        assertThat(now.pkeyIndex()).isEqualTo(1);
        assertThat(now.port()).isEqualTo(1);
        assertThat(now.accessFlags()).containsExactly(AccessFlag.REMOTE_READ);
        assertThat(now.destinationQpn()).isEqualTo(0xABCDEF);
        assertThat(now.rqPsn()).isEqualTo(0x123456);
        assertThat(now.sqPsn()).isEqualTo(0x654321);
        assertThat(now.pathMtu()).isEqualTo(Mtu.MTU_1024);
        assertThat(now.maxRdAtomic()).isEqualTo(8);
        assertThat(now.maxDestRdAtomic()).isEqualTo(1);
        assertThat(now.minRnrTimer()).isEqualTo(12);
        assertThat(now.timeout()).isEqualTo(14);
        assertThat(now.retryCount()).isEqualTo(7);
        assertThat(now.rnrRetry()).isEqualTo(7);
        assertThat(now.addressVector()).isEqualTo(AddressVector.roce(1, Gid.ofIpv4(0x0A00_0001), 1));
    }

    @Test
    @Covers("QP-30")
    void statesCannotBeSkipped() {
        refused("RESET→RTS is no transition; from RESET one can go to [RESET, INIT]", Fixture.toRts());
        refused("RESET→ERR is no transition", QpAttributes.builder().state(QpState.ERR));
    }

    @Test
    void aModifyWithoutAStateStaysInTheStateItIsIn() {
        qp.modify(Fixture.toInit().build());
        qp.modify(QpAttributes.builder()
                .accessFlags(Set.of(AccessFlag.REMOTE_WRITE))
                .build());

        assertThat(qp.state()).isEqualTo(QpState.INIT);
        assertThat(qp.query().accessFlags()).containsExactly(AccessFlag.REMOTE_WRITE);
        refused("not allowed here [TIMEOUT]", QpAttributes.builder().timeout(1));
    }

    @Test
    void sizesChangeWhereTheDeviceResizesQueuesAndNowhereElse() {
        QpAttributes.Builder more = QpAttributes.builder().capabilities(QpCapabilities.of(31, 31));
        qp.modify(more.build());
        assertThat(qp.query().capabilities()).isEqualTo(QpCapabilities.of(31, 31));
        refused("max_send_wr 65 is not in 0..64", QpAttributes.builder().capabilities(QpCapabilities.of(65, 1)));

        fixture.device.lose(DeviceCapability.RESIZE_MAX_WR);
        assertRefused(Errno.EOPNOTSUPP, "RESIZE_MAX_WR", () -> qp.modify(more.build()));
        assertThat(qp.query().capabilities()).isEqualTo(QpCapabilities.of(31, 31));
    }

    @Test
    @Covers("QP-34")
    void statesThatThereAreNotAreRefused() {
        for (QpState state : QpState.values()) {
            assertThat(QpState.ofCode(state.code())).isEqualTo(state);
        }
        assertRefused(Errno.EINVAL, "7 is not in 0..6", () -> QpState.ofCode(QpState.ERR.code() + 1));
        assertRefused(Errno.EINVAL, "-1 is not in 0..6", () -> QpState.ofCode(-1));
        qp.modify(Fixture.toInit().build());
        refused("CUR_STATE may be given only in", Fixture.toRtr(1).currentState(QpState.INIT));
        qp.modify(Fixture.toRtr(1).build());
        refused(
                "is in RTR, not in SQD as assumed",
                QpAttributes.builder().state(QpState.RTS).currentState(QpState.SQD));
    }

    @Test
    @Covers({"QP-35", "QP-43", "QP-44"})
    void portAndPartitionMustExist() {
        refused("port 3 is not in 1..2", Fixture.toInit().port(3));
        refused("port 0 is not in 1..2", Fixture.toInit().port(0));
        refused("pkey_index 2 is not in 0..1", Fixture.toInit().pkeyIndex(2));
        refused("pkey_index 1 is not in 0..0", Fixture.toInit().port(2).pkeyIndex(1));
    }

    @Test
    @Covers({"QP-36", "QP-62"})
    void valuesOfInitToRtrAreChecked() {
        qp.modify(Fixture.toInit().build());

        refused(
                "path_mtu 2048 is above the port's active MTU 1024",
                Fixture.toRtr(1).pathMtu(Mtu.MTU_2048));
        refused("dest_qp_num 16777216 is not in", Fixture.toRtr(1 << 24));
        refused("max_dest_rd_atomic 17 is not in 0..16", Fixture.toRtr(1).maxDestRdAtomic(17));
        refused("min_rnr_timer 32 is not in 0..31", Fixture.toRtr(1).minRnrTimer(32));
        refused("needs a global route", Fixture.toRtr(1).addressVector(AddressVector.local(1, 5, 0)));
        refused(
                "sgid_index 2 of port 1 is an empty slot",
                Fixture.toRtr(1).addressVector(AddressVector.roce(1, Gid.ofIpv4(1), 2)));
        refused("GID index 9 is not in 0..3", Fixture.toRtr(1).addressVector(AddressVector.roce(1, Gid.ofIpv4(1), 9)));
        refused("port 7 is not in 1..2", Fixture.toRtr(1).addressVector(AddressVector.roce(7, Gid.ofIpv4(1), 0)));
        AddressVector vector = AddressVector.roce(1, Gid.ofIpv4(1), 1);
        fixture.device.lose(DeviceCapability.AUTO_PATH_MIG);
        QpAttributes withAlternate = Fixture.toRtr(1)
                .alternatePath(new AlternatePath(vector, 0, 1, 14))
                .build();
        assertRefused(Errno.EOPNOTSUPP, "AUTO_PATH_MIG", () -> qp.modify(withAlternate));
    }

    @Test
    @Covers("QP-53")
    void anInfinibandPathNeedsNoRouteAndMayHaveAnAlternative() {
        AddressVector vector = AddressVector.local(2, 5, 0);
        qp.modify(Fixture.toInit().port(2).build());
        refused(
                "alt_timeout 32",
                Fixture.toRtr(1).addressVector(vector).alternatePath(new AlternatePath(vector, 0, 2, 32)));
        refused(
                "alt_pkey_index 1",
                Fixture.toRtr(1).addressVector(vector).alternatePath(new AlternatePath(vector, 1, 2, 14)));

        AlternatePath alternate = new AlternatePath(vector, 0, 2, 14);
        qp.modify(
                Fixture.toRtr(1).addressVector(vector).alternatePath(alternate).build());

        assertThat(qp.query().alternatePath()).isEqualTo(alternate);
    }

    @Test
    @Covers("QP-37")
    void valuesOfRtrToRtsAreChecked() {
        qp.modify(Fixture.toInit().build());
        qp.modify(Fixture.toRtr(1).build());

        refused("timeout 32 is not in 0..31", Fixture.toRts().timeout(32));
        refused("timeout -1", Fixture.toRts().timeout(-1));
        refused("retry_cnt 8 is not in 0..7", Fixture.toRts().retryCount(8));
        refused("rnr_retry 8 is not in 0..7", Fixture.toRts().rnrRetry(8));
        refused("max_rd_atomic 9 is not in 0..8", Fixture.toRts().maxRdAtomic(9));
        qp.modify(Fixture.toRts().timeout(31).rnrRetry(7).retryCount(0).build());
    }

    @Test
    @Covers({"QP-51", "QP-55"})
    void sequenceNumbersAreCutTo24Bits() {
        qp.modify(Fixture.toInit().build());
        qp.modify(Fixture.toRtr(1).rqPsn(0x7100_0002).build());
        qp.modify(Fixture.toRts().sqPsn(0xFFFF_FFFF).build());

        assertThat(qp.query().rqPsn()).isEqualTo(2);
        assertThat(qp.query().sqPsn()).isEqualTo(0xFF_FFFF);
    }

    @Test
    @Covers("QP-40")
    void anAssumedStateMustBeTheActualOne() {
        Fixture.connect(qp, qp);
        QpAttributes assumesRts =
                QpAttributes.builder().currentState(QpState.RTS).minRnrTimer(3).build();
        qp.modify(assumesRts);
        assertThat(qp.query().minRnrTimer()).isEqualTo(3);

        fixture.device.qp(qp.qpn()).fail();

        assertRefused(Errno.EINVAL, "is in ERR, not in RTS as assumed", () -> qp.modify(assumesRts));
        assertRefused(
                Errno.EINVAL,
                "CUR_STATE may be given only in",
                () -> qp.modify(QpAttributes.builder()
                        .currentState(QpState.ERR)
                        .state(QpState.ERR)
                        .build()));
    }

    @Test
    @Covers("QP-60")
    void packetPacingIsNotSupported() {
        assertRefused(
                Errno.EOPNOTSUPP,
                "RATE_LIMIT",
                () -> qp.modify(Fixture.toInit().rateLimit(1000).build()));
    }

    @Test
    @Covers("QP-33")
    void resetStartsAllOver() {
        Fixture.connect(qp, qp);
        qp.modify(QpAttributes.builder().state(QpState.ERR).build());
        qp.modify(QpAttributes.builder().state(QpState.RESET).build());
        Fixture.connect(qp, qp);

        assertThat(qp.state()).isEqualTo(QpState.RTS);
    }
}
