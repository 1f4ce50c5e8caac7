package io.rdma4j.net.ip;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import org.jspecify.annotations.Nullable;

/**
 * Buffers for what the stack itself makes: headers. What follows them are bytes of other packets, which are not copied but
 * stay where they are; that packet is held until this one is freed.
 */
final class IpBuffers implements AutoCloseable {
    private static final int COUNT = 256;
    private static final int HEADROOM = 64;
    private static final int BYTES = 192;
    private static final SkBuff.Destructor LET_GO = skb -> {
        if (skb.destructorArg() instanceof SkBuff held) {
            held.free();
        }
    };

    private final SkBuffPool pool = new SkBuffPool(COUNT, BYTES);

    /** A packet of {@code length} bytes, to be written by the caller; null if too many are under way. */
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
     * Lets bytes of another packet follow a header, once.
     *
     * @param offset of the first byte from {@link SkBuff#data} of the other; negative for its headers
     * @return false if they lie in too many pieces: nothing has changed
     */
    static boolean append(SkBuff skb, SkBuff other, int offset, int length) {
        if (other.hasFragList() || other.fragCount() >= SkBuff.MAX_FRAGS) {
            return false;
        }
        skb.destructorArg(other.get());
        skb.destructor(LET_GO);
        int linear = Math.clamp((long) other.headLen() - offset, 0, length);
        if (linear > 0) {
            skb.addFrag(other.memory(), other.data() + (long) offset, linear);
        }
        int skip = offset + linear - other.headLen();
        int left = length - linear;
        for (int i = 0; left > 0 && i < other.fragCount(); i++) {
            int part = Math.min(other.fragLength(i) - skip, left);
            if (part > 0) {
                skb.addFrag(other.fragMemory(i), other.fragOffset(i) + skip, part);
                left -= part;
            }
            skip = Math.max(0, skip - other.fragLength(i));
        }
        return true;
    }

    /** Buffers that are under way. */
    int inUse() {
        return pool.count() - pool.available();
    }

    @Override
    public void close() {
        pool.close();
    }
}
