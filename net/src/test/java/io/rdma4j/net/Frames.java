package io.rdma4j.net;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.wire.ip.Ethernet;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Ethernet frames for tests. */
public final class Frames {
    private static final int HEADROOM = 64;

    private Frames() {}

    /** Returns a frame with {@code payload}. */
    public static SkBuff frame(SkBuffPool pool, long destination, long source, int etherType, byte[] payload) {
        SkBuff skb = Packets.allocate(pool);
        skb.reserve(HEADROOM);
        Ethernet.write(skb.memory(), skb.put(Ethernet.BYTES), destination, source, etherType);
        int at = skb.put(payload.length);
        MemorySegment.copy(payload, 0, skb.memory(), ValueLayout.JAVA_BYTE, at, payload.length);
        return skb;
    }
}
