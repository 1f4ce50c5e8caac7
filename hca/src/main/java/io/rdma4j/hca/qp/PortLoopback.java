// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import io.rdma4j.hca.carrier.CarrierHeaders;
import io.rdma4j.hca.carrier.CarrierInput;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffQueue;
import java.util.function.Predicate;

/**
 * Delivers packets to the port's own addresses without the carrier. Packets have the headers of the carrier, because
 * receivers read them. A train is not segmented, and the receiver copies its payload directly from the sender's memory.
 * Corresponds to {@code rxe_loopback}. For the owner of the port loop only.
 */
public final class PortLoopback {
    private final SkBuffQueue queue;
    private final CarrierHeaders headers;
    private final CarrierInput input;
    private long sentPackets;
    private long lostPackets;

    /**
     * @param packets maximum number of packets that wait to be received
     * @param headers of the packets
     * @param input receives the packets
     */
    public PortLoopback(int packets, CarrierHeaders headers, CarrierInput input) {
        this.queue = new SkBuffQueue(packets);
        this.headers = headers;
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

    /** Queues a packet or train that begins with the headers of the carrier; drops it if the queue is full. */
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
            receive(skb);
        }
    }

    private void receive(SkBuff skb) {
        headers.pull(skb);
        if (input.receives()) {
            try {
                input.receive(skb);
            } catch (Throwable error) {
                input.errors().fail(error);
            }
        }
        skb.free();
    }

    /** Drops the queued packets for which {@code condition} is true. */
    void dropWaiting(Predicate<SkBuff> condition) {
        queue.purge(condition);
    }

    public void close() {
        queue.purge();
    }
}
