// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A bounded FIFO queue of buffers ({@code struct sk_buff_head}), linked through the buffers themselves.
 *
 * <p>For one thread at a time. The queue owns its buffers: a queued buffer is in no other queue and must not be freed.
 */
public final class SkBuffQueue {
    private final int limit;
    private @Nullable SkBuff head;
    private @Nullable SkBuff tail;
    private int length;

    /**
     * Creates an empty queue ({@code skb_queue_head_init}).
     *
     * @param limit maximum number of buffers, at least 1
     */
    public SkBuffQueue(int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit " + limit + ": a queue holds at least 1 buffer");
        }
        this.limit = limit;
    }

    /**
     * Appends a buffer and takes over its ownership ({@code skb_queue_tail}).
     *
     * @param skb owned by the queue if the result is true
     * @return false if the queue is full: the caller keeps the buffer
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

    /** {@return the head, which remains in the queue ({@code skb_peek}); null if the queue is empty} */
    public @Nullable SkBuff peek() {
        return head;
    }

    /** {@return the head, which the caller owns now ({@code skb_dequeue}); null if the queue is empty} */
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
     * Frees all buffers ({@code skb_queue_purge}).
     *
     * @return the number of buffers freed
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
     * Frees the buffers for which {@code condition} is true. The others keep their order.
     *
     * @param condition has no side effects
     * @return the number of buffers freed
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

    /** {@return the number of buffers ({@code skb_queue_len})} */
    public int length() {
        return length;
    }

    /** {@return the maximum number of buffers} */
    public int limit() {
        return limit;
    }

    /** {@return true if the queue is empty ({@code skb_queue_empty})} */
    public boolean isEmpty() {
        return length == 0;
    }

    /** {@return true if the length equals the limit} */
    public boolean isFull() {
        return length == limit;
    }
}
