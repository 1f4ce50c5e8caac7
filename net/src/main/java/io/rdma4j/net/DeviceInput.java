package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.net.skb.UdpTrain;
import io.rdma4j.packet.PacketType;
import io.rdma4j.packet.SkBuff;
import org.jspecify.annotations.Nullable;

/**
 * Delivers a received packet ({@code __netif_receive_skb_core}). The order is: taps, the device's filters, the VLAN
 * device of its tag, the device's receive handler, the handler of its protocol. The first one of the last three that
 * accepts the packet consumes it.
 */
final class DeviceInput {
    private final NetDevice device;
    private volatile @Nullable RxHandler handler;
    private volatile @Nullable Object handlerData;

    DeviceInput(NetDevice device) {
        this.device = device;
    }

    /** Returns the device's receive handler, null if there is none. */
    @Nullable
    RxHandler handler() {
        return handler;
    }

    /** Returns the data that were registered with the handler. */
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

    /** Receives a packet that begins with its link header. It is freed in every case. */
    void receive(SkBuff skb) {
        if (parse(skb)) {
            pass(skb);
        }
    }

    /**
     * Removes the link header. Returns false for a packet that has none or has another destination; then it is freed.
     */
    boolean parse(SkBuff skb) {
        device.timestamps().check(skb);
        skb.meta().device(device);
        skb.meta().iif(device.ifindex());
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

    /** Steers a packet without link header to a worker, or delivers it at once. */
    void pass(SkBuff skb) {
        if (!device.receiveQueues().steer(skb)) {
            deliver(skb);
        }
    }

    /** Delivers a packet after steering. */
    void deliver(SkBuff skb) {
        int packets = skb.shinfo().isGso() ? skb.shinfo().gsoSegs() : 1;
        int bytes = skb.meta().macLen() + skb.len() + UdpTrain.headersLeftOut(skb);
        if (isDelivered(skb)) {
            device.stats().countReceived(packets, bytes);
        } else {
            device.stats().countReceiveDrop();
        }
    }

    /** Returns false if the packet had no receiver or was dropped. */
    private boolean isDelivered(SkBuff skb) {
        // The receiver may keep the packet for any time.
        if (!skb.orphanFrags()) {
            skb.free();
            return false;
        }
        if (skb.meta().packetType() == PacketType.MULTICAST) {
            device.stats().countMulticast();
        }
        boolean seen = device.protocols().show(skb);
        if (!device.receiveQueues().admits(skb)) {
            skb.free();
            return seen;
        }
        return device.hooks().pass(HookPoint.INGRESS, skb, device, null) && give(skb, seen);
    }

    /** Passes a packet to its receiver. Returns false if there was none; then the packet is freed. */
    private boolean give(SkBuff skb, boolean seen) {
        if (device.linkType() == LinkType.ETHERNET && !VlanTags.untag(skb)) {
            skb.free();
            return seen;
        }
        if (skb.meta().vlanTagPresent() && device.vlans().receive(skb)) {
            return true;
        }
        RxHandler first = handler;
        if (first != null && first.receive(skb)) {
            return true;
        }
        if (VlanTags.isForVlan(skb)) {
            // The VLAN is not configured here, so the packet has another destination, whatever its address.
            skb.meta().packetType(PacketType.OTHERHOST);
        } else {
            skb.meta().clearVlanTag();
            if (device.protocols().deliver(skb)) {
                return true;
            }
        }
        skb.free();
        return seen;
    }
}
