// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.address.InterfaceAddress;
import io.rdma4j.net.device.RegistrationState;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.Packets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A host whose devices are added and removed while its loop drives IP. */
class NamespaceIpTest {
    private static final Gid LOCALHOST = Gid.parse("127.0.0.1");

    private long nowNs;

    @Test
    void devicesOfTheNamespaceAreThoseOfTheStack() {
        NetHost host = NetHost.create(() -> nowNs);
        NetDevice lo = Objects.requireNonNull(host.initial().find("lo"));
        lo.ip().set(List.of(InterfaceAddress.parse("127.0.0.1/8")));
        NetLoop loop = new NetLoop(() -> nowNs, ProgressMode.MANUAL);
        loop.add(lo);
        SkBuffPool pool = new SkBuffPool(1, 256);
        try (NamespaceIp ip = new NamespaceIp(host.initial(), loop, IpSettings.DEFAULT)) {
            ip.start();
            lo.up();
            PingEndpoint ping = ip.stack().openPing();
            SkBuff skb = Packets.allocate(pool);
            skb.reserve(UdpPorts.HEADROOM);
            skb.put(8);
            assertThat(ping.send(skb, LOCALHOST, 1)).isNull();
            while (loop.progress(nowNs)) {}
            Objects.requireNonNull(ping.receive()).free();

            NetDevice late = new WireTap(host.initial(), "eth9", 9, 1500, "10.0.0.1/24").device;
            assertThat(ip.stack().interfaceOf(late))
                    .as("the loop has not looked yet")
                    .isNull();
            loop.progress(nowNs);
            assertThat(ip.stack().interfaceOf(late)).isNotNull();
            late.unregister();
            assertThat(late.registration().state()).isEqualTo(RegistrationState.UNREGISTERED);
            loop.progress(nowNs);
            assertThat(ip.stack().interfaceOf(late)).isNull();
            assertThat(late.registration().state()).isEqualTo(RegistrationState.RELEASED);
        }
        assertThat(pool.available()).isEqualTo(1);
        pool.close();
        assertThat(lo.references().count()).isZero();
    }
}
