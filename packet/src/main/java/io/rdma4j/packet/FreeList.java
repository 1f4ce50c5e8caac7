package io.rdma4j.packet;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A list of free descriptors: any thread returns, one thread at a time takes.
 *
 * <p>A stack, linked through {@link SkBuff#next}. The taking thread swaps out the whole stack and then takes from its
 * private list. A descriptor is never popped by compare-and-set, so the ABA problem cannot arise.
 */
final class FreeList {
    private static final VarHandle RETURNED;

    static {
        try {
            RETURNED = MethodHandles.lookup().findVarHandle(FreeList.class, "returned", SkBuff.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The private list of the taking thread. */
    private @Nullable SkBuff own;

    private volatile @Nullable SkBuff returned;

    /**
     * Takes the descriptor that was returned last, because it is still in the CPU caches; null if there is none. Only
     * the owner of the pool may call it.
     */
    @Nullable
    SkBuff take() {
        if (returned != null) {
            takeReturned();
        }
        SkBuff first = own;
        if (first != null) {
            own = first.next;
            first.next = null;
        }
        return first;
    }

    private void takeReturned() {
        // Acquire pairs with the release of give(): this thread sees all earlier writes to the descriptor.
        SkBuff first = (SkBuff) RETURNED.getAndSetAcquire(this, null);
        SkBuff last = first;
        while (last.next != null) {
            last = last.next;
        }
        last.next = own;
        own = first;
    }

    /** Returns a descriptor; any thread may call it. */
    void give(SkBuff skb) {
        SkBuff head;
        do {
            head = returned;
            skb.next = head;
        } while (!RETURNED.weakCompareAndSetRelease(this, head, skb));
    }

    /**
     * Counts the free descriptors, up to {@code limit}; exact for the owner of the pool while no thread returns one.
     */
    int count(int limit) {
        return count(own, limit) + count(returned, limit);
    }

    private static int count(@Nullable SkBuff first, int limit) {
        int count = 0;
        for (SkBuff skb = first; skb != null && count < limit; skb = skb.next) {
            count++;
        }
        return count;
    }
}
