// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.receive;

import io.rdma4j.net.device.DeviceCore;
import io.rdma4j.net.feature.DeviceFeatures;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.net.skb.UdpTrain;
import io.rdma4j.packet.SkBuff;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Merges packets that a device receives in one poll ({@code dev_gro_receive}). UDP datagrams of one flow become a
 * {@link UdpTrain} if their receiver supports it. All other packets, and those that the link has merged, pass at once.
 *
 * <p>Packets of one flow keep their order: a packet that joins no train flushes all trains before it. Merging is off
 * while a tap, a filter or a bridge sees all packets of the device. Only the loop's owner calls it; it allocates
 * nothing.
 */
final class GroReceive {
    /** Maximum number of trains at a time ({@code GRO_HASH_BUCKETS}). */
    static final int MAX_FLOWS = 8;

    private static final int NONE = -1;

    private final DeviceCore core;
    private final DeviceFeatures features;
    private final DeviceHandlers handlers;
    private final DeviceInput input;

    /** The oldest train first. */
    private final @Nullable SkBuff[] held = new SkBuff[MAX_FLOWS];

    private int count;

    GroReceive(DeviceCore core, DeviceFeatures features, DeviceHandlers handlers, DeviceInput input) {
        this.core = core;
        this.features = features;
        this.handlers = handlers;
        this.input = input;
    }

    /** Receives a packet that begins with its link header. */
    void receive(SkBuff skb) {
        if (!features.has(NetDeviceFeature.GRO)) {
            passOn(skb);
            return;
        }
        GroReceiver receiver = handlers.protocols().groReceiver();
        if (receiver == null || !receiver.mayTakeMerged() || !core.state().isRunning()) {
            passOn(skb);
        } else if (input.parse(skb) && !hold(skb, receiver)) {
            flush();
            input.pass(skb);
        }
    }

    /** Returns true if a train that the link has merged may pass uncut. The offsets of its headers are set. */
    boolean takesTrain(SkBuff skb) {
        GroReceiver receiver = handlers.protocols().groReceiver();
        return receiver != null
                && features.has(NetDeviceFeature.GRO)
                && !handlers.watchReceived()
                && receiver.takesMerged(skb);
    }

    private void passOn(SkBuff skb) {
        flush();
        input.receive(skb);
    }

    /** Returns false if the packet must pass unmerged. */
    private boolean hold(SkBuff skb, GroReceiver receiver) {
        boolean isIp = skb.meta().protocol() == EtherType.IPV4 || skb.meta().protocol() == EtherType.IPV6;
        if (!isIp || handlers.watchReceived() || !UdpTrain.isDatagram(skb)) {
            return false;
        }
        int flow = find(skb);
        if (flow == NONE && !receiver.takesMerged(skb) || !UdpTrain.isIntact(skb)) {
            return false;
        }
        if (flow == NONE && count == MAX_FLOWS) {
            flush(0);
        } else if (flow != NONE && join(flow, skb)) {
            return true;
        }
        held[count++] = skb;
        return true;
    }

    private int find(SkBuff skb) {
        for (int i = 0; i < count; i++) {
            if (UdpTrain.isSameFlow(train(i), skb)) {
                return i;
            }
        }
        return NONE;
    }

    private SkBuff train(int index) {
        return Objects.requireNonNull(held[index]);
    }

    /** Appends a packet to the train of its flow. Returns false if it does not fit; then the train was flushed. */
    private boolean join(int flow, SkBuff skb) {
        SkBuff train = train(flow);
        boolean fits = UdpTrain.fits(train, skb);
        if (!fits || UdpTrain.append(train, skb)) {
            flush(flow);
        }
        return fits;
    }

    /** Delivers all trains ({@code napi_gro_flush}). */
    void flush() {
        while (count > 0) {
            flush(0);
        }
    }

    private void flush(int flow) {
        SkBuff train = take(flow);
        UdpTrain.finish(train);
        if (core.state().isRunning()) {
            input.pass(train);
        } else {
            core.stats().countReceiveDrop();
            train.free();
        }
    }

    private SkBuff take(int flow) {
        SkBuff train = train(flow);
        count--;
        System.arraycopy(held, flow + 1, held, flow, count - flow);
        held[count] = null;
        return train;
    }

    /** Drops all trains. */
    void drop() {
        while (count > 0) {
            core.stats().countReceiveDrop();
            take(0).free();
        }
    }
}
