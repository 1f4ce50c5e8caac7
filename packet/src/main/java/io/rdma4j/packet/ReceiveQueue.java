package io.rdma4j.packet;

import org.jspecify.annotations.Nullable;

/**
 * Packets that wait for the owner of an endpoint to take them ({@code sk_receive_queue}): bounded by the memory they hold, and
 * it says what it lost.
 *
 * <p>For one thread at a time.
 */
public final class ReceiveQueue {
    private final SkBuffQueue queue = new SkBuffQueue(Integer.MAX_VALUE);
    private final int limitBytes;
    private int heldBytes;
    private int drops;
    private long received;

    /**
     * An empty queue.
     *
     * @param limitBytes most memory that waiting packets hold, in bytes of {@link SkBuff#truesize} ({@code sk_rcvbuf})
     */
    public ReceiveQueue(int limitBytes) {
        if (limitBytes < 1) {
            throw new IllegalArgumentException("a receive queue of " + limitBytes + " bytes holds no packet");
        }
        this.limitBytes = limitBytes;
    }

    /**
     * Appends a packet ({@code sock_queue_rcv_skb}), on which it writes how many were lost before it: {@link SkBuff#dropcount}.
     *
     * @param skb the queue's from now on, if it is taken
     * @return false if the queue is full, which is counted: the buffer stays the caller's
     */
    public boolean add(SkBuff skb) {
        int bytes = skb.truesize();
        if (bytes > limitBytes - heldBytes) {
            drops++;
            return false;
        }
        skb.dropcount(drops);
        skb.device(null);
        heldBytes += bytes;
        return queue.enqueue(skb);
    }

    /**
     * {@return the oldest packet, which stays and counts as received from now on ({@code MSG_PEEK}); null if there is
     * none}
     */
    public @Nullable SkBuff peek() {
        SkBuff skb = queue.peek();
        if (skb != null) {
            count(skb);
            skb.peeked(true);
        }
        return skb;
    }

    /** {@return the oldest packet, which becomes the caller's; null if there is none} */
    public @Nullable SkBuff take() {
        SkBuff skb = queue.dequeue();
        if (skb != null) {
            count(skb);
            heldBytes -= skb.truesize();
        }
        return skb;
    }

    private void count(SkBuff skb) {
        if (!skb.peeked()) {
            received++;
        }
    }

    /**
     * Frees what waits.
     *
     * @return how many there were
     */
    public int purge() {
        heldBytes = 0;
        return queue.purge();
    }

    /** {@return how many packets wait} */
    public int length() {
        return queue.length();
    }

    /** {@return memory that waiting packets hold, bytes ({@code sk_rmem_alloc})} */
    public int heldBytes() {
        return heldBytes;
    }

    /** {@return how many packets found no room ({@code sk_drops}); wraps} */
    public int drops() {
        return drops;
    }

    /** {@return how many packets the owner has seen, each counted once however often it was looked at} */
    public long received() {
        return received;
    }
}
