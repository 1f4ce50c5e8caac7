package io.rdma4j.net.link;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import org.jspecify.annotations.Nullable;

/**
 * Memory for copies of packets that go several ways, or must not be changed where they are. A clone would not do: its descriptor is from
 * the pool of the packet, which belongs to another loop perhaps. By the owner of the loop; allocates nothing.
 */
final class PacketCopies {
    /** Room in front of a packet: another header may have to go there. */
    private static final int HEADROOM = 64;

    private final SkBuffPool pool;

    /**
     * @param count how many copies there may be at a time
     * @param maxBytes of the longest packet
     */
    PacketCopies(int count, int maxBytes) {
        pool = new SkBuffPool(count, HEADROOM + maxBytes);
    }

    /** A copy, all of it linear, with what the layers wrote on the packet; null if there is no room, or the memory of a fragment is gone. */
    @Nullable
    SkBuff copy(SkBuff packet) {
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
        copy.copyFields(packet);
        return copy;
    }

    /** How many there are now. */
    int inUse() {
        return pool.count() - pool.available();
    }

    /** Gives the memory back. */
    void close() {
        pool.close();
    }
}
