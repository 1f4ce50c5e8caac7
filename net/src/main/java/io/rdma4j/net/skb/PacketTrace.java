// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.skb;

import io.rdma4j.packet.PacketDevice;
import io.rdma4j.packet.PacketMarks;
import io.rdma4j.packet.SkBuff;
import org.jspecify.annotations.Nullable;

/**
 * Emits events for traced packets ({@link PacketMarks#trace}, {@code nf_log_trace}), one for each stage. The event of
 * the flight recorder is {@code rdma4j.PacketTrace}; it is off unless a recording enables it.
 */
public final class PacketTrace {
    private PacketTrace() {}

    /**
     * Records that a traced packet has reached a stage. The caller checks {@link PacketMarks#trace} first. Allocates,
     * but for traced packets only.
     *
     * @param skb the packet; the caller keeps it
     * @param stage the stage, and the decision there
     * @param in the input device, null if unknown
     * @param out the output device, null if unknown
     */
    public static void stage(SkBuff skb, String stage, @Nullable PacketDevice in, @Nullable PacketDevice out) {
        PacketTraceEvent event = new PacketTraceEvent();
        if (event.isEnabled()) {
            event.stage = stage;
            event.in = in == null ? null : in.name();
            event.out = out == null ? null : out.name();
            event.bytes = skb.len();
            event.mark = skb.marks().mark();
            event.packet = describe(skb);
            event.commit();
        }
    }

    private static String describe(SkBuff skb) {
        FlowKeys keys = new FlowKeys();
        return keys.dissect(skb)
                ? keys.toString()
                : "protocol 0x" + Integer.toHexString(skb.meta().protocol());
    }
}
