// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.filter;

import io.rdma4j.packet.SkBuff;

/**
 * One rule of a table: a match, an action, and counters of matched packets. The owner of the loop writes the counters;
 * any thread may read them, perhaps a little late.
 */
public final class FilterRule {
    private final FilterMatch match;
    private final FilterAction action;
    private long packets;
    private long bytes;

    /**
     * Creates a rule, which can be in one table only.
     *
     * @param match packets to which the rule applies
     * @param action applied to these packets
     */
    public FilterRule(FilterMatch match, FilterAction action) {
        this.match = match;
        this.action = action;
    }

    FilterVerdict apply(FilterPacket packet) {
        if (!match.matches(packet)) {
            return FilterVerdict.CONTINUE;
        }
        SkBuff skb = packet.skb();
        packets++;
        bytes += skb.len();
        return action.apply(skb);
    }

    /** {@return number of matched packets} */
    public long packets() {
        return packets;
    }

    /** {@return number of bytes in the matched packets, counted from the header at which the hook point starts} */
    public long bytes() {
        return bytes;
    }
}
