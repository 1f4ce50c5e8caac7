// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.filter;

import io.rdma4j.packet.SkBuff;

/** Action of a rule on packets that it matches ({@code struct xt_target}). */
@FunctionalInterface
public interface FilterAction {
    /**
     * Applies the action to a packet. Called by the owner of the loop; must not allocate or throw. The packet stays the
     * caller's.
     *
     * @param skb packet that the rule matches
     * @return CONTINUE to evaluate the next rule, else the decision on the packet
     */
    FilterVerdict apply(SkBuff skb);

    /** {@return an action that accepts the packet without further rules} */
    static FilterAction accept() {
        return _ -> FilterVerdict.ACCEPT;
    }

    /** {@return an action that drops the packet} */
    static FilterAction drop() {
        return _ -> FilterVerdict.DROP;
    }

    /**
     * {@return an action that sets the mark ({@code MARK})}
     *
     * @param mark 32 bits
     */
    static FilterAction mark(int mark) {
        return mark(mark, -1);
    }

    /**
     * {@return an action that sets some bits of the mark ({@code MARK --set-xmark} with both)}
     *
     * @param mark 32 bits
     * @param mask the bits that change
     */
    static FilterAction mark(int mark, int mask) {
        return skb -> {
            skb.marks().mark(skb.marks().mark() & ~mask | mark & mask);
            return FilterVerdict.CONTINUE;
        };
    }

    /**
     * {@return an action that sets the security label ({@code SECMARK})}
     *
     * @param label 32 bits
     */
    static FilterAction label(int label) {
        return skb -> {
            skb.marks().secmark(label);
            return FilterVerdict.CONTINUE;
        };
    }

    /** {@return an action that starts tracing: each later stage logs the packet ({@code TRACE})} */
    static FilterAction trace() {
        return skb -> {
            skb.marks().trace(true);
            return FilterVerdict.CONTINUE;
        };
    }

    /** {@return an action that ends tracing ({@code nf_reset_trace})} */
    static FilterAction endTrace() {
        return skb -> {
            skb.marks().resetTrace();
            return FilterVerdict.CONTINUE;
        };
    }

    /**
     * {@return an action that marks the packet as taken by a load balancer, so that it is not tracked ({@code
     * ipvs_property})}
     */
    static FilterAction balanced() {
        return skb -> {
            skb.marks().ipvsProperty(true);
            skb.marks().resetFlow();
            return FilterVerdict.CONTINUE;
        };
    }
}
