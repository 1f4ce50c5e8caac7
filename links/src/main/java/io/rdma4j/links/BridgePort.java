// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.base.MacAddress;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceListener;
import io.rdma4j.net.device.NetDeviceEvent;
import io.rdma4j.net.receive.RxHandler;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Ethernet;

/** One port of a bridge ({@code struct net_bridge_port}): receives the frames of its device. */
final class BridgePort implements RxHandler, NetDeviceListener {
    /** Frames to 01:80:C2:00:00:0X concern the two ends of a link only (IEEE 802.1D, table 7-10). */
    private static final long LINK_LOCAL = 0x0180_C200_0000L;

    private final BridgeDevice bridge;
    private final NetDevice device;

    BridgePort(BridgeDevice bridge, NetDevice device) {
        this.bridge = bridge;
        this.device = device;
    }

    NetDevice device() {
        return device;
    }

    /** True if frames may leave by this port. */
    boolean isForwarding() {
        return device.isUp() && device.isCarrierOk();
    }

    @Override
    public boolean receive(SkBuff skb) {
        int mac = skb.macHeader();
        long destination = Ethernet.destination(skb.memory(), mac);
        long source = Ethernet.source(skb.memory(), mac);
        if (!MacAddress.isValid(source)) {
            bridge.netDevice().stats().countReceiveError();
            skb.free();
            return true;
        }
        if ((destination & ~0xFL) == LINK_LOCAL) {
            return false;
        }
        skb.push(skb.data() - mac);
        bridge.receive(skb, destination, source, this);
        return true;
    }

    /** Sends a frame, or drops and counts it if the device is busy or the frame is too long. */
    void send(SkBuff skb) {
        if (skb.len() > device.maxFrameBytes() || device.transmit(skb) == NetdevTx.BUSY) {
            device.stats().countTransmitDrop();
            skb.free();
        }
    }

    @Override
    public void onNetDeviceEvent(NetDevice changed, NetDeviceEvent event) {
        switch (event) {
            case UP, DOWN, CARRIER_CHANGE -> bridge.portChanged(this);
            case MTU_CHANGE, MAC_CHANGE -> bridge.adopt();
            case UNREGISTER -> changed.stack().enslave(null);
            default -> {
                // Other events do not affect a port.
            }
        }
    }
}
