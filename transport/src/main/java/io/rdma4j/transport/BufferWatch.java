package io.rdma4j.transport;

import io.rdma4j.packet.SkBuff;

/**
 * Hears when a requester's buffers have left this host's memory, but nothing of those that were under way when the requester
 * began anew: they are nobody's.
 */
final class BufferWatch {
    private final SkBuff.Destructor listener;
    private int lives;
    private SkBuff.Destructor current;

    BufferWatch(SkBuff.Destructor listener) {
        this.listener = listener;
        this.current = newLife();
    }

    private SkBuff.Destructor newLife() {
        int life = ++lives;
        return skb -> {
            if (life == lives) {
                listener.destroy(skb);
            }
        };
    }

    /** Forgets the buffers that are under way. Allocates. */
    void renew() {
        current = newLife();
    }

    /** From now on the buffer is under way. */
    void add(SkBuff skb) {
        skb.destructor(current);
    }
}
