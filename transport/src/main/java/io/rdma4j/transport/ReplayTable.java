package io.rdma4j.transport;

import org.jspecify.annotations.Nullable;

/**
 * The last {@code max_dest_rd_atomic} requests that may have to be answered again (IBA 9.7.5.1.3, 9.9.3.2), oldest to
 * newest; those not answered yet are answered in this order.
 */
final class ReplayTable {
    private ReplayEntry[] entries = {};
    private int oldest;
    private int count;

    /** Makes room for {@code limit} requests; the newest of those it had stay. */
    void resize(int limit) {
        ReplayEntry[] resized = new ReplayEntry[limit];
        int kept = Math.min(count, limit);
        for (int i = 0; i < limit; i++) {
            resized[i] = i < kept ? entries[index(count - kept + i)] : new ReplayEntry();
        }
        entries = resized;
        oldest = 0;
        count = kept;
    }

    /**
     * True if another request may come: the oldest of a full table has been answered. If it is being answered again, the
     * peer must have had the first answer, or it could not ask for more: the repetition is for a straggler.
     */
    boolean hasRoom() {
        return count < entries.length || count > 0 && entries[oldest].wasAnswered;
    }

    /** Replaces the oldest request if the table is full; the caller asked {@link #hasRoom}. */
    ReplayEntry add() {
        if (count == entries.length) {
            oldest = index(1);
            count--;
        }
        return entries[index(count++)];
    }

    /** The newest request that owns {@code psn}, or null. */
    @Nullable
    ReplayEntry find(int psn) {
        for (int i = count - 1; i >= 0; i--) {
            ReplayEntry entry = entries[index(i)];
            if (entry.covers(psn)) {
                return entry;
            }
        }
        return null;
    }

    /** The oldest request that is to be answered, or null. */
    @Nullable
    ReplayEntry firstOwed() {
        for (int i = 0; i < count; i++) {
            ReplayEntry entry = entries[index(i)];
            if (entry.owed) {
                return entry;
            }
        }
        return null;
    }

    /** No request is to be answered any more. */
    void abandon() {
        for (int i = 0; i < count; i++) {
            entries[index(i)].owed = false;
        }
    }

    private int index(int i) {
        int index = oldest + i;
        return index >= entries.length ? index - entries.length : index;
    }
}
