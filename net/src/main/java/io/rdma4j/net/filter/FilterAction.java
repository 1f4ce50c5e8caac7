package io.rdma4j.net.filter;

import io.rdma4j.packet.SkBuff;

/** What a rule does to packets that it matches ({@code struct xt_target}). */
@FunctionalInterface
public interface FilterAction {
    /** On the thread that owns the loop; allocates nothing, throws nothing; the packet stays the caller's. */
    FilterVerdict apply(SkBuff skb);

    /** The packet goes on, whatever other rules say. */
    static FilterAction accept() {
        return _ -> FilterVerdict.ACCEPT;
    }

    /** The packet is dropped. */
    static FilterAction drop() {
        return _ -> FilterVerdict.DROP;
    }

    /** Sets the mark ({@code MARK}). */
    static FilterAction mark(int mark) {
        return mark(mark, -1);
    }

    /**
     * Sets some bits of the mark ({@code MARK --set-xmark} with both).
     *
     * @param mask the bits that change
     */
    static FilterAction mark(int mark, int mask) {
        return skb -> {
            skb.mark(skb.mark() & ~mask | mark & mask);
            return FilterVerdict.CONTINUE;
        };
    }

    /** Sets the security label ({@code SECMARK}). */
    static FilterAction label(int label) {
        return skb -> {
            skb.secmark(label);
            return FilterVerdict.CONTINUE;
        };
    }

    /** From here on, each stage tells of the packet ({@code TRACE}). */
    static FilterAction trace() {
        return skb -> {
            skb.trace(true);
            return FilterVerdict.CONTINUE;
        };
    }

    /** Stages tell of it no more ({@code nf_reset_trace}). */
    static FilterAction endTrace() {
        return skb -> {
            skb.resetTrace();
            return FilterVerdict.CONTINUE;
        };
    }

    /** A load balancer has taken the packet: no flow of this host, nobody tracks it ({@code ipvs_property}). */
    static FilterAction balanced() {
        return skb -> {
            skb.ipvsProperty(true);
            skb.resetFlow();
            return FilterVerdict.CONTINUE;
        };
    }
}
