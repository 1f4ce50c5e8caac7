// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.receive.PacketTap;
import io.rdma4j.net.sched.PfifoFast;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.net.skb.PacketFilter;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests whether a tap, filter, handler or qdisc would see, hold or change a packet in a device. */
class PassedUnseenTest {
    private final NetDevice device = NetHost.standalone(new NetDevice(
            new NetDeviceSetup("eth1", 1, 200, 0, List.of(), FeatureSet.of(NetDeviceFeature.HIGHDMA)),
            new RecordingDriver()));

    @AfterEach
    void close() {
        device.unregister();
    }

    private void unseen(boolean expected) {
        assertThat(device.isPassedUnseen()).isEqualTo(expected);
    }

    @Test
    void aDeviceThatIsDownPassesNothing() {
        unseen(false);
        device.up();
        unseen(true);
        device.down();
        unseen(false);
    }

    @Test
    void aTapSees() {
        device.up();
        PacketTap tap = skb -> {};
        device.protocols().addTap(EtherType.ALL, tap);
        unseen(false);
        device.protocols().removeTap(tap);
        unseen(true);
    }

    @Test
    void aFilterSees() {
        device.up();
        PacketFilter filter = (_, _, _, _) -> true;
        for (HookPoint point : new HookPoint[] {HookPoint.INGRESS, HookPoint.EGRESS}) {
            device.hooks().register(point, 0, filter);
            unseen(false);
            device.hooks().unregister(point, filter);
            unseen(true);
        }
    }

    @Test
    void aQueueingDisciplineHoldsBack() {
        device.up();
        device.transmitQueues().queue(0).qdisc(new PfifoFast(10));
        unseen(false);
        device.transmitQueues().queue(0).qdisc(null);
        unseen(true);
    }

    @Test
    void whoTakesThePacketsOfADeviceDivertsThem() {
        device.up();
        device.rxHandler().register(_ -> false);
        unseen(false);
        device.rxHandler().unregister();
        unseen(true);
    }

    @Test
    void anIngressQueueSees() {
        device.up();
        device.receiveQueues().createIngress();
        unseen(false);
    }
}
