package io.rdma4j.net.shm;

import io.rdma4j.base.Gid;
import io.rdma4j.packet.SkBuff;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the destinations that one sends to: by which channel a process on this machine is reached there, or that none is. For one
 * thread; looking up allocates nothing.
 *
 * <p>Open addressing with a bounded probe: a destination that finds no place takes the place of another one, who will be looked for anew
 * when needed.
 */
final class PeerTable {
    /** A destination; without a channel it is not on this machine. */
    record Peer(ShmPath path, @Nullable ShmChannel channel) {}

    /** A power of two. */
    private static final int CAPACITY = 256;

    private static final int PROBES = 8;

    private @Nullable Peer[] peers = new Peer[CAPACITY];
    private @Nullable Peer last;

    /** The destination that was found last, if a packet of any kind goes there; else null. */
    @Nullable
    Peer findAgain(SkBuff skb) {
        Peer recent = last;
        return recent != null && recent.path.isOf(skb) ? recent : null;
    }

    /** What is known of the destination of a packet that {@link ShmPath#isPlain}; null: nothing. */
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

    /** What is known of a destination; null: nothing. */
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

    /** Notes what is known of a destination, in place of what was. */
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

    /** Forgets all: the next packet to each destination asks again. */
    void clear() {
        peers = new Peer[CAPACITY];
        last = null;
    }
}
