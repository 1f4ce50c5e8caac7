// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.neighbour;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffQueue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Queue of packets whose next hop is resolved, in front of a device that may be busy. */
final class ResolvedPackets {
    private final NetDevice device;
    private final SkBuffQueue queue;

    /** The packet for which the device was busy. */
    private @Nullable SkBuff stalled;

    /**
     * @param limit maximum number of packets
     */
    ResolvedPackets(NetDevice device, int limit) {
        this.device = device;
        this.queue = new SkBuffQueue(limit);
    }

    /**
     * Queues a packet that begins with its link header. Returns false if there is no room: the packet stays the
     * caller's.
     */
    boolean add(SkBuff skb) {
        return queue.enqueue(skb);
    }

    /** Sends packets until the device is busy; true if none is left. */
    boolean flush() {
        SkBuff skb = stalled == null ? queue.dequeue() : stalled;
        stalled = null;
        while (skb != null) {
            if (device.transmit(skb) == NetdevTx.BUSY) {
                stalled = skb;
                return false;
            }
            skb = queue.dequeue();
        }
        return true;
    }

    /** Drops the packets that match {@code condition}; returns their number. */
    int drop(Predicate<? super SkBuff> condition) {
        int dropped = queue.purge(condition);
        SkBuff first = stalled;
        if (first != null && condition.test(first)) {
            stalled = null;
            first.free();
            dropped++;
        }
        return dropped;
    }
}
