// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.filter;

import io.rdma4j.net.skb.FlowKeys;
import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.packet.PacketDevice;
import io.rdma4j.packet.SkBuff;
import org.jspecify.annotations.Nullable;

/**
 * Input of a match ({@code struct xt_action_param}): a packet, its devices, and the hook point. One object serves all
 * packets; the headers are parsed when the first match needs them.
 */
public final class FilterPacket {
    private final FlowKeys keys = new FlowKeys();
    private @Nullable SkBuff skb;
    private @Nullable PacketDevice in;
    private @Nullable PacketDevice out;
    private HookPoint point = HookPoint.INGRESS;
    private boolean dissected;
    private boolean isIp;

    FilterPacket() {}

    void set(HookPoint where, SkBuff packet, @Nullable PacketDevice from, @Nullable PacketDevice to) {
        point = where;
        skb = packet;
        in = from;
        out = to;
        dissected = false;
    }

    /** {@return the packet; a match must not change it} */
    public SkBuff skb() {
        if (skb == null) {
            throw new IllegalStateException("no packet is being matched");
        }
        return skb;
    }

    /** {@return the hook point that the packet passes} */
    public HookPoint point() {
        return point;
    }

    /** {@return the device on which the packet arrived, null if this host made the packet} */
    public @Nullable PacketDevice in() {
        return in;
    }

    /** {@return the device through which the packet leaves, null if that is not known} */
    public @Nullable PacketDevice out() {
        return out;
    }

    /** {@return the addresses and ports of the packet; null if it is no IP packet} */
    public @Nullable FlowKeys keys() {
        if (!dissected) {
            isIp = keys.dissect(skb());
            dissected = true;
        }
        return isIp ? keys : null;
    }
}
