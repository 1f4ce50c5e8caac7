package io.rdma4j.net.filter;

import io.rdma4j.net.skb.FlowKeys;
import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.packet.PacketDevice;
import io.rdma4j.packet.SkBuff;
import org.jspecify.annotations.Nullable;

/**
 * What matches look at ({@code struct xt_action_param}): a packet, and where it is on its way. One object is filled anew for each
 * packet; its headers are read when the first match asks.
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

    /** {@return the packet; to be read only} */
    public SkBuff skb() {
        if (skb == null) {
            throw new IllegalStateException("no packet is being matched");
        }
        return skb;
    }

    /** {@return where it is} */
    public HookPoint point() {
        return point;
    }

    /** {@return where it came in, null if it was made here} */
    public @Nullable PacketDevice in() {
        return in;
    }

    /** {@return where it leaves, null if that is not known} */
    public @Nullable PacketDevice out() {
        return out;
    }

    /** {@return its addresses and ports; null if it is no IP packet} */
    public @Nullable FlowKeys keys() {
        if (!dissected) {
            isIp = keys.dissect(skb());
            dissected = true;
        }
        return isIp ? keys : null;
    }
}
