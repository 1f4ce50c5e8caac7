// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.device.DeviceFlag;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An Ethernet device without a link ({@code drivers/net/dummy.c}): counts the packets to send, and drops them. Used for
 * an address that does not depend on the state of any link, and for tests.
 */
public final class DummyDevice implements NetDeviceOps {
    private DummyDevice() {}

    /**
     * Creates a device that the caller registers.
     *
     * @param name or pattern, as {@code dummy%d}
     * @param mtu largest IP packet, bytes
     * @return the device, down
     */
    public static NetDevice create(String name, int mtu) {
        NetDeviceSetup setup = new NetDeviceSetup(
                        LinkType.ETHERNET,
                        name,
                        0,
                        mtu,
                        0,
                        List.of(),
                        Set.of(
                                NetDeviceFeature.SG,
                                NetDeviceFeature.FRAGLIST,
                                NetDeviceFeature.HW_CSUM,
                                NetDeviceFeature.HIGHDMA))
                .withFlags(DeviceFlag.BROADCAST, DeviceFlag.NOARP)
                .withPrivateFlags(PrivateFlag.LIVE_ADDR_CHANGE);
        return new NetDevice(setup, new DummyDevice());
    }

    @Override
    public NetdevTx startXmit(SkBuff skb, NetDevice device) {
        device.stats().countTransmitted(1, skb.len());
        skb.free();
        return NetdevTx.OK;
    }

    @Override
    public @Nullable SkBuff pollReceive(NetDevice device) {
        return null;
    }
}
