// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import io.rdma4j.base.Gid;
import io.rdma4j.packet.SkBuff;
import org.jspecify.annotations.Nullable;

/**
 * Cache of destinations: the channel to a process on this machine, or the result that there is none. For one thread;
 * lookups allocate nothing.
 *
 * <p>Open addressing with a bounded probe sequence. If all probed slots are taken, a new entry replaces another one,
 * which is looked up again when needed.
 */
final class PeerTable {
    /** A destination. {@code channel} is null if no process on this machine serves it. */
    record Peer(ShmPath path, @Nullable ShmChannel channel) {}

    /** A power of two. */
    private static final int CAPACITY = 256;

    private static final int PROBES = 8;

    private @Nullable Peer[] peers = new Peer[CAPACITY];
    private @Nullable Peer last;

    /** Returns the destination found last if it is that of a packet of any kind; else null. */
    @Nullable
    Peer findAgain(SkBuff skb) {
        Peer recent = last;
        return recent != null && recent.path.isOf(skb) ? recent : null;
    }

    /** Returns the entry for the destination of a packet that {@link ShmPath#isPlain}; null if there is none. */
    @Nullable
    Peer find(SkBuff skb) {
        int home = ShmPath.hash(skb);
        for (int i = 0; i < PROBES; i++) {
            Peer peer = peers[home + i & CAPACITY - 1];
            if (peer != null && peer.path.isOf(skb)) {
                last = peer;
                return peer;
            }
        }
        return null;
    }

    /** Returns the entry for a destination; null if there is none. */
    @Nullable
    Peer find(Gid source, Gid destination, int port) {
        Peer recent = last;
        if (recent != null && recent.path.is(source, destination, port)) {
            return recent;
        }
        int home = ShmPath.hash(source, destination);
        for (int i = 0; i < PROBES; i++) {
            Peer peer = peers[home + i & CAPACITY - 1];
            if (peer != null && peer.path.is(source, destination, port)) {
                last = peer;
                return peer;
            }
        }
        return null;
    }

    /** Adds or replaces the entry of a destination. */
    void put(Peer peer) {
        int home = peer.path.hash();
        int place = home & CAPACITY - 1;
        for (int i = PROBES - 1; i >= 0; i--) {
            int at = home + i & CAPACITY - 1;
            Peer other = peers[at];
            if (other == null) {
                place = at;
            } else if (other.path.equals(peer.path)) {
                place = at;
                break;
            }
        }
        peers[place] = peer;
        last = null;
    }

    /** Removes all entries: the next packet to each destination triggers a new lookup. */
    void clear() {
        peers = new Peer[CAPACITY];
        last = null;
    }
}
