// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.net.address.LinkAddresses;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.packet.PacketType;
import io.rdma4j.testing.ledger.Covers;
import java.util.List;
import org.junit.jupiter.api.Test;

class LinkAddressesTest {
    private static final long OWN = 0x0200_0000_0001L;

    @Test
    @Covers("NDEV-177")
    void anAddressThatDiffersInOneBitIsAnother() {
        NetDevice device = NetHost.standalone(new NetDevice(
                new NetDeviceSetup(LinkType.ETHERNET, "eth0", 0, 1500, OWN, List.of(), FeatureSet.NONE),
                new RecordingDriver()));
        LinkAddresses addresses = device.link();
        assertThat(addresses.typeOf(OWN)).isEqualTo(PacketType.HOST);
        for (int bit = 0; bit < 40; bit++) {
            assertThat(addresses.typeOf(OWN ^ 1L << bit)).as("bit " + bit).isEqualTo(PacketType.OTHERHOST);
        }
        assertThat(addresses.typeOf(OWN ^ 1L << 47)).isEqualTo(PacketType.OTHERHOST);
        assertThat(addresses.typeOf(OWN ^ 1L << 40)).isEqualTo(PacketType.MULTICAST);
        device.unregister();
    }
}
