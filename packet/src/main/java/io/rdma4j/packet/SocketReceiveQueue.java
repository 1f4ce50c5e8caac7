// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

import org.jspecify.annotations.Nullable;

/**
 * Queue of received packets of an endpoint ({@code sk_receive_queue}), with limited memory and a count of dropped
 * packets.
 *
 * <p>For one thread at a time.
 */
public final class SocketReceiveQueue {
    private final SkBuffQueue queue = new SkBuffQueue(Integer.MAX_VALUE);
    private final int limitBytes;
    private int heldBytes;
    private int drops;
    private long received;

    /**
     * Creates an empty queue.
     *
     * @param limitBytes maximum sum of {@link SkBuff#truesize} of the queued packets, bytes ({@code sk_rcvbuf})
     */
    public SocketReceiveQueue(int limitBytes) {
        if (limitBytes < 1) {
            throw new IllegalArgumentException("a receive queue of " + limitBytes + " bytes holds no packet");
        }
        this.limitBytes = limitBytes;
    }

    /**
     * Appends a packet ({@code sock_queue_rcv_skb}). Sets its {@link PacketMarks#dropcount} to the number of packets
     * dropped before.
     *
     * @param skb owned by the queue if the result is true
     * @return false if the queue is full: the drop is counted and the caller keeps the buffer
     */
    public boolean add(SkBuff skb) {
        int bytes = skb.truesize();
        if (bytes > limitBytes - heldBytes) {
            drops++;
            return false;
        }
        skb.marks().dropcount(drops);
        skb.meta().device(null);
        heldBytes += bytes;
        return queue.enqueue(skb);
    }

    /**
     * {@return the oldest packet, which stays queued and is counted as received ({@code MSG_PEEK}); null if there is
     * none}
     */
    public @Nullable SkBuff peek() {
        SkBuff skb = queue.peek();
        if (skb != null) {
            count(skb);
            skb.marks().peeked(true);
        }
        return skb;
    }

    /** {@return the oldest packet, which the caller owns now; null if there is none} */
    public @Nullable SkBuff take() {
        SkBuff skb = queue.dequeue();
        if (skb != null) {
            count(skb);
            heldBytes -= skb.truesize();
        }
        return skb;
    }

    private void count(SkBuff skb) {
        if (!skb.marks().peeked()) {
            received++;
        }
    }

    /**
     * Frees the queued packets.
     *
     * @return the number of packets freed
     */
    public int purge() {
        heldBytes = 0;
        return queue.purge();
    }

    /** {@return the number of queued packets} */
    public int length() {
        return queue.length();
    }

    /** {@return memory of the queued packets, bytes ({@code sk_rmem_alloc})} */
    public int heldBytes() {
        return heldBytes;
    }

    /** {@return the number of packets dropped because the queue was full ({@code sk_drops}); wraps} */
    public int drops() {
        return drops;
    }

    /** {@return the number of packets that were taken or peeked at; each packet is counted once} */
    public long received() {
        return received;
    }
}
