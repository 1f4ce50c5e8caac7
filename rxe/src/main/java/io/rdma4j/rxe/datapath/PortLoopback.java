// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe.datapath;

import io.rdma4j.ip.UdpEncapHandler;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffQueue;
import io.rdma4j.wire.ip.Udp;
import java.util.function.Predicate;

/**
 * Delivers packets to the port's own addresses without interface and IP stack. Packets have UDP and IP headers, because
 * receivers read them. A train is not segmented, and the receiver copies its payload directly from the sender's memory.
 * Corresponds to {@code rxe_loopback}. For the owner of the port loop only.
 */
public final class PortLoopback {
    private final SkBuffQueue queue;
    private final UdpEncapHandler input;
    private long sentPackets;
    private long lostPackets;

    /**
     * @param packets maximum number of packets that wait to be received
     * @param input receives the packets
     */
    public PortLoopback(int packets, UdpEncapHandler input) {
        this.queue = new SkBuffQueue(packets);
        this.input = input;
    }

    /** Packets accepted. */
    long sentPackets() {
        return sentPackets;
    }

    /** Packets dropped because the queue was full. */
    long lostPackets() {
        return lostPackets;
    }

    /** Queues a packet or train that begins with its IP header; drops it if the queue is full. */
    void transmit(SkBuff skb) {
        int packets = skb.shinfo().isGso() ? skb.shinfo().gsoSegs() : 1;
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

    /** Receives the queued packets, but not packets that are queued meanwhile. */
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

    /** Drops the queued packets for which {@code condition} is true. */
    void dropWaiting(Predicate<SkBuff> condition) {
        queue.purge(condition);
    }

    public void close() {
        queue.purge();
    }
}
