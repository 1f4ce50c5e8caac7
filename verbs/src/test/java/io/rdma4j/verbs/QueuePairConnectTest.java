// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import java.time.Duration;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class QueuePairConnectTest {
    private static final QpAddress PEER = new QpAddress(Gid.ofIpv4(0x0A00_0002), 0xABCDE, 0x123456);

    private final Fixture fixture = new Fixture();
    private final CompletionQueue cq = fixture.context.createCq(16);
    private final QueuePair qp = fixture.qp(cq);

    private static QpAttributes changes(QpAttributes.Builder changes) {
        return changes.build();
    }

    private QueuePair ofType(QpType type) {
        QpInitAttributes.Builder attributes = type == QpType.XRC_TGT
                ? QpInitAttributes.xrcTarget(fixture.context.openXrcDomain())
                : QpInitAttributes.builder(cq).type(type);
        return fixture.pd.createQp(attributes.build());
    }

    private void assertRefusedInReset(String message, QpAddress own, QpAttributes changes) {
        assertRefused(Errno.EINVAL, message, () -> qp.connect(own, PEER, changes));
        assertThat(qp.state()).isEqualTo(QpState.RESET);
    }

    @Test
    void twoQueuePairsTalkOnceTheyHaveEachOthersAddresses() {
        QueuePair other = fixture.qp(cq);
        QpAddress here = QpAddress.of(qp);
        QpAddress there = QpAddress.of(other);
        qp.connect(here, there);
        other.connect(there, here);
        MemoryRegion memory = fixture.memory(64);
        memory.segment().setString(0, "hello");
        other.postReceive(ReceiveRequest.of(1, memory.sge(32, 32)));
        qp.postSend(SendRequest.send().sge(memory.sge(0, 6)).build());

        assertThat(cq.poll(2, Duration.ofSeconds(10)))
                .singleElement()
                .satisfies(completion -> assertThat(completion.wrId()).isEqualTo(1));
        assertThat(memory.segment().getString(32)).isEqualTo("hello");
    }

    @Test
    void whatThePeerSaidAndWhatIsUsualIsSet() {
        QpAddress own = QpAddress.of(qp, 1, 1);
        qp.connect(own, PEER);

        QpAttributes now = qp.query();
        assertThat(now.state()).isEqualTo(QpState.RTS);
        assertThat(now.destinationQpn()).isEqualTo(0xABCDE);
        assertThat(now.rqPsn()).isEqualTo(0x123456);
        assertThat(now.sqPsn()).isEqualTo(own.psn());
        assertThat(now.addressVector()).isEqualTo(AddressVector.roce(1, PEER.gid(), 1));
        assertThat(now.port()).isEqualTo(1);
        assertThat(now.pkeyIndex()).isZero();
        assertThat(now.accessFlags())
                .containsExactlyInAnyOrder(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC);
        assertThat(now.pathMtu()).isEqualTo(Mtu.MTU_1024);
        assertThat(now.maxRdAtomic()).isEqualTo(4);
        assertThat(now.maxDestRdAtomic()).isEqualTo(4);
        assertThat(now.timeout()).isEqualTo(16);
        assertThat(now.retryCount()).isEqualTo(7);
        assertThat(now.rnrRetry()).isEqualTo(7);
        assertThat(now.minRnrTimer()).isEqualTo(12);
    }

    @Test
    void changesTakeThePlaceOfWhatIsUsual() {
        qp.connect(
                QpAddress.of(qp),
                PEER,
                changes(QpAttributes.builder()
                        .accessFlags(Set.of())
                        .pathMtu(Mtu.MTU_512)
                        .maxDestRdAtomic(2)
                        .timeout(18)
                        .sqPsn(7)));

        QpAttributes now = qp.query();
        assertThat(now.state()).isEqualTo(QpState.RTS);
        assertThat(now.accessFlags()).isEmpty();
        assertThat(now.pathMtu()).isEqualTo(Mtu.MTU_512);
        assertThat(now.maxDestRdAtomic()).isEqualTo(2);
        assertThat(now.timeout()).isEqualTo(18);
        assertThat(now.sqPsn()).isEqualTo(7);
        assertThat(now.retryCount()).isEqualTo(7);
    }

    @Test
    void whoHasPostedReceivesInInitIsConnectedFromThereAndKeepsWhatWasSet() {
        qp.modify(Fixture.toInit().accessFlags(Set.of(AccessFlag.REMOTE_READ)).build());
        qp.postReceive(ReceiveRequest.of(1));
        qp.connect(QpAddress.of(qp), PEER);

        assertThat(qp.state()).isEqualTo(QpState.RTS);
        assertThat(qp.query().accessFlags()).containsExactly(AccessFlag.REMOTE_READ);
    }

    @ParameterizedTest
    @EnumSource(names = {"RC", "UC", "XRC_INI", "XRC_TGT"})
    void everyTypeWithAPeerCanBeConnected(QpType type) {
        QueuePair one = ofType(type);
        one.connect(QpAddress.of(one), PEER);

        assertThat(one.state()).isEqualTo(QpState.RTS);
        assertThat(one.query().destinationQpn()).isEqualTo(PEER.qpn());
    }

    @Test
    void aTypeWithoutAPeerCannot() {
        QueuePair datagrams = ofType(QpType.UD);
        assertRefused(
                Errno.EINVAL,
                "is of type UD, which has no peer",
                () -> datagrams.connect(QpAddress.of(datagrams), PEER));
    }

    @Test
    void addressesThatWereTakenForEachOtherAreFound() {
        assertRefusedInReset("is not the address of queue pair", PEER, changes(QpAttributes.builder()));
        QpAddress elsewhere = new QpAddress(PEER.gid(), qp.qpn(), 0);
        assertRefusedInReset("10.0.0.2 is no GID of", elsewhere, changes(QpAttributes.builder()));
    }

    @Test
    void whatNoStepAdmitsIsRefusedBeforeTheFirst() {
        QpAddress own = QpAddress.of(qp);
        assertRefusedInReset(
                "[QKEY] cannot be set", own, changes(QpAttributes.builder().qkey(1)));
        assertRefusedInReset(
                "[STATE] cannot be set", own, changes(QpAttributes.builder().state(QpState.RTS)));
        QueuePair unreliable = ofType(QpType.UC);
        assertRefused(
                Errno.EINVAL,
                "[TIMEOUT] cannot be set",
                () -> unreliable.connect(
                        QpAddress.of(unreliable),
                        PEER,
                        changes(QpAttributes.builder().timeout(9))));
        assertThat(unreliable.state()).isEqualTo(QpState.RESET);
    }

    @Test
    void aStepThatIsRefusedLeavesItWhereThoseBeforeHaveTakenIt() {
        assertRefused(
                Errno.EINVAL,
                "max_rd_atomic 9 is not in 0..8",
                () -> qp.connect(
                        QpAddress.of(qp), PEER, changes(QpAttributes.builder().maxRdAtomic(9))));
        assertThat(qp.state()).isEqualTo(QpState.RTR);
    }

    @Test
    void whoIsConnectedAlreadyOrClosedIsRefused() {
        QpAddress own = QpAddress.of(qp);
        qp.connect(own, PEER);
        assertRefused(Errno.EINVAL, "is in RTS: it can be connected from RESET and INIT", () -> qp.connect(own, PEER));
        qp.close();
        assertRefused(Errno.EINVAL, "is closed", () -> qp.connect(own, PEER));
    }

    @Test
    void anAddressIsTheSameAfterItsJourney() {
        assertThat(QpAddress.ofBytes(PEER.toBytes())).isEqualTo(PEER);
        assertThat(PEER.toBytes())
                .hasSize(QpAddress.BYTES)
                .containsExactly(
                        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, 2, 0, 0x0A, 0xBC, 0xDE, 0, 0x12, 0x34,
                        0x56);
    }

    @Test
    void whatCannotBeAnAddressIsRefused() {
        assertRefused(Errno.EINVAL, "has 24 bytes, not 23", () -> QpAddress.ofBytes(new byte[23]));
        assertRefused(Errno.EINVAL, "qpn 16777216", () -> new QpAddress(PEER.gid(), 1 << 24, 0));
        assertRefused(Errno.EINVAL, "psn -1", () -> new QpAddress(PEER.gid(), 0, -1));
        assertRefused(Errno.ENODATA, "slot 2 of the GID table of port 1 is empty", () -> QpAddress.of(qp, 1, 2));
        assertRefused(Errno.EINVAL, "port 3", () -> QpAddress.of(qp, 3, 0));
    }

    @Test
    void firstSequenceNumbersAreDrawnByLot() {
        long different = IntStream.range(0, 100)
                .map(_ -> QpAddress.of(qp).psn())
                .distinct()
                .count();
        assertThat(different).isGreaterThan(90);
    }
}
