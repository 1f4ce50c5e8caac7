// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.device.RegistrationState;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.ns.NetNamespace;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.ledger.Covers;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Devices that cannot change their namespace, and are unregistered with it. */
class NamespaceLocalTest {
    private final NetHost host = NetHost.create(() -> 0);
    private final NetNamespace inner = host.createNamespace();
    private final NetDevice loopback = Objects.requireNonNull(inner.find("lo"));

    @AfterEach
    void close() {
        host.unregister(host.devices());
    }

    private void stays(NetDevice device) {
        assertThat(device.features().has(NetDeviceFeature.NETNS_LOCAL)).isTrue();
        assertThatThrownBy(() -> device.features().set(NetDeviceFeature.NETNS_LOCAL, false))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP));
        assertThatThrownBy(() -> host.initial().move(device, null))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        assertThat(NetNamespace.of(device)).isEqualTo(inner);
    }

    @Test
    @Covers("NDEV-99")
    void loopbackAndVxlanStayWhileOthersMoveAndMoveBack() {
        VxlanDevice driver = VxlanDevice.create(
                "vxlan0", 1450, 0, 5, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), List.of(), () -> 0);
        NetDevice vxlan = inner.register(driver.netDevice());
        VethDevice.Pair pair = VethDevice.unregistered(
                VethDevice.end("veth0", 0, 1500, 0, List.of()), VethDevice.end("veth1", 0, 1500, 0, List.of()), 4);
        NetDevice veth = inner.register(pair.first());
        host.initial().register(pair.second());
        stays(loopback);
        stays(vxlan);
        inner.close();
        assertThat(loopback.registration().state()).isEqualTo(RegistrationState.RELEASED);
        assertThat(vxlan.registration().state()).isEqualTo(RegistrationState.RELEASED);
        assertThat(NetNamespace.of(veth)).isEqualTo(host.initial());
    }

    @Test
    @Covers("NDEV-196")
    void loopbackIsTheFirstDeviceOfANamespaceCountsForItselfAndGivesBackWhatItHolds() {
        NetDevice outer = Objects.requireNonNull(host.initial().find("lo"));
        assertThat(loopback.ifindex()).isEqualTo(1);
        assertThat(outer.ifindex()).isEqualTo(1);
        stays(loopback);
        loopback.up();
        outer.up();
        try (SkBuffPool pool = new SkBuffPool(2, 256)) {
            SkBuff skb = Objects.requireNonNull(pool.allocate());
            skb.reserve(64);
            skb.put(40);
            assertThat(loopback.transmit(skb)).isEqualTo(NetdevTx.OK);
            assertThat(loopback.stats().txPackets()).isEqualTo(1);
            assertThat(outer.stats().txPackets()).isZero();
            inner.close();
            assertThat(loopback.registration().state()).isEqualTo(RegistrationState.RELEASED);
            assertThat(pool.available()).as("what was under way").isEqualTo(2);
        }
    }
}
