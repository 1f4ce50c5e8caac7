package io.rdma4j.net.linux;

import io.rdma4j.packet.SkBuff;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A packet as the kernel takes it: one piece of memory that the driver or its buffer pool owns. The kernel is given a plain address, so the memory of
 * a fragment, which may be a program's, is copied: the program can close it at any time. For one thread at a time; allocates nothing after the
 * constructor.
 */
final class OutgoingFrame {
    private final IoVector vector = new IoVector(1);
    private final MemorySegment copy;

    /** @param maxBytes of a buffer */
    OutgoingFrame(int maxBytes) {
        copy = Arena.ofAuto().allocate(maxBytes);
    }

    /** The piece of memory. */
    IoVector vector() {
        return vector;
    }

    /**
     * Lets the vector point at the bytes of a buffer that is not longer than agreed.
     *
     * @param skip how many bytes of the linear part to leave out
     * @return false if the memory of a fragment is gone
     */
    boolean gather(SkBuff skb, int skip) {
        if (skb.fragCount() == 0 && !skb.hasFragList()) {
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
