// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ipoib;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.ip.UdpEndpoint;
import io.rdma4j.ip.UdpPorts;
import io.rdma4j.packet.ChecksumState;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.testing.ledger.Covers;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** IP between hosts of a subnet, in virtual time. */
class IpoibDeviceTest {
    private final IpoibSubnet subnet = new IpoibSubnet(3);
    private final IpoibSubnet.Station a = subnet.start(0);
    private final IpoibSubnet.Station b = subnet.start(1);

    @AfterEach
    void close() {
        subnet.close();
    }

    private void awaitCarrier() {
        subnet.runUntil(() -> subnet.stations.stream().allMatch(IpoibSubnet.Station::isReady));
    }

    private String linkOf(IpoibSubnet.Station from, String peer) {
        return from.loop.exclusively(() -> {
            var neighbour = Objects.requireNonNull(
                    Objects.requireNonNull(from.ip.stack().interfaceOf(from.device))
                            .neighbours()
                            .find(Gid.parse(peer)));
            return from.device.link().format().toString(neighbour.mac());
        });
    }

    @Test
    @Covers({"GEN-4", "AH-17"})
    void hostsAnswerOverBothVersionsOfIp() {
        awaitCarrier();
        assertThat(a.device.name()).isEqualTo("ib0");
        assertThat(a.device.mtu()).isEqualTo(2044);
        assertThat(a.device.isCarrierOk()).isTrue();

        assertThat(a.ping(IpoibSubnet.v4(1), 56)).isEqualTo(56);
        assertThat(b.ping(IpoibSubnet.v4(0), 2016)).isEqualTo(2016);
        assertThat(a.ping(IpoibSubnet.v6(1), 56)).isEqualTo(56);
        assertThat(linkOf(a, IpoibSubnet.v4(1)))
                .isEqualTo(b.device.link().format().toString(b.device.macAddress()))
                .isEqualTo(linkOf(a, IpoibSubnet.v6(1)))
                .matches("00:(..:){3}fe:80:00:00:00:00:00:00:00:00:00:00:00:00:10:11");
    }

    /** The device computes the checksums of what it sends, and has verified those of what arrives. */
    @Test
    @Covers({"DEV-49", "WR-28"})
    void checksumsOfUdpAreLeftToTheQueuePair() {
        awaitCarrier();
        UdpEndpoint to = b.loop.exclusively(() -> b.ip.stack().ports().bind(4001));
        UdpEndpoint from = a.loop.exclusively(() -> a.ip.stack().ports().bind(4000));
        SkBuff datagram = Objects.requireNonNull(a.pool.allocate());
        datagram.reserve(UdpPorts.HEADROOM);
        datagram.put(1000);
        assertThat(a.loop.exclusively(() -> from.sendTo(datagram, Gid.parse(IpoibSubnet.v4(1)), 4001)))
                .isNull();
        subnet.run(1_000_000_000);
        SkBuff arrived = Objects.requireNonNull(b.loop.exclusively(to::receive));
        assertThat(arrived.len()).isEqualTo(1000);
        assertThat(arrived.meta().ipSummed()).isEqualTo(ChecksumState.UNNECESSARY);
        arrived.free();
        a.loop.exclusively(from::close);
        b.loop.exclusively(to::close);
    }

    @Test
    void aPacketThatIsTooLongIsFragmented() {
        awaitCarrier();
        assertThat(a.ping(IpoibSubnet.v4(1), 4000)).isEqualTo(4000);
    }

    /** The neighbour is unreachable until the probes of its old queue pair have failed. */
    @Test
    void aPeerComesBackWithAnotherQueuePair() {
        awaitCarrier();
        assertThat(a.ping(IpoibSubnet.v4(1), 56)).isEqualTo(56);
        String before = linkOf(a, IpoibSubnet.v4(1));
        b.close();
        Runnable end = subnet.occupyQueuePair(1);
        IpoibSubnet.Station again = subnet.start(1);
        awaitCarrier();
        for (int seconds = 0; seconds < 90; seconds++) {
            subnet.run(1_000_000_000);
            if (a.ping(IpoibSubnet.v4(1), 56) == 56) {
                break;
            }
        }
        assertThat(linkOf(a, IpoibSubnet.v4(1)))
                .isNotEqualTo(before)
                .isEqualTo(again.device.link().format().toString(again.device.macAddress()));
        again.close();
        end.run();
    }

    @Test
    void aGroupThatCannotBeJoinedIsTriedAgain() {
        subnet.closeManager();
        IpoibSubnet.Station c = subnet.start(2);
        subnet.run(30_000_000_000L);
        assertThat(c.device.isCarrierOk()).isFalse();
        assertThat(c.device.ethtool().statistics().get("joins_failed")).isPositive();
        subnet.openManager();
        subnet.run(40_000_000_000L);
        assertThat(c.device.isCarrierOk()).isTrue();
        assertThat(c.ping(IpoibSubnet.v4(1), 56)).isEqualTo(56);
    }

    @Test
    void thereIsNoAnswerFromAnAddressWithoutStation() {
        awaitCarrier();
        assertThat(a.ping("10.0.0.77", 56)).isEqualTo(-1);
    }

    @Test
    void aDeviceThatIsDownHasLeftItsGroups() {
        awaitCarrier();
        b.device.down();
        assertThat(b.device.isCarrierOk()).isFalse();
        assertThat(a.ping(IpoibSubnet.v4(1), 56)).isEqualTo(-1);
        b.device.up();
        awaitCarrier();
        assertThat(b.ping(IpoibSubnet.v4(0), 56)).isEqualTo(56);
    }
}
