// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.filter;

import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.net.skb.PacketFilter;
import io.rdma4j.net.skb.PacketHooks;
import io.rdma4j.net.skb.PacketTrace;
import io.rdma4j.packet.PacketDevice;
import io.rdma4j.packet.SkBuff;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An ordered list of rules for each hook point, with a policy for packets that no rule decides on ({@code struct
 * xt_table}).
 *
 * <p>The table is registered at a hook point only while there is a rule or a policy for it. Any thread may change the
 * table; the loop reads immutable arrays.
 */
public final class FilterTable implements PacketFilter {
    /** Rules and policy of one hook point; immutable. */
    private static final class Chain {
        final FilterRule[] rules;
        final FilterVerdict policy;

        Chain(FilterRule[] rules, FilterVerdict policy) {
            this.rules = rules;
            this.policy = policy;
        }

        boolean isIdle() {
            return rules.length == 0 && policy == FilterVerdict.ACCEPT;
        }
    }

    private static final Chain EMPTY = new Chain(new FilterRule[0], FilterVerdict.ACCEPT);

    /** Rule number of the policy in a trace. */
    private static final int POLICY = 0;

    private final String name;
    private final PacketHooks hooks;
    private final int priority;
    private final FilterPacket packet = new FilterPacket();
    private volatile Chain[] chains;

    /**
     * Creates a table without rules, which accepts all packets.
     *
     * @param name for traces
     * @param hooks where the table is registered
     * @param priority among the filters there, see {@link PacketHooks#register}
     */
    public FilterTable(String name, PacketHooks hooks, int priority) {
        this.name = name;
        this.hooks = hooks;
        this.priority = priority;
        chains = new Chain[HookPoint.values().length];
        Arrays.fill(chains, EMPTY);
    }

    /**
     * Adds a rule after all others of a hook point ({@code iptables -A}).
     *
     * @param point hook point of the rule
     * @param rule that is in no table
     */
    public synchronized void append(HookPoint point, FilterRule rule) {
        Chain chain = chains[point.ordinal()];
        FilterRule[] rules =
                Stream.concat(Arrays.stream(chain.rules), Stream.of(rule)).toArray(FilterRule[]::new);
        replace(point, new Chain(rules, chain.policy));
    }

    /**
     * Removes a rule of a hook point ({@code iptables -D}); does nothing if it is not there.
     *
     * @param point hook point of the rule
     * @param rule the same object
     */
    @SuppressWarnings("ReferenceEquality") // a rule is itself
    public synchronized void delete(HookPoint point, FilterRule rule) {
        Chain chain = chains[point.ordinal()];
        FilterRule[] rules =
                Arrays.stream(chain.rules).filter(other -> other != rule).toArray(FilterRule[]::new);
        replace(point, new Chain(rules, chain.policy));
    }

    /**
     * Removes all rules of a hook point ({@code iptables -F}); keeps the policy.
     *
     * @param point hook point of the rules
     */
    public synchronized void flush(HookPoint point) {
        replace(point, new Chain(EMPTY.rules, chains[point.ordinal()].policy));
    }

    /**
     * Sets the decision on packets that no rule decides on ({@code iptables -P}).
     *
     * @param point hook point of the policy
     * @param verdict ACCEPT or DROP
     * @throws IllegalArgumentException for CONTINUE, which is no decision
     */
    public synchronized void policy(HookPoint point, FilterVerdict verdict) {
        if (verdict == FilterVerdict.CONTINUE) {
            throw new IllegalArgumentException("a policy decides: ACCEPT or DROP");
        }
        replace(point, new Chain(chains[point.ordinal()].rules, verdict));
    }

    /**
     * {@return the rules of a hook point in order, a copy}
     *
     * @param point hook point of the rules
     */
    public List<FilterRule> rules(HookPoint point) {
        return List.of(chains[point.ordinal()].rules);
    }

    private void replace(HookPoint point, Chain chain) {
        Chain before = chains[point.ordinal()];
        Chain[] changed = chains.clone();
        changed[point.ordinal()] = chain;
        chains = changed;
        if (before.isIdle() && !chain.isIdle()) {
            hooks.register(point, priority, this);
        } else if (!before.isIdle() && chain.isIdle()) {
            hooks.unregister(point, this);
        }
    }

    /** Evaluates the rules for a packet ({@code ipt_do_table}). */
    @Override
    public boolean pass(HookPoint point, SkBuff skb, @Nullable PacketDevice in, @Nullable PacketDevice out) {
        Chain chain = chains[point.ordinal()];
        packet.set(point, skb, in, out);
        for (int i = 0; i < chain.rules.length; i++) {
            FilterVerdict verdict = chain.rules[i].apply(packet);
            if (verdict != FilterVerdict.CONTINUE) {
                return conclude(i + 1, verdict);
            }
        }
        return conclude(POLICY, chain.policy);
    }

    private boolean conclude(int rule, FilterVerdict verdict) {
        if (packet.skb().marks().trace()) {
            String by = rule == POLICY ? "policy" : "rule " + rule;
            PacketTrace.stage(
                    packet.skb(), name + " " + packet.point() + " " + by + ": " + verdict, packet.in(), packet.out());
        }
        return verdict == FilterVerdict.ACCEPT;
    }
}
