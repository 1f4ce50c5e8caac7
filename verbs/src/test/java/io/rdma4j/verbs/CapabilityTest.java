// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Capabilities for queue pairs that need more than one port, or a device without capabilities that the loop device has.
 */
class CapabilityTest {
    private final Fixture fixture = new Fixture();
    private final CompletionQueue cq = fixture.context.createCq(16);

    @Test
    @Covers("DEV-38")
    void theAssumedStateNeedsACapability() {
        QueuePair qp = fixture.qp(cq);
        Fixture.connect(qp, qp);
        QpAttributes assuming =
                QpAttributes.builder().currentState(QpState.RTS).minRnrTimer(3).build();
        qp.modify(assuming);
        fixture.device.lose(DeviceCapability.CURR_QP_STATE_MOD);
        assertRefused(Errno.EOPNOTSUPP, "CURR_QP_STATE_MOD", () -> qp.modify(assuming));
    }

    @Test
    void aDrainedConnectionChangesItsPortIfTheDeviceCan() {
        QueuePair qp = fixture.qp(cq);
        Fixture.connect(qp, qp);
        qp.modify(QpAttributes.builder().state(QpState.SQD).build());
        QpAttributes other = QpAttributes.builder().port(2).build();

        assertRefused(Errno.EOPNOTSUPP, "CHANGE_PHY_PORT", () -> qp.modify(other));
        qp.modify(QpAttributes.builder().port(1).build());
        assertThat(qp.query().port()).isEqualTo(1);

        fixture.device.gain(DeviceCapability.CHANGE_PHY_PORT);
        qp.modify(other);
        assertThat(qp.query().port()).isEqualTo(2);
    }

    @Test
    void aDatagramLeavesByThePortOfItsQueuePairIfTheDeviceEnforcesThat() {
        QueuePair qp = datagram(1);
        SendRequest.Builder send = SendRequest.send()
                .destination(fixture.pd.createAddressHandle(AddressVector.local(2, 7, 0)), qp.qpn(), 1);
        qp.postSend(send.build());

        fixture.device.gain(DeviceCapability.UD_AV_PORT_ENFORCE);
        SendRequest throughOther = SendRequest.send()
                .destination(fixture.pd.createAddressHandle(AddressVector.local(2, 7, 0)), qp.qpn(), 1)
                .build();
        assertRefused(
                Errno.EINVAL, "leads out of port 2, queue pair 0x000011 is at port 1", () -> qp.postSend(throughOther));
        qp.postSend(SendRequest.send()
                .destination(fixture.pd.createAddressHandle(fixture.path()), qp.qpn(), 1)
                .build());
        datagram(2).postSend(throughOther);
    }

    private QueuePair datagram(int port) {
        QueuePair qp = fixture.pd.createQp(QpInitAttributes.builder(cq)
                .type(QpType.UD)
                .capabilities(QpCapabilities.of(8, 8))
                .build());
        qp.modify(QpAttributes.builder()
                .state(QpState.INIT)
                .pkeyIndex(0)
                .port(port)
                .qkey(1)
                .build());
        qp.modify(QpAttributes.builder().state(QpState.RTR).build());
        qp.modify(QpAttributes.builder().state(QpState.RTS).sqPsn(1).build());
        return qp;
    }

    @ParameterizedTest
    @EnumSource(
            value = QpType.class,
            names = {"RAW_IPV6", "RAW_ETHERTYPE"})
    @Covers("DEV-34")
    void rawPacketsHaveMulticastIfTheDeviceHasIt(QpType type) {
        Gid group = Gid.parse("ff0e::1");
        QueuePair raw = fixture.pd.createQp(QpInitAttributes.builder(cq)
                .type(type)
                .etherType(type == QpType.RAW_ETHERTYPE ? 0x88B5 : 0)
                .build());
        assertRefused(Errno.EOPNOTSUPP, "RAW_MULTI", () -> raw.attachMulticast(group, 0));
        fixture.device.gain(DeviceCapability.RAW_MULTI);
        raw.attachMulticast(group, 0);
        assertThat(fixture.device.qp(raw.qpn()).groups()).containsExactly(group);
        raw.detachMulticast(group, 0);
        assertThat(fixture.device.qp(raw.qpn()).groups()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = DeviceCapability.class,
            names = {"FLUSH_GLOBAL", "FLUSH_PERSISTENT"})
    void theRightToFlushNeedsACapability(DeviceCapability capability) {
        Set<AccessFlag> access = Set.of(AccessFlag.valueOf(capability.name()));
        assertRefused(Errno.EOPNOTSUPP, capability.name(), () -> fixture.pd.registerMemory(fixture.pages(1), access));
        fixture.device.gain(capability);
        fixture.pd.registerMemory(fixture.pages(1), access);
    }
}
