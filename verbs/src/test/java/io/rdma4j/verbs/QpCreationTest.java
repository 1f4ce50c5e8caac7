// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.device.AtomicCapability;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpCreateFlag;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WorkCompletion;
import io.rdma4j.verbs.wr.WrOpcode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class QpCreationTest {
    private final Fixture fixture = new Fixture();
    private final CompletionQueue cq = fixture.context.createCq(4);

    private QpInitAttributes.Builder of(QpType type) {
        return QpInitAttributes.builder(cq).type(type);
    }

    private void refused(Errno errno, String message, QpInitAttributes.Builder asked) {
        assertRefused(errno, message, () -> fixture.pd.createQp(asked.build()));
    }

    @ParameterizedTest
    @EnumSource(names = {"RC", "UC", "UD", "XRC_INI", "DRIVER"})
    @Covers("RXE-60")
    void typesThatNeedNothingSpecialAreMade(QpType type) {
        QueuePair qp = fixture.pd.createQp(
                of(type).capabilities(new QpCapabilities(5, 5, 2, 2, 20)).build());

        QpInitAttributes made = qp.initAttributes();
        assertThat(made.type()).isEqualTo(type);
        assertThat(made.sendCq()).isSameAs(cq);
        assertThat(made.receiveCq()).isSameAs(type.hasReceiveQueue() ? cq : null);
        assertThat(made.capabilities().maxSendWr()).isGreaterThanOrEqualTo(5);
        assertThat(fixture.device.qp(qp.qpn()).qpn()).isEqualTo(qp.qpn());
        assertThat(qp.protectionDomain()).isSameAs(fixture.pd);
        assertThat(qp.state()).isEqualTo(QpState.RESET);
    }

    @ParameterizedTest
    @EnumSource(names = {"SMI", "GSI"})
    void specialQueuePairsBelongToAPort(QpType type) {
        refused(Errno.EINVAL, "port_num 0 is not in 1..2", of(type));
        refused(Errno.EINVAL, "port_num 3 is not in 1..2", of(type).port(3));
        assertThat(fixture.pd
                        .createQp(of(type).port(2).build())
                        .initAttributes()
                        .port())
                .isEqualTo(2);
    }

    @Test
    void aTypeThatTheDeviceHasNotIsNotSupported() {
        refused(Errno.EOPNOTSUPP, "RAW_PACKET", of(QpType.RAW_PACKET));
    }

    @Test
    void anEtherTypeIsForOneTypeOfQueuePairOnly() {
        refused(Errno.EINVAL, "ether_type 0 is not in 1536..65535", of(QpType.RAW_ETHERTYPE));
        refused(
                Errno.EINVAL,
                "ether_type 1535 is not in 1536..65535",
                of(QpType.RAW_ETHERTYPE).etherType(0x05FF));
        refused(Errno.EINVAL, "has no EtherType", of(QpType.RAW_PACKET).etherType(0x88B5));
        QueuePair qp =
                fixture.pd.createQp(of(QpType.RAW_ETHERTYPE).etherType(0x88B5).build());
        assertThat(qp.initAttributes().etherType()).isEqualTo(0x88B5);
    }

    @Test
    void createFlagsAreForCertainTypesAndForDevicesThatCan() {
        QpCreateFlag[] ofDatagrams = {QpCreateFlag.IPOIB_UD_LSO, QpCreateFlag.BLOCK_MULTICAST_LOOPBACK};
        for (QpCreateFlag flag : ofDatagrams) {
            refused(Errno.EINVAL, "takes no create flag " + flag, of(QpType.RC).createFlags(flag));
        }
        QueuePair qp =
                fixture.pd.createQp(of(QpType.UD).createFlags(ofDatagrams).build());
        assertThat(qp.initAttributes().createFlags()).containsExactlyInAnyOrder(ofDatagrams);
        assertThat(QpCreateFlag.mask(qp.initAttributes().createFlags())).isEqualTo(3);

        fixture.device.lose(DeviceCapability.UD_TSO);
        fixture.device.lose(DeviceCapability.BLOCK_MULTICAST_LOOPBACK);
        refused(Errno.EOPNOTSUPP, "UD_TSO", of(QpType.UD).createFlags(QpCreateFlag.IPOIB_UD_LSO));
        refused(
                Errno.EOPNOTSUPP,
                "BLOCK_MULTICAST_LOOPBACK",
                of(QpType.UD).createFlags(QpCreateFlag.BLOCK_MULTICAST_LOOPBACK));
    }

    @ParameterizedTest
    @EnumSource(names = {"RC", "XRC_INI"})
    void maskedAtomicsAreForReliableConnectionsAndForDevicesThatHaveThem(QpType type) {
        QpCreateFlag flag = QpCreateFlag.MASKED_ATOMICS;
        refused(Errno.EOPNOTSUPP, "no masked atomics", of(type).createFlags(flag));
        refused(Errno.EINVAL, "takes no create flag " + flag, of(QpType.UC).createFlags(flag));
        refused(Errno.EINVAL, "takes no create flag " + flag, of(QpType.UD).createFlags(flag));

        fixture.device.maskedAtomics(AtomicCapability.HCA);
        QueuePair qp = fixture.pd.createQp(of(type).createFlags(flag).build());
        assertThat(QpCreateFlag.mask(qp.initAttributes().createFlags())).isEqualTo(1 << 26);
    }

    @Test
    @Covers("QP-19")
    void aQueuePairMadeForCertainOperationsTakesNoOthers() {
        QpInitAttributes.Builder asked = of(QpType.RC).sendOperations(WrOpcode.SEND, WrOpcode.BIND_MW);
        QueuePair qp = fixture.pd.createQp(asked.build());
        assertThat(qp.initAttributes().sendOperations()).containsExactlyInAnyOrder(WrOpcode.SEND, WrOpcode.BIND_MW);
        Fixture.connect(qp, qp);
        assertRefused(
                Errno.EINVAL,
                "SEND_WITH_IMM was not among the operations that the queue pair was made for: [SEND, BIND_MW]",
                () -> qp.startSend().sendImm(1).complete());
        assertRefused(
                Errno.EINVAL,
                "SEND_WITH_IMM was not among",
                () -> qp.postSend(SendRequest.sendWithImmediate(1).build()));
        qp.postReceive(ReceiveRequest.of(1));
        qp.startSend().wrId(7).signaled().send().complete();
        assertThat(cq.poll(2)).extracting(WorkCompletion::wrId).contains(7L);
    }

    @Test
    @Covers("QP-19")
    void operationsThatTypeOrDeviceLackCannotBeAskedFor() {
        refused(Errno.EOPNOTSUPP, "no RDMA_READ on UD", of(QpType.UD).sendOperations(WrOpcode.RDMA_READ));
        refused(Errno.EOPNOTSUPP, "no FLUSH on RC", of(QpType.RC).sendOperations(WrOpcode.FLUSH));
        QueuePair all = fixture.pd.createQp(of(QpType.RC).build());
        assertThat(all.initAttributes().sendOperations()).isEmpty();
    }

    @Test
    void aRefusalLeavesNoUseBehind() {
        SharedReceiveQueue srq = fixture.pd.createSrq(SrqInitAttributes.basic(4, 1));
        refused(Errno.EOPNOTSUPP, "RAW_PACKET", of(QpType.RAW_PACKET).srq(srq));

        srq.close();
        cq.close();
        fixture.pd.close();
    }
}
