// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.neighbour;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.net.DeviceControl;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.testing.ledger.Covers;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NeighbourAttachmentTest {
    private static final Gid PEER = Gid.parse("10.0.0.2");
    private static final Gid GATEWAY = Gid.parse("10.0.0.9");

    /** A link with a channel to each station except the gateway. */
    private static final class Channels implements NetDeviceOps, DeviceControl {
        private int opened;

        @Override
        public NetdevTx startXmit(SkBuff skb, NetDevice device) {
            skb.free();
            return NetdevTx.OK;
        }

        @Override
        public @Nullable SkBuff pollReceive(NetDevice device) {
            return null;
        }

        @Override
        public @Nullable Object neighbourAttachment(NetDevice device, Gid address) {
            return address.equals(GATEWAY) ? null : device.name() + " channel " + ++opened;
        }
    }

    @Test
    @Covers("NDEV-161")
    void aDriverMayAttachSomethingToEachNeighbour() {
        Channels driver = new Channels();
        NetDevice device = NetHost.standalone(
                new NetDevice(new NetDeviceSetup(LinkType.ETHERNET, "atm0", 1, 1500, 0, List.of(), Set.of()), driver));
        NeighbourTable table =
                new NeighbourTable(device, NeighbourSettings.DEFAULT, () -> 0, _ -> {}, new StackChanges());
        Neighbour peer = Objects.requireNonNull(table.findOrCreate(PEER));
        assertThat(peer.attachment()).isEqualTo("atm0 channel 1");
        assertThat(table.findOrCreate(PEER)).isSameAs(peer);
        assertThat(driver.opened).as("once for an entry").isEqualTo(1);
        assertThat(Objects.requireNonNull(table.findOrCreate(GATEWAY)).attachment())
                .isNull();
        device.unregister();
    }
}
