// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.responder;

import org.jspecify.annotations.Nullable;

/**
 * The last {@code max_dest_rd_atomic} requests that may have to be responded to again (IBA 9.7.5.1.3, 9.9.3.2), oldest
 * to newest; pending responses are sent in this order.
 */
final class ReplayTable {
    private static final ReplayEntry[] NONE = {};

    /** Allocated when the first request is added. */
    private ReplayEntry[] entries = NONE;

    private int limit;
    private int oldest;
    private int count;

    /** @param limit maximum number of requests: see {@link #resize} */
    ReplayTable(int limit) {
        this.limit = limit;
    }

    /** Makes room for {@code requests} requests; the newest existing entries are kept. */
    void resize(int requests) {
        limit = requests;
        if (entries.length > 0) {
            move();
        }
    }

    private void move() {
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
     * True if another request is allowed: the oldest of a full table has been responded to. If that response is being
     * repeated, the peer must have received the first one, since it could not send more requests otherwise: the
     * repetition is obsolete.
     */
    boolean hasRoom() {
        return count < limit || count > 0 && entries[oldest].wasAnswered;
    }

    /** Replaces the oldest request if the table is full; the caller has checked {@link #hasRoom}. */
    ReplayEntry add() {
        if (entries.length == 0) {
            move();
        }
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

    /** The oldest request with a pending response, or null. */
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

    /** Cancels all pending responses. */
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
