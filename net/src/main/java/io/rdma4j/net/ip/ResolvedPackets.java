package io.rdma4j.net.ip;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffQueue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Packets whose neighbour has answered, on their way to the device, which may be busy. */
final class ResolvedPackets {
    private final NetDevice device;
    private final SkBuffQueue queue;

    /** What the device would not take. */
    private @Nullable SkBuff stalled;

    /** @param limit packets that wait at most */
    ResolvedPackets(NetDevice device, int limit) {
        this.device = device;
        this.queue = new SkBuffQueue(limit);
    }

    /** False if there is no room: the packet, which begins with its link header, stays the caller's. */
    boolean add(SkBuff skb) {
        return queue.enqueue(skb);
    }

    /** Sends as much as the device takes; true if nothing is left. */
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

    /** Drops those that {@code condition} holds of; returns how many. */
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
