// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

import io.rdma4j.packet.SkBuff;
import org.jspecify.annotations.Nullable;

/** Free descriptors of packets, and the number of those in use. Grows when it is empty. */
final class IbPacketPool {
    private @Nullable IbPacket free;
    private long inUse;

    IbPacket take() {
        inUse++;
        IbPacket packet = free;
        if (packet == null) {
            return new IbPacket();
        }
        free = packet.next;
        packet.next = null;
        return packet;
    }

    /** Returns the descriptor, and frees the buffer. */
    void give(IbPacket packet) {
        release(packet).free();
    }

    /**
     * Returns the descriptor. The caller owns the buffer then, whose offsets it may change.
     *
     * @return null if the buffer is shared and its pool has no descriptor left; it is freed then
     */
    @Nullable
    SkBuff take(IbPacket packet) {
        return release(packet).shareCheck();
    }

    private SkBuff release(IbPacket packet) {
        SkBuff skb = packet.buffer();
        packet.skb = null;
        packet.next = free;
        free = packet;
        inUse--;
        return skb;
    }

    /** Packets between the ports that sent them and the ports that receive them. */
    long inUse() {
        return inUse;
    }
}
