package io.rdma4j.packet;

import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A bounded first-in first-out queue of buffers ({@code struct sk_buff_head}), chained through the buffers themselves.
 *
 * <p>For one thread at a time. A queued buffer belongs to the queue: it is in no other queue, and nobody frees it.
 */
public final class SkBuffQueue {
    private final int limit;
    private @Nullable SkBuff head;
    private @Nullable SkBuff tail;
    private int length;

    /**
     * An empty queue ({@code skb_queue_head_init}).
     *
     * @param limit the most buffers it holds, at least 1
     */
    public SkBuffQueue(int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit " + limit + ": a queue holds at least 1 buffer");
        }
        this.limit = limit;
    }

    /**
     * Appends ({@code skb_queue_tail}).
     *
     * @param skb the queue's from now on, if it is taken
     * @return false if the queue is full: the buffer stays the caller's
     * @throws IllegalStateException if the buffer is in a queue already
     */
    public boolean enqueue(SkBuff skb) {
        if (length == limit) {
            return false;
        }
        skb.enterQueue();
        if (tail == null) {
            head = skb;
        } else {
            tail.next = skb;
        }
        tail = skb;
        length++;
        return true;
    }

    /** {@return the head, which stays in the queue ({@code skb_peek}); null when empty} */
    public @Nullable SkBuff peek() {
        return head;
    }

    /** {@return the head, which becomes the caller's ({@code skb_dequeue}); null when empty} */
    public @Nullable SkBuff dequeue() {
        SkBuff skb = head;
        if (skb == null) {
            return null;
        }
        head = skb.next;
        if (head == null) {
            tail = null;
        }
        length--;
        skb.leaveQueue();
        return skb;
    }

    /**
     * Frees all ({@code skb_queue_purge}).
     *
     * @return how many there were
     */
    public int purge() {
        int purged = 0;
        for (SkBuff skb = dequeue(); skb != null; skb = dequeue()) {
            skb.free();
            purged++;
        }
        return purged;
    }

    /**
     * Frees those of which {@code condition} holds; the others stay in their order. Returns how many were freed.
     *
     * @param condition changes nothing
     * @return how many were freed
     */
    public int purge(Predicate<? super SkBuff> condition) {
        int before = length;
        for (int left = before; left > 0; left--) {
            SkBuff skb = Objects.requireNonNull(dequeue());
            if (condition.test(skb)) {
                skb.free();
            } else {
                enqueue(skb);
            }
        }
        return before - length;
    }

    /** {@return how many buffers are in it ({@code skb_queue_len})} */
    public int length() {
        return length;
    }

    /** {@return the most buffers it holds} */
    public int limit() {
        return limit;
    }

    /** {@return true if there is none ({@code skb_queue_empty})} */
    public boolean isEmpty() {
        return length == 0;
    }

    /** {@return true if {@link #enqueue} would refuse} */
    public boolean isFull() {
        return length == limit;
    }
}
