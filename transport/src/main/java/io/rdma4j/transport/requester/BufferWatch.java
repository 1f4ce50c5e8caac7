// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.requester;

import io.rdma4j.packet.SkBuff;

/**
 * Reports to a requester when its buffers have left this host's memory. Buffers that were in flight when the requester
 * was reset are not reported.
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

    /** Stops reporting the buffers that are in flight. Allocates. */
    void renew() {
        current = newLife();
    }

    /** Registers a buffer that is about to be sent. */
    void add(SkBuff skb) {
        skb.destructor(current);
    }
}
