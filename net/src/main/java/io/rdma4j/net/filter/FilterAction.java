package io.rdma4j.net.filter;

import io.rdma4j.packet.SkBuff;

/** What a rule does to packets that it matches ({@code struct xt_target}). */
@FunctionalInterface
public interface FilterAction {
    /**
     * Does it to a packet. On the thread that owns the loop; allocates nothing, throws nothing; the packet stays the
     * caller's.
     *
     * @param skb what a rule has matched
     * @return CONTINUE for the next rule, or what becomes of the packet
     */
    FilterVerdict apply(SkBuff skb);

    /** {@return the packet goes on, whatever other rules say} */
    static FilterAction accept() {
        return _ -> FilterVerdict.ACCEPT;
    }

    /** {@return the packet is dropped} */
    static FilterAction drop() {
        return _ -> FilterVerdict.DROP;
    }

    /**
     * {@return one that sets the mark ({@code MARK})}
     *
     * @param mark 32 bits
     */
    static FilterAction mark(int mark) {
        return mark(mark, -1);
    }

    /**
     * {@return one that sets some bits of the mark ({@code MARK --set-xmark} with both)}
     *
     * @param mark 32 bits
     * @param mask the bits that change
     */
    static FilterAction mark(int mark, int mask) {
        return skb -> {
            skb.mark(skb.mark() & ~mask | mark & mask);
            return FilterVerdict.CONTINUE;
        };
    }

    /**
     * {@return one that sets the security label ({@code SECMARK})}
     *
     * @param label 32 bits
     */
    static FilterAction label(int label) {
        return skb -> {
            skb.secmark(label);
            return FilterVerdict.CONTINUE;
        };
    }

    /** {@return one from which on each stage tells of the packet ({@code TRACE})} */
    static FilterAction trace() {
        return skb -> {
            skb.trace(true);
            return FilterVerdict.CONTINUE;
        };
    }

    /** {@return one from which on stages tell of it no more ({@code nf_reset_trace})} */
    static FilterAction endTrace() {
        return skb -> {
            skb.resetTrace();
            return FilterVerdict.CONTINUE;
        };
    }

    /**
     * {@return a load balancer has taken the packet: no flow of this host, nobody tracks it ({@code ipvs_property})}
     */
    static FilterAction balanced() {
        return skb -> {
            skb.ipvsProperty(true);
            skb.resetFlow();
            return FilterVerdict.CONTINUE;
        };
    }
}
