package io.rdma4j.net.filter;

import io.rdma4j.base.Deadline;
import io.rdma4j.net.skb.FlowHash;
import org.jspecify.annotations.Nullable;

/**
 * The flows that the tracker remembers ({@code nf_conntrack_hash}): a bounded table with chains.
 *
 * <p>Both directions of a flow fall into one bucket, so that an entry stands in it once. What has expired is removed when
 * somebody comes by, and whoever adds an entry looks through a few more buckets.
 */
final class FlowTable {
    /** Buckets that are looked through for each new entry. */
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

    /** The entry of a packet's flow, whichever way it goes; null if there is none. */
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
        // An echo's identifier is no port, so that the hash does not know it.
        int mixed = hash.of(tuple.keys()) ^ (tuple.keys().hasPorts() ? 0 : tuple.sourcePort());
        return mixed & buckets.length - 1;
    }

    /**
     * Adds an entry, or finds the one of the same flow that another packet has brought in meanwhile.
     *
     * @return the entry that stands in the table; null if it is full of flows that are alive
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

    /** When the table is full, what nobody has answered goes as well ({@code early_drop}). */
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
