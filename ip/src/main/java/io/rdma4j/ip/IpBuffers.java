// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import org.jspecify.annotations.Nullable;

/**
 * Buffers for headers that the stack itself makes. The bytes after the header are fragments that point into another
 * packet, without a copy; the buffer holds a reference to that packet until it is freed.
 */
final class IpBuffers implements AutoCloseable {
    private static final int COUNT = 256;
    private static final int HEADROOM = 64;
    private static final int BYTES = 192;
    private static final SkBuff.Destructor LET_GO = skb -> {
        if (skb.shinfo().destructorArg() instanceof SkBuff held) {
            held.free();
        }
    };

    private final SkBuffPool pool = SkBuffPool.growing(COUNT, BYTES);

    /** Allocates a packet of {@code length} bytes, which the caller writes; null if no buffer is free. */
    @Nullable
    SkBuff allocate(int length) {
        SkBuff skb = pool.allocate();
        if (skb != null) {
            skb.reserve(HEADROOM);
            skb.put(length);
        }
        return skb;
    }

    /**
     * Appends bytes of another packet to a header, without a copy; at most once for each header.
     *
     * @param offset of the first byte from {@link SkBuff#data} of the other packet; negative for its headers
     * @return false if the other packet has too many fragments: nothing has changed
     */
    static boolean append(SkBuff skb, SkBuff other, int offset, int length) {
        if (other.shinfo().hasFragList() || other.shinfo().fragCount() >= SkBuff.MAX_FRAGS) {
            return false;
        }
        skb.shinfo().destructorArg(other.get());
        skb.destructor(LET_GO);
        int linear = Math.clamp((long) other.headLen() - offset, 0, length);
        if (linear > 0) {
            skb.addFrag(other.memory(), other.data() + (long) offset, linear);
        }
        int skip = offset + linear - other.headLen();
        int left = length - linear;
        for (int i = 0; left > 0 && i < other.shinfo().fragCount(); i++) {
            int part = Math.min(other.shinfo().fragLength(i) - skip, left);
            if (part > 0) {
                skb.addFrag(other.shinfo().fragMemory(i), other.shinfo().fragOffset(i) + skip, part);
                left -= part;
            }
            skip = Math.max(0, skip - other.shinfo().fragLength(i));
        }
        return true;
    }

    /** Number of buffers in use. */
    int inUse() {
        return pool.count() - pool.available();
    }

    @Override
    public void close() {
        pool.close();
    }
}
