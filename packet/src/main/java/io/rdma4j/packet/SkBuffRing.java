package io.rdma4j.packet;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Hands buffers from one thread to another, first in, first out ({@code struct ptr_ring}).
 *
 * <p>One thread at a time adds, one at a time takes; these two need nothing else of each other. A slot is empty or holds a
 * buffer, and that is all that both sides look at: the release that fills it pairs with the acquire that finds it full, so
 * everything done to the buffer before is seen, and likewise the other way round.
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
     * An empty ring.
     *
     * @param capacity buffers under way at most, at least 1
     */
    public SkBuffRing(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("capacity " + capacity + ": a ring holds at least 1 buffer");
        }
        slots = new SkBuff[capacity];
    }

    /**
     * Adds a buffer, which becomes the ring's.
     *
     * @param skb the ring's from now on, if it is taken
     * @return false if the ring is full: the buffer stays the caller's
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

    /** {@return the oldest, which becomes the caller's; null if there is none} */
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

    /** {@return true if there was none a moment ago; any thread may ask} */
    public boolean isEmpty() {
        return SLOT.getAcquire(slots, (int) CONSUMER.getOpaque(this)) == null;
    }

    /**
     * Takes all and frees them.
     *
     * @return how many there were
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
