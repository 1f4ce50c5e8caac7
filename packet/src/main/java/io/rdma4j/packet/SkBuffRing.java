// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A bounded FIFO ring of buffers between two threads ({@code struct ptr_ring}).
 *
 * <p>One thread at a time adds, and one thread at a time takes; the two threads need no lock. A slot is empty or holds
 * a buffer, and both threads read only the slot. The release store that fills a slot pairs with the acquire load that
 * finds it full. Therefore the taking thread sees all earlier writes to the buffer. The same holds for emptied slots.
 */
public final class SkBuffRing {
    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(SkBuff[].class);
    private static final VarHandle CONSUMER;

    static {
        try {
            CONSUMER = MethodHandles.lookup().findVarHandle(SkBuffRing.class, "consumer", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final @Nullable SkBuff[] slots;
    private int producer;
    private int consumer;

    /**
     * Creates an empty ring.
     *
     * @param capacity maximum number of buffers in the ring, at least 1
     */
    public SkBuffRing(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("capacity " + capacity + ": a ring holds at least 1 buffer");
        }
        slots = new SkBuff[capacity];
    }

    /**
     * Adds a buffer and takes over its ownership.
     *
     * @param skb owned by the ring if the result is true
     * @return false if the ring is full: the caller keeps the buffer
     * @throws IllegalStateException if the buffer is in a queue already
     */
    public boolean add(SkBuff skb) {
        int at = producer;
        if (SLOT.getAcquire(slots, at) != null) {
            return false;
        }
        skb.enterQueue();
        SLOT.setRelease(slots, at, skb);
        producer = next(at);
        return true;
    }

    /** {@return the oldest buffer, which the caller owns now; null if the ring is empty} */
    public @Nullable SkBuff take() {
        int at = consumer;
        SkBuff skb = (SkBuff) SLOT.getAcquire(slots, at);
        if (skb == null) {
            return null;
        }
        skb.leaveQueue();
        SLOT.setRelease(slots, at, null);
        CONSUMER.setOpaque(this, next(at));
        return skb;
    }

    /** {@return true if the ring was empty at the time of the call; any thread may call it} */
    public boolean isEmpty() {
        return SLOT.getAcquire(slots, (int) CONSUMER.getOpaque(this)) == null;
    }

    /**
     * Takes all buffers and frees them.
     *
     * @return the number of buffers freed
     */
    public int purge() {
        int purged = 0;
        for (SkBuff skb = take(); skb != null; skb = take()) {
            skb.free();
            purged++;
        }
        return purged;
    }

    private int next(int at) {
        return at + 1 == slots.length ? 0 : at + 1;
    }
}
