// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe.carrier;

import io.rdma4j.base.Gid;
import io.rdma4j.hca.GidTable;
import io.rdma4j.hca.carrier.Carrier;
import io.rdma4j.hca.carrier.CarrierHeaders;
import io.rdma4j.hca.carrier.CarrierInput;
import io.rdma4j.hca.carrier.CarrierPath;
import io.rdma4j.hca.carrier.LocalPeers;
import io.rdma4j.hca.carrier.PathResolver;
import io.rdma4j.ip.Destination;
import io.rdma4j.ip.IpInterface;
import io.rdma4j.ip.IpStack;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Carries RoCEv2 packets through the IP stack of a host and one of its network devices. Corresponds to {@code rxe_net}.
 */
public final class NetDeviceCarrier implements Carrier {
    private final NetDevice device;
    private final IpStack stack;
    private final IpInterface ip;
    private final DeviceLink link;
    private final NetworkPaths paths;
    private final RoceHeaders headers;
    private final DevicePeers peers;
    private final int udpPort;
    private final boolean mergedAllowed;

    private @Nullable RoceInput input;
    private @Nullable PortLinkWatch linkWatch;
    private @Nullable SkBuff stalled;

    /**
     * @param link the device with the IP stack of its host
     * @param ip the device's interface in that stack
     * @param gids its addresses
     * @param udpPort of this device and of its peers
     * @param controlsCongestion whether connections reduce their rate on congestion
     * @param mergedAllowed whether the link may merge packets
     */
    public NetDeviceCarrier(
            DeviceLink link,
            IpInterface ip,
            GidTable gids,
            int udpPort,
            boolean controlsCongestion,
            boolean mergedAllowed) {
        this.device = link.device();
        this.stack = link.stack();
        this.ip = ip;
        this.link = link;
        this.paths = new NetworkPaths(gids, link, udpPort, controlsCongestion);
        this.headers = new RoceHeaders(device, gids);
        this.peers = new DevicePeers(device, stack);
        this.udpPort = udpPort;
        this.mergedAllowed = mergedAllowed;
    }

    @Override
    public DeviceLink link() {
        return link;
    }

    @Override
    public PathResolver paths() {
        return paths;
    }

    @Override
    public CarrierHeaders headers() {
        return headers;
    }

    @Override
    public LocalPeers localPeers() {
        return peers;
    }

    @Override
    public void transmit(SkBuff skb, CarrierPath path) {
        Destination to = stack.destinations().find(path.destination(), device);
        if (to.out() == null) {
            // The route rejects packets.
            device.stats().countTransmitDrop();
            skb.free();
        } else if (to.resolve(skb)) {
            transmitFrame(skb);
        }
    }

    /** Sends a packet of a raw queue pair without changes. */
    void transmitFrame(SkBuff skb) {
        if (device.transmit(skb) == NetdevTx.BUSY) {
            stalled = skb;
        }
    }

    @Override
    public boolean isStalled() {
        return stalled != null;
    }

    @Override
    public boolean flush() {
        boolean flushed = device.flush() && stack.flush();
        SkBuff waiting = stalled;
        if (waiting != null && flushed) {
            stalled = null;
            transmitFrame(waiting);
        }
        return flushed && stalled == null;
    }

    @Override
    public boolean finish(SkBuff skb) {
        return input().finish(skb);
    }

    private RoceInput input() {
        RoceInput there = input;
        if (there == null) {
            throw new IllegalStateException("the carrier was not started");
        }
        return there;
    }

    @Override
    public void dropWaiting(Predicate<SkBuff> condition) {
        SkBuff waiting = stalled;
        if (waiting != null && condition.test(waiting)) {
            stalled = null;
            waiting.free();
        }
        stack.dropWaiting(condition);
        dropHeld(condition);
    }

    @Override
    public void dropHeld(Predicate<SkBuff> condition) {
        device.dropWaiting(condition);
    }

    @Override
    public void join(Gid group) {
        ip.join(group);
    }

    @Override
    public void leave(Gid group) {
        ip.leave(group);
    }

    @Override
    public void start(CarrierInput receiver) {
        RoceInput roce = new RoceInput(receiver, mergedAllowed, device.flags().has(PrivateFlag.HIDDEN_IDENTIFICATION));
        PortLinkWatch watch = new PortLinkWatch(receiver);
        input = roce;
        linkWatch = watch;
        stack.udp().register(udpPort, device, roce);
        device.addListener(watch);
    }

    /** Stops to report events of the device. Any thread. */
    public void stopWatching() {
        PortLinkWatch watch = linkWatch;
        if (watch != null) {
            device.removeListener(watch);
        }
    }

    @Override
    public void stop() {
        RoceInput roce = input;
        if (roce != null) {
            stack.udp().unregister(roce);
        }
    }
}
