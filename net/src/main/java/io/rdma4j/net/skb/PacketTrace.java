package io.rdma4j.net.skb;

import io.rdma4j.packet.PacketDevice;
import io.rdma4j.packet.SkBuff;
import org.jspecify.annotations.Nullable;

/**
 * Tells of the packets that a filter wants traced ({@link SkBuff#trace}, {@code nf_log_trace}), stage by stage: an event of the
 * flight recorder, {@code rdma4j.PacketTrace}, off unless a recording asks for it.
 */
public final class PacketTrace {
    private PacketTrace() {}

    /**
     * A traced packet has come to a stage; callers ask {@link SkBuff#trace} first. Allocates, but for traced packets only.
     *
     * @param skb stays the caller's
     * @param stage where, and what becomes of it
     * @param in where it came in, null if unknown
     * @param out where it leaves, null if unknown
     */
    public static void stage(SkBuff skb, String stage, @Nullable PacketDevice in, @Nullable PacketDevice out) {
        PacketTraceEvent event = new PacketTraceEvent();
        if (event.isEnabled()) {
            event.stage = stage;
            event.in = in == null ? null : in.name();
            event.out = out == null ? null : out.name();
            event.bytes = skb.len();
            event.mark = skb.mark();
            event.packet = describe(skb);
            event.commit();
        }
    }

    private static String describe(SkBuff skb) {
        FlowKeys keys = new FlowKeys();
        return keys.dissect(skb) ? keys.toString() : "protocol 0x" + Integer.toHexString(skb.protocol());
    }
}
