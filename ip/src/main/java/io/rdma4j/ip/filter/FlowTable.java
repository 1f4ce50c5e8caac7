// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.filter;

import io.rdma4j.base.Deadline;
import io.rdma4j.net.skb.FlowHash;
import org.jspecify.annotations.Nullable;

/**
 * Bounded hash table of tracked flows ({@code nf_conntrack_hash}).
 *
 * <p>Both directions of a flow have the same bucket, so each flow has one entry. Expired entries are removed when their
 * bucket is searched. Each insertion cleans {@link #SWEEP} further buckets.
 */
final class FlowTable {
    /** Number of buckets that are cleaned for each new entry. */
    private static final int SWEEP = 8;

    private final @Nullable FlowEntry[] buckets;
    private final int capacity;
    private final FlowHash hash;
    private int size;
    private int sweepAt;

    FlowTable(int capacity, FlowHash hash) {
        this.capacity = capacity;
        this.hash = hash;
        this.buckets = new FlowEntry[Integer.highestOneBit(Math.max(1, capacity - 1)) << 1];
    }

    int size() {
        return size;
    }

    /** Returns the entry of a packet's flow in either direction; null if there is none. */
    @Nullable
    FlowEntry find(FlowTuple tuple, int bucket, long nowNs) {
        clean(bucket, nowNs, false);
        for (FlowEntry entry = buckets[bucket]; entry != null; entry = entry.next) {
            if (entry.isOriginal(tuple) || entry.isReply(tuple)) {
                return entry;
            }
        }
        return null;
    }

    int bucketOf(FlowTuple tuple) {
        // The hash does not include the identifier of an echo, because it is no port.
        int mixed = hash.of(tuple.keys()) ^ (tuple.keys().hasPorts() ? 0 : tuple.sourcePort());
        return mixed & buckets.length - 1;
    }

    /**
     * Adds an entry, unless another packet has added the same flow since the lookup.
     *
     * @return the entry in the table; null if the table is full of flows that may not be removed
     */
    @Nullable
    FlowEntry add(FlowEntry entry, long nowNs) {
        int bucket = entry.bucket;
        for (FlowEntry other = buckets[bucket]; other != null; other = other.next) {
            if (other.isSame(entry)) {
                return other;
            }
        }
        sweep(nowNs);
        if (size == capacity) {
            return null;
        }
        entry.next = buckets[bucket];
        buckets[bucket] = entry;
        size++;
        return entry;
    }

    /** Removes expired entries; if the table is full, also those of unanswered flows ({@code early_drop}). */
    private void sweep(long nowNs) {
        boolean full = size == capacity;
        for (int i = 0; i < SWEEP; i++) {
            clean(sweepAt, nowNs, full);
            sweepAt = sweepAt + 1 & buckets.length - 1;
        }
    }

    private void clean(int bucket, long nowNs, boolean unanswered) {
        FlowEntry before = null;
        for (FlowEntry entry = buckets[bucket]; entry != null; entry = entry.next) {
            if (!Deadline.isDue(entry.expiresNs, nowNs) && !(unanswered && !entry.isAnswered())) {
                before = entry;
                continue;
            }
            entry.confirmed = false;
            size--;
            if (before == null) {
                buckets[bucket] = entry.next;
            } else {
                before.next = entry.next;
            }
        }
    }
}
