// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.ns;

import io.rdma4j.base.Gid;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.device.DeviceFlag;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffQueue;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The loopback interface inside the JVM ({@code drivers/net/loopback.c}). The next poll receives the sent buffer
 * itself: trains stay whole, nothing is copied and no checksum is computed.
 *
 * <p>A buffer keeps its destructor until the receiver frees it, because its fragments are the sender's memory.
 */
public final class LoopbackDevice implements NetDeviceOps {
    /** As in Linux: the maximum size of an IPv4 packet plus 1. */
    public static final int MTU = 65_536;

    private static final int DEFAULT_QUEUE_LENGTH = 1000;

    private static final FeatureSet FEATURES = FeatureSet.of(
                    NetDeviceFeature.SG,
                    NetDeviceFeature.HIGHDMA,
                    NetDeviceFeature.FRAGLIST,
                    NetDeviceFeature.HW_CSUM,
                    NetDeviceFeature.RXCSUM,
                    NetDeviceFeature.NETNS_LOCAL,
                    NetDeviceFeature.VLAN_CHALLENGED)
            .plus(FeatureSet.GSO_SOFTWARE);

    private final SkBuffQueue queue;

    private LoopbackDevice(int queueLength) {
        this.queue = new SkBuffQueue(queueLength);
    }

    /**
     * Creates a loopback interface, down, on its own machine.
     *
     * @param name usually {@code lo}
     * @param ifindex interface index; 0 for the next free one
     * @param addresses its IP addresses
     * @param queueLength maximum number of buffers in flight; above it, the device is busy
     * @return the device
     */
    public static NetDevice create(String name, int ifindex, List<Gid> addresses, int queueLength) {
        return NetHost.standalone(device(name, ifindex, addresses, queueLength));
    }

    /** Creates the loopback interface of a namespace, not registered. */
    static NetDevice device() {
        return device("lo", 0, List.of(), DEFAULT_QUEUE_LENGTH);
    }

    private static NetDevice device(String name, int ifindex, List<Gid> addresses, int queueLength) {
        NetDeviceSetup setup = new NetDeviceSetup(name, ifindex, MTU, 0, addresses, FEATURES)
                .withFlags(DeviceFlag.LOOPBACK)
                .withPrivateFlags(PrivateFlag.CARRIES_OFFLOADS);
        return new NetDevice(setup, new LoopbackDevice(queueLength));
    }

    @Override
    public NetdevTx startXmit(SkBuff skb, NetDevice device) {
        int packets = skb.shinfo().isGso() ? skb.shinfo().gsoSegs() : 1;
        int bytes = skb.len();
        if (!queue.enqueue(skb)) {
            return NetdevTx.BUSY;
        }
        device.timestamps().transmitting(skb);
        device.stats().countTransmitted(packets, bytes);
        device.napi().schedule();
        return NetdevTx.OK;
    }

    @Override
    public @Nullable SkBuff pollReceive(NetDevice device) {
        return queue.dequeue();
    }

    @Override
    public int dropWaiting(Predicate<? super SkBuff> condition) {
        return queue.purge(condition);
    }

    @Override
    public void stop(NetDevice device) {
        queue.purge();
    }
}
