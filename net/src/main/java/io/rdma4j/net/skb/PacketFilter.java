package io.rdma4j.net.skb;

import io.rdma4j.packet.PacketDevice;
import io.rdma4j.packet.SkBuff;
import org.jspecify.annotations.Nullable;

/** Who looks at packets on their way ({@code nf_hookfn}). */
@FunctionalInterface
public interface PacketFilter {
    /**
     * Looks at a packet, and may write on it. On the thread that owns the loop; allocates nothing for a packet, and throws nothing,
     * whatever the bytes: they are not checked before {@link HookPoint#PREROUTING}.
     *
     * @param point where it comes by
     * @param skb begins with its IP header, at {@link HookPoint#EGRESS} with its link header; the place of its network header is
     *     known; stays the caller's
     * @param in where it came in, null if it was made here
     * @param out where it leaves, null if that is not known
     * @return false if it is to be dropped
     */
    boolean pass(HookPoint point, SkBuff skb, @Nullable PacketDevice in, @Nullable PacketDevice out);
}
