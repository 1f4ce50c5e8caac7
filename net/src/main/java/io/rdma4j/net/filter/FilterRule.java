package io.rdma4j.net.filter;

import io.rdma4j.packet.SkBuff;

/**
 * One line of a table: for which packets, and what becomes of them. Counts them; counters are written by the owner of the loop
 * and may be read by any thread, a little old.
 */
public final class FilterRule {
    private final FilterMatch match;
    private final FilterAction action;
    private long packets;
    private long bytes;

    /**
     * A rule; one object stands in one table only.
     *
     * @param match which packets it is for
     * @param action what it does to them
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

    /** {@return how many packets it was for} */
    public long packets() {
        return packets;
    }

    /** {@return how many bytes those had, from where the hook sees them} */
    public long bytes() {
        return bytes;
    }
}
