package io.rdma4j.packet;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Free descriptors: any thread gives, one thread at a time takes.
 *
 * <p>A stack chained through {@link SkBuff#next}. The taker swaps the whole stack out and serves itself from it, so a
 * descriptor is never popped by compare-and-set and the ABA problem cannot arise: a giver that finds the same head
 * again may push upon it, whatever happened in between.
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

    /** The taker's part. */
    private @Nullable SkBuff own;

    private volatile @Nullable SkBuff returned;

    /**
     * Takes one, null if there is none; by the owner of the pool only. It is the one that was given back last, because the caches of
     * the CPU still know it.
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
        // Acquire pairs with the release of give(): what the giver did to the descriptor is seen.
        SkBuff first = (SkBuff) RETURNED.getAndSetAcquire(this, null);
        SkBuff last = first;
        while (last.next != null) {
            last = last.next;
        }
        last.next = own;
        own = first;
    }

    /** Gives one back; from any thread. */
    void give(SkBuff skb) {
        SkBuff head;
        do {
            head = returned;
            skb.next = head;
        } while (!RETURNED.weakCompareAndSetRelease(this, head, skb));
    }

    /** Counts what is there, at most {@code limit}; exact for the owner while nobody gives. */
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
