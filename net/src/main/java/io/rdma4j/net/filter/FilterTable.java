package io.rdma4j.net.filter;

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
 * Rules in their order, for each hook point a list and what becomes of packets that no rule decides on ({@code struct
 * xt_table}).
 *
 * <p>It asks for packets at a point while there is a rule or a policy for it. Any thread changes it; the loop reads arrays that
 * are never changed.
 */
public final class FilterTable implements PacketFilter {
    /** Never changed. */
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

    /** In place of the number of a rule. */
    private static final int POLICY = 0;

    private final String name;
    private final PacketHooks hooks;
    private final int priority;
    private final FilterPacket packet = new FilterPacket();
    private volatile Chain[] chains;

    /**
     * A table without rules, which accepts all.
     *
     * @param name for traces
     * @param hooks that it is to be asked by
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
     * Adds a rule behind all others of a point ({@code iptables -A}).
     *
     * @param point where packets come by
     * @param rule one that stands in no table
     */
    public synchronized void append(HookPoint point, FilterRule rule) {
        Chain chain = chains[point.ordinal()];
        FilterRule[] rules =
                Stream.concat(Arrays.stream(chain.rules), Stream.of(rule)).toArray(FilterRule[]::new);
        replace(point, new Chain(rules, chain.policy));
    }

    /**
     * Takes a rule out of a point ({@code iptables -D}); nothing happens if it is not there.
     *
     * @param point where packets come by
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
     * Takes all rules out of a point ({@code iptables -F}); the policy stays.
     *
     * @param point where packets come by
     */
    public synchronized void flush(HookPoint point) {
        replace(point, new Chain(EMPTY.rules, chains[point.ordinal()].policy));
    }

    /**
     * Says what becomes of packets that no rule decides on ({@code iptables -P}).
     *
     * @param point where packets come by
     * @param verdict ACCEPT or DROP
     * @throws IllegalArgumentException for CONTINUE, which decides nothing
     */
    public synchronized void policy(HookPoint point, FilterVerdict verdict) {
        if (verdict == FilterVerdict.CONTINUE) {
            throw new IllegalArgumentException("a policy decides: ACCEPT or DROP");
        }
        replace(point, new Chain(chains[point.ordinal()].rules, verdict));
    }

    /**
     * {@return the rules of a point in their order}
     *
     * @param point where packets come by
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

    /** {@code ipt_do_table}. */
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
        if (packet.skb().trace()) {
            String by = rule == POLICY ? "policy" : "rule " + rule;
            PacketTrace.stage(
                    packet.skb(), name + " " + packet.point() + " " + by + ": " + verdict, packet.in(), packet.out());
        }
        return verdict == FilterVerdict.ACCEPT;
    }
}
