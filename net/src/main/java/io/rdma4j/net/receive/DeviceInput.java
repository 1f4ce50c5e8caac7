// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.receive;

import io.rdma4j.net.address.LinkAddresses;
import io.rdma4j.net.device.DeviceCore;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.feature.DeviceFeatures;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.net.skb.UdpTrain;
import io.rdma4j.net.skb.VlanTags;
import io.rdma4j.packet.PacketType;
import io.rdma4j.packet.SkBuff;

/**
 * Delivers a received packet ({@code __netif_receive_skb_core}). The order is: taps, the device's filters, the VLAN
 * device of its tag, the device's receive handler, the handler of its protocol. The first one of the last three that
 * accepts the packet consumes it.
 */
public final class DeviceInput {
    private final DeviceCore core;
    private final DeviceFeatures features;
    private final LinkAddresses link;
    private final DeviceHandlers handlers;
    private final NapiList napis;
    private final Napi napi;

    /**
     * Creates the input of a device.
     *
     * @param core core of the device
     * @param features features of the device
     * @param link link addresses of the device
     * @param driver driver of the device
     * @param handlers get the packets
     * @param loop loop of the device
     */
    public DeviceInput(
            DeviceCore core,
            DeviceFeatures features,
            LinkAddresses link,
            ReceiveDriver driver,
            DeviceHandlers handlers,
            LoopLink loop) {
        this.core = core;
        this.features = features;
        this.link = link;
        this.handlers = handlers;
        this.napis = new NapiList(core.name(), loop, new GroReceive(core, features, handlers, this));
        this.napi = napis.add(new LinkPoll(core.state(), driver, this), Napi.POLL_WEIGHT);
    }

    /** {@return all polling contexts} */
    public NapiList napis() {
        return napis;
    }

    /** {@return the polling context that polls the driver} */
    public Napi napi() {
        return napi;
    }

    /**
     * Receives a packet that begins with its link header. A device that is down drops it.
     *
     * @param skb the packet; it is freed in every case
     */
    public void receive(SkBuff skb) {
        if (!core.state().isRunning()) {
            core.stats().countReceiveDrop();
            skb.free();
        } else if (parse(skb)) {
            pass(skb);
        }
    }

    /**
     * Removes the link header. Returns false for a packet that has none or has another destination; then it is freed.
     */
    boolean parse(SkBuff skb) {
        core.timestamps().check(skb);
        skb.meta().device(core.device());
        skb.meta().iif(core.ifindex());
        if (!LinkInput.parse(skb, core.linkType(), link, features.has(NetDeviceFeature.RXCSUM))) {
            core.stats().countReceiveError();
        } else if (!LinkInput.accepts(skb, core.linkType(), link)) {
            core.stats().countOtherHost();
        } else {
            return true;
        }
        skb.free();
        return false;
    }

    /** Steers a packet without link header to a worker, or delivers it at once. */
    void pass(SkBuff skb) {
        if (!handlers.queues().steer(skb)) {
            deliver(skb);
        }
    }

    /**
     * Delivers a packet after steering.
     *
     * @param skb the packet without its link header; it is freed in every case
     */
    public void deliver(SkBuff skb) {
        int packets = skb.shinfo().isGso() ? skb.shinfo().gsoSegs() : 1;
        int bytes = skb.meta().macLen() + skb.len() + UdpTrain.headersLeftOut(skb);
        if (isDelivered(skb)) {
            core.stats().countReceived(packets, bytes);
        } else {
            core.stats().countReceiveDrop();
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
            core.stats().countMulticast();
        }
        boolean seen = handlers.protocols().show(skb);
        if (!handlers.queues().admits(skb)) {
            skb.free();
            return seen;
        }
        return handlers.hooks().pass(HookPoint.INGRESS, skb, core.device(), null) && give(skb, seen);
    }

    /** Passes a packet to its receiver. Returns false if there was none; then the packet is freed. */
    private boolean give(SkBuff skb, boolean seen) {
        if (core.linkType() == LinkType.ETHERNET && !VlanTags.untag(skb)) {
            skb.free();
            return seen;
        }
        if (skb.meta().vlanTagPresent() && handlers.vlans().receive(skb)) {
            return true;
        }
        RxHandler first = handlers.rxHandler().handler();
        if (first != null && first.receive(skb)) {
            return true;
        }
        if (VlanTags.isForVlan(skb)) {
            // The VLAN is not configured here, so the packet has another destination, whatever its address.
            skb.meta().packetType(PacketType.OTHERHOST);
        } else {
            skb.meta().clearVlanTag();
            if (handlers.protocols().deliver(skb)) {
                return true;
            }
        }
        skb.free();
        return seen;
    }
}
