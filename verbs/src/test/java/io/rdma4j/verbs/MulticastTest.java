// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MulticastTest {
    private static final Gid GROUP = Gid.ofIpv4(0xE000_0001);
    private static final Gid GROUP_6 = Gid.parse("ff0e::1");

    private final Fixture fixture = new Fixture();
    private final CompletionQueue cq = fixture.context.createCq(16);
    private final QueuePair qp = datagram();

    private QueuePair datagram() {
        return fixture.pd.createQp(QpInitAttributes.builder(cq).type(QpType.UD).build());
    }

    private Set<Gid> groups(QueuePair of) {
        return fixture.device.qp(of.qpn()).groups();
    }

    @Test
    void aQueuePairAttachesOnceAndDetaches() {
        qp.attachMulticast(GROUP, 0);
        qp.attachMulticast(GROUP, 0);
        qp.attachMulticast(GROUP_6, 0);
        assertThat(groups(qp)).containsExactlyInAnyOrder(GROUP, GROUP_6);

        qp.detachMulticast(GROUP, 0);

        assertThat(groups(qp)).containsExactly(GROUP_6);
        assertRefused(Errno.EINVAL, "not attached", () -> qp.detachMulticast(GROUP, 0));
    }

    @Test
    void onlyDatagramsAndMulticastAddressesAreTaken() {
        QueuePair connected = fixture.qp(cq);

        assertRefused(Errno.EINVAL, "multicast is for UD", () -> connected.attachMulticast(GROUP, 0));
        assertRefused(Errno.EINVAL, "multicast is for UD", () -> connected.detachMulticast(GROUP, 0));
        assertRefused(Errno.EINVAL, "no multicast GID", () -> qp.attachMulticast(Gid.ofIpv4(0x0A00_0001), 0));
        assertRefused(Errno.EINVAL, "no multicast GID", () -> qp.attachMulticast(Gid.parse("fe80::1"), 0));
        qp.close();
        assertRefused(Errno.EINVAL, "is closed", () -> qp.attachMulticast(GROUP, 0));
    }

    @Test
    void onInfinibandAGroupHasALidOfItsOwn() {
        qp.modify(QpAttributes.builder()
                .state(QpState.INIT)
                .pkeyIndex(0)
                .port(2)
                .qkey(1)
                .build());

        assertRefused(Errno.EINVAL, "0xbfff is no multicast LID", () -> qp.attachMulticast(GROUP_6, 0xBFFF));
        assertRefused(Errno.EINVAL, "0xffff is no multicast LID", () -> qp.attachMulticast(GROUP_6, 0xFFFF));
        qp.attachMulticast(GROUP_6, 0xC000);
    }

    @Test
    @Covers("DEV-24")
    void theDevicesLimitsHold() {
        QueuePair second = datagram();
        QueuePair third = datagram();
        qp.attachMulticast(GROUP, 0);
        second.attachMulticast(GROUP, 0);
        assertRefused(Errno.ENOMEM, "max_mcast_qp_attach is 2", () -> third.attachMulticast(GROUP, 0));
        qp.attachMulticast(GROUP_6, 0);
        assertRefused(Errno.ENOMEM, "max_mcast_grp is 2", () -> qp.attachMulticast(Gid.parse("ff0e::2"), 0));
        assertRefused(Errno.ENOMEM, "max_total_mcast_qp_attach is 3", () -> third.attachMulticast(GROUP_6, 0));

        second.detachMulticast(GROUP, 0);
        third.attachMulticast(GROUP_6, 0);

        fixture.device.limit(DeviceLimit.MAX_MCAST_GRP, 0);
        assertRefused(Errno.EOPNOTSUPP, "max_mcast_grp is 0", () -> second.attachMulticast(GROUP, 0));
    }

    @Test
    @Covers("MCAST-9")
    void aQueuePairThatGoesAwayLeavesItsGroups() {
        qp.attachMulticast(GROUP, 0);
        qp.attachMulticast(GROUP_6, 0);
        Set<Gid> left = groups(qp);
        qp.close();
        assertThat(left).isEmpty();

        QueuePair next = datagram();
        next.attachMulticast(Gid.parse("ff0e::3"), 0);
        next.attachMulticast(Gid.parse("ff0e::4"), 0);
        assertThat(groups(next)).hasSize(2);
    }
}
