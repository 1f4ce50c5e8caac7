package io.rdma4j.net.linux;

import io.rdma4j.packet.SkBuff;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The pieces of a buffer as the kernel wants to have them: nothing is copied, wherever the bytes lie, but a list of buffers, which
 * only reassembled packets have. For one thread at a time; allocates nothing after the constructor.
 */
final class OutgoingFrame {
    /** The linear part and the fragments. */
    static final int MAX_PIECES = 1 + SkBuff.MAX_FRAGS;

    private final IoVector vector;
    private final MemorySegment copy;

    /** @param maxBytes of a buffer */
    OutgoingFrame(int maxBytes) {
        this(new IoVector(MAX_PIECES), maxBytes);
    }

    /** @param vector with {@link #MAX_PIECES} elements, which may serve other purposes in between */
    OutgoingFrame(IoVector vector, int maxBytes) {
        this.vector = vector;
        copy = Arena.ofAuto().allocate(maxBytes);
    }

    IoVector vector() {
        return vector;
    }

    /**
     * Lets the vector point at the bytes of a buffer that is not longer than agreed.
     *
     * @param skip how many bytes of the linear part to leave out
     * @return how many elements; 0 if the memory of a fragment is gone
     */
    int gather(SkBuff skb, int skip) {
        try {
            return skb.hasFragList() ? copied(skb, skip) : pieces(skb, skip);
        } catch (IllegalStateException closed) {
            return 0;
        }
    }

    private int copied(SkBuff skb, int skip) {
        int length = skb.len() - skip;
        skb.copyBits(skip, copy, 0, length);
        vector.set(0, copy, 0, length);
        return 1;
    }

    private int pieces(SkBuff skb, int skip) {
        vector.set(0, skb.memory(), skb.data() + (long) skip, skb.headLen() - skip);
        int fragments = skb.fragCount();
        for (int i = 0; i < fragments; i++) {
            MemorySegment memory = skb.fragMemory(i);
            if (!memory.scope().isAlive()) {
                return 0;
            }
            vector.set(i + 1, memory, skb.fragOffset(i), skb.fragLength(i));
        }
        return 1 + fragments;
    }
}
