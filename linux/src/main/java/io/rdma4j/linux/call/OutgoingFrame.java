// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.linux.call;

import io.rdma4j.packet.SkBuff;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A packet in one contiguous memory segment that the driver or its buffer pool owns, for a system call. The kernel gets
 * a plain address, and the application can close the memory of a fragment at any time, so fragments are copied. For one
 * thread at a time; allocates nothing after the constructor.
 */
public final class OutgoingFrame {
    private final IoVector vector = new IoVector(1);
    private final MemorySegment copy;

    public OutgoingFrame(int maxBytes) {
        copy = Arena.ofAuto().allocate(maxBytes);
    }

    /** Returns the vector that contains the memory segment. */
    public IoVector vector() {
        return vector;
    }

    /**
     * Sets the vector to the bytes of a buffer, which has at most {@code maxBytes}.
     *
     * @param skip bytes of the linear part to omit
     * @return false if the memory of a fragment is closed
     */
    public boolean gather(SkBuff skb, int skip) {
        if (skb.shinfo().fragCount() == 0 && !skb.shinfo().hasFragList()) {
            vector.set(0, skb.memory(), skb.data() + (long) skip, skb.headLen() - skip);
            return true;
        }
        int length = skb.len() - skip;
        try {
            skb.copyBits(skip, copy, 0, length);
        } catch (IllegalStateException closed) {
            return false;
        }
        vector.set(0, copy, 0, length);
        return true;
    }
}
