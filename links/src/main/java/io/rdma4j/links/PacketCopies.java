// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import org.jspecify.annotations.Nullable;

/**
 * Pool for copies of packets that have several destinations, or must not be changed in place. A clone is not
 * sufficient: its descriptor comes from the pool of the packet, which may belong to another loop. For the owner of the
 * loop; allocates only when more copies are in use than ever before.
 */
final class PacketCopies {
    /** Headroom of a copy, bytes, for one more header. */
    private static final int HEADROOM = 64;

    private final SkBuffPool pool;

    /**
     * @param count maximum number of copies in use
     * @param maxBytes of the longest packet
     */
    PacketCopies(int count, int maxBytes) {
        pool = SkBuffPool.growing(count, HEADROOM + maxBytes);
    }

    /**
     * Returns a linear copy with the packet's metadata; null if no buffer is free, the packet is too long, or the
     * memory of a fragment is closed.
     */
    @Nullable
    SkBuff copy(SkBuff packet) {
        SkBuff copy = copyContent(packet);
        if (copy != null) {
            copy.copyFields(packet);
        }
        return copy;
    }

    /** As {@link #copy}, without the metadata: the packet as another machine receives it. */
    @Nullable
    SkBuff copyContent(SkBuff packet) {
        SkBuff copy = pool.allocate();
        if (copy == null) {
            return null;
        }
        copy.reserve(HEADROOM);
        int length = packet.len();
        if (length > copy.tailroom()) {
            copy.free();
            return null;
        }
        try {
            packet.copyBits(0, copy.memory(), copy.put(length), length);
        } catch (IllegalStateException closed) {
            copy.free();
            return null;
        }
        return copy;
    }

    /** Returns the number of copies in use. */
    int inUse() {
        return pool.count() - pool.available();
    }

    void close() {
        pool.close();
    }
}
