// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

import io.rdma4j.fabric.LaneQueue.Crossing;
import org.jspecify.annotations.Nullable;

/**
 * The crossings that wait for one virtual lane of an output port, oldest first. Each input queue has at most one packet
 * in it, so this order is round robin among inputs.
 */
final class CrossingList {
    private @Nullable Crossing first;
    private @Nullable Crossing last;
    /** Since when the first one is the first one. */
    private long headSinceNs;

    @Nullable
    Crossing first() {
        return first;
    }

    boolean isEmpty() {
        return first == null;
    }

    long headSinceNs() {
        return headSinceNs;
    }

    void add(Crossing crossing, long nowNs) {
        crossing.next = null;
        if (last == null) {
            first = crossing;
            headSinceNs = nowNs;
        } else {
            last.next = crossing;
        }
        last = crossing;
    }

    /** Removes the first one; the list is not empty. */
    Crossing take(long nowNs) {
        Crossing taken = first;
        if (taken == null) {
            throw new IllegalStateException("no packet waits");
        }
        first = taken.next;
        taken.next = null;
        if (first == null) {
            last = null;
        }
        headSinceNs = nowNs;
        return taken;
    }

    /** Removes a crossing wherever it is. */
    void remove(Crossing crossing, long nowNs) {
        if (first == crossing) {
            take(nowNs);
            return;
        }
        Crossing before = first;
        while (before != null && before.next != crossing) {
            before = before.next;
        }
        if (before != null) {
            before.next = crossing.next;
            crossing.next = null;
            if (last == crossing) {
                last = before;
            }
        }
    }
}
