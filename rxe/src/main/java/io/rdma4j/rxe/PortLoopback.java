package io.rdma4j.rxe;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffQueue;
import io.rdma4j.wire.Udp;
import java.util.function.Predicate;

/**
 * The way of packets to the port's own addresses: they leave out the interface and IP, whose headers they have all the same, because receivers
 * look at them. A train stays one, and its bytes stay where they are until the receiver copies them to their place. Answers to
 * {@code rxe_loopback}. Belongs to the owner of the port loop.
 */
final class PortLoopback {
    private final SkBuffQueue queue;
    private final RoceInput input;
    private long sentPackets;
    private long lostPackets;

    /**
     * @param packets that may wait to be received at most
     * @param input where they arrive
     */
    PortLoopback(int packets, RoceInput input) {
        this.queue = new SkBuffQueue(packets);
        this.input = input;
    }

    /** Packets that it has taken over. */
    long sentPackets() {
        return sentPackets;
    }

    /** Packets that there was no room for. */
    long lostPackets() {
        return lostPackets;
    }

    /** Takes over a packet or train with its IP header; what there is no room for is lost. */
    void transmit(SkBuff skb) {
        int packets = skb.isGso() ? skb.gsoSegs() : 1;
        if (queue.enqueue(skb)) {
            sentPackets += packets;
        } else {
            lostPackets += packets;
            skb.free();
        }
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    /** Lets arrive what waits, but not what that in turn sends. */
    void receive() {
        for (int left = queue.length(); left > 0; left--) {
            SkBuff skb = queue.dequeue();
            if (skb == null) {
                return;
            }
            skb.pull(NetworkPath.ipBytes(skb) + Udp.BYTES);
            input.receive(skb);
        }
    }

    /** Loses what waits and {@code condition} holds of. */
    void dropWaiting(Predicate<SkBuff> condition) {
        queue.purge(condition);
    }

    void close() {
        queue.purge();
    }
}
