package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.net.skb.UdpTrain;
import io.rdma4j.packet.PacketType;
import io.rdma4j.packet.SkBuff;
import org.jspecify.annotations.Nullable;

/**
 * Who gets a received packet ({@code __netif_receive_skb_core}): the taps see it, then the filters of the device; the device of its VLAN has it, if it has a tag; else the
 * handler of the device, unless that one lets it pass; else the handler of its protocol.
 */
final class DeviceInput {
    private final NetDevice device;
    private volatile @Nullable RxHandler handler;
    private volatile @Nullable Object handlerData;

    DeviceInput(NetDevice device) {
        this.device = device;
    }

    /** The handler of the device, null if there is none. */
    @Nullable
    RxHandler handler() {
        return handler;
    }

    /** What was registered with the handler. */
    @Nullable
    Object handlerData() {
        return handlerData;
    }

    synchronized void register(RxHandler next, @Nullable Object data) {
        if (handler != null) {
            throw new RdmaException(Errno.EBUSY, device.name() + " has a receive handler; unregister that one first");
        }
        if (data != null) {
            handlerData = data;
        }
        handler = next;
    }

    synchronized void unregister() {
        handler = null;
        handlerData = null;
    }

    /** A packet from the link that begins with its link header; it is freed in any case. */
    void receive(SkBuff skb) {
        if (parse(skb)) {
            pass(skb);
        }
    }

    /** Takes the link header off; false for a packet that has none, or is for somebody else: it is freed. */
    boolean parse(SkBuff skb) {
        device.timestamps().check(skb);
        skb.device(device);
        skb.iif(device.ifindex());
        if (!LinkInput.parse(skb, device)) {
            device.stats().countReceiveError();
        } else if (!LinkInput.accepts(skb, device)) {
            device.stats().countOtherHost();
        } else {
            return true;
        }
        skb.free();
        return false;
    }

    /** A packet whose link header is off. */
    void pass(SkBuff skb) {
        if (!device.receiveQueues().steer(skb)) {
            deliver(skb);
        }
    }

    /** A packet that has waited for its worker, or need not. */
    void deliver(SkBuff skb) {
        int packets = skb.isGso() ? skb.gsoSegs() : 1;
        int bytes = skb.macLen() + skb.len() + UdpTrain.headersLeftOut(skb);
        if (isDelivered(skb)) {
            device.stats().countReceived(packets, bytes);
        } else {
            device.stats().countReceiveDrop();
        }
    }

    /** False if nobody wanted the packet, or it was dropped. */
    private boolean isDelivered(SkBuff skb) {
        // Whoever receives it may keep it for any time.
        if (!skb.orphanFrags()) {
            skb.free();
            return false;
        }
        if (skb.packetType() == PacketType.MULTICAST) {
            device.stats().countMulticast();
        }
        boolean seen = device.protocols().show(skb);
        if (!device.receiveQueues().admits(skb)) {
            skb.free();
            return seen;
        }
        return device.hooks().pass(HookPoint.INGRESS, skb, device, null) && give(skb, seen);
    }

    /** False if nobody wanted the packet, which is freed then. */
    private boolean give(SkBuff skb, boolean seen) {
        if (device.linkType() == LinkType.ETHERNET && !VlanTags.untag(skb)) {
            skb.free();
            return seen;
        }
        if (skb.vlanTagPresent() && device.vlans().receive(skb)) {
            return true;
        }
        RxHandler first = handler;
        if (first != null && first.receive(skb)) {
            return true;
        }
        if (VlanTags.isForVlan(skb)) {
            // Of a VLAN that is not ours: for others, whatever its address says.
            skb.packetType(PacketType.OTHERHOST);
        } else {
            skb.clearVlanTag();
            if (device.protocols().deliver(skb)) {
                return true;
            }
        }
        skb.free();
        return seen;
    }
}
