// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.neighbour;

import io.rdma4j.base.Gid;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a {@link NeighbourTable} by IP address ({@code struct neigh_hash_table}). Belongs to the owner of the
 * loop. Only {@link #list} allocates.
 */
final class NeighbourHashTable {
    private static final int BUCKETS = 256;
    private static final long GOLDEN_RATIO = 0x9E37_79B9_7F4A_7C15L;
    private static final int BUCKET_SHIFT = Long.SIZE - Integer.numberOfTrailingZeros(BUCKETS);

    /** The first entry of each bucket; the others follow through {@code next}. */
    private final @Nullable Neighbour[] buckets = new Neighbour[BUCKETS];

    private int size;

    int size() {
        return size;
    }

    @Nullable
    Neighbour find(long prefix, long interfaceId) {
        Neighbour n = buckets[bucket(prefix, interfaceId)];
        while (n != null && !n.is(prefix, interfaceId)) {
            n = n.next;
        }
        return n;
    }

    /** Adds an entry; its address must not be in the table. */
    void add(Neighbour n) {
        int bucket = bucket(n);
        n.next = buckets[bucket];
        buckets[bucket] = n;
        size++;
    }

    /** Removes an entry of this table. A caller of {@link #next} can go on from it. */
    @SuppressWarnings("ReferenceEquality") // an entry is itself
    void remove(Neighbour gone) {
        int bucket = bucket(gone);
        Neighbour before = null;
        Neighbour n = buckets[bucket];
        while (n != null && n != gone) {
            before = n;
            n = n.next;
        }
        if (before == null) {
            buckets[bucket] = gone.next;
        } else {
            before.next = gone.next;
        }
        size--;
    }

    /** Returns the first entry, null if there is none; the order has no meaning. */
    @Nullable
    Neighbour first() {
        return firstFrom(0);
    }

    /** Returns the entry after another one; null after the last one. */
    @Nullable
    Neighbour next(Neighbour n) {
        Neighbour following = n.next;
        return following == null ? firstFrom(bucket(n) + 1) : following;
    }

    private @Nullable Neighbour firstFrom(int bucket) {
        for (int i = bucket; i < BUCKETS; i++) {
            Neighbour n = buckets[i];
            if (n != null) {
                return n;
            }
        }
        return null;
    }

    /** Returns a copy. */
    List<Neighbour> list() {
        List<Neighbour> all = new ArrayList<>(size);
        for (Neighbour n = first(); n != null; n = next(n)) {
            all.add(n);
        }
        return all;
    }

    private static int bucket(Neighbour n) {
        Gid address = n.address();
        return bucket(address.prefix(), address.interfaceId());
    }

    private static int bucket(long prefix, long interfaceId) {
        return (int) ((prefix * 31 + interfaceId) * GOLDEN_RATIO >>> BUCKET_SHIFT);
    }
}
