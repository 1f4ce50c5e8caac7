// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.skb;

import io.rdma4j.packet.PacketDevice;
import io.rdma4j.packet.SkBuff;
import org.jspecify.annotations.Nullable;

/** A filter of packets at a {@link HookPoint} ({@code nf_hookfn}). */
@FunctionalInterface
public interface PacketFilter {
    /**
     * Filters a packet, and may change it. Called by the loop's owner. Allocates nothing for a packet, and throws
     * nothing, whatever the bytes: they are not validated before {@link HookPoint#PREROUTING}.
     *
     * @param point the point on the packet's path
     * @param skb begins with its IP header, at {@link HookPoint#EGRESS} with its link header; the offset of its network
     *     header is set; the caller keeps it
     * @param in the input device, null if this host created the packet
     * @param out the output device, null if not known
     * @return false to drop the packet
     */
    boolean pass(HookPoint point, SkBuff skb, @Nullable PacketDevice in, @Nullable PacketDevice out);
}
