package io.rdma4j.net.filter;

import io.rdma4j.base.NanoClock;
import io.rdma4j.net.skb.FlowHash;
import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.net.skb.PacketFilter;
import io.rdma4j.net.skb.PacketHooks;
import io.rdma4j.packet.FlowState;
import io.rdma4j.packet.PacketDevice;
import io.rdma4j.packet.SkBuff;
import org.jspecify.annotations.Nullable;

/**
 * Says of each packet which flow it belongs to and what that has come to ({@code nf_conntrack}): {@link SkBuff#flow} and {@link
 * SkBuff#flowState}, which rules behind it can match.
 *
 * <pre>
 *   NEW           nobody has answered yet
 *   ESTABLISHED   packets have gone both ways
 *   RELATED       an error of ICMP about a packet of a flow that is known
 *   UNTRACKED     anything else: no IP, a fragment, other messages of ICMP, what a load balancer has taken
 * </pre>
 *
 * <p>A flow is looked up where a packet enters the stack, and remembered when its first packet has passed all filters. Fragments
 * are put together behind it, so they pass untracked. By the owner of the loop; allocates for flows, not for packets.
 */
public final class FlowTracker implements PacketFilter {
    /** Rules with a higher number see the states ({@code NF_IP_PRI_CONNTRACK}). */
    public static final int PRIORITY = -200;

    private final NanoClock clock;
    private final FlowTimeouts timeouts;
    private final FlowTable table;
    private final FlowTuple tuple = new FlowTuple();
    private long full;

    /**
     * Knows no flow yet.
     *
     * @param clock of the host
     * @param capacity the most flows that it remembers
     * @param timeouts how long flows are remembered
     * @param hash of the host
     */
    public FlowTracker(NanoClock clock, int capacity, FlowTimeouts timeouts, FlowHash hash) {
        if (capacity < 1) {
            throw new IllegalArgumentException("a tracker of " + capacity + " flows knows none");
        }
        this.clock = clock;
        this.timeouts = timeouts;
        this.table = new FlowTable(capacity, hash);
    }

    /**
     * Begins to look at the packets of a namespace.
     *
     * @param hooks of the namespace
     */
    public void install(PacketHooks hooks) {
        hooks.register(HookPoint.PREROUTING, PRIORITY, this);
        hooks.register(HookPoint.OUTPUT, PRIORITY, this);
        hooks.register(HookPoint.INPUT, Integer.MAX_VALUE, this);
        hooks.register(HookPoint.POSTROUTING, Integer.MAX_VALUE, this);
    }

    /**
     * Undoes {@link #install}.
     *
     * @param hooks of the namespace
     */
    public void remove(PacketHooks hooks) {
        hooks.unregister(HookPoint.PREROUTING, this);
        hooks.unregister(HookPoint.OUTPUT, this);
        hooks.unregister(HookPoint.INPUT, this);
        hooks.unregister(HookPoint.POSTROUTING, this);
    }

    @Override
    public boolean pass(HookPoint point, SkBuff skb, @Nullable PacketDevice in, @Nullable PacketDevice out) {
        return switch (point) {
            case PREROUTING, OUTPUT -> {
                resolve(skb);
                yield true;
            }
            case INPUT, POSTROUTING -> confirm(skb);
            default -> true;
        };
    }

    /** {@code resolve_normal_ct}. */
    private void resolve(SkBuff skb) {
        if (skb.flow() != null || skb.ipvsProperty()) {
            return;
        }
        switch (tuple.read(skb)) {
            case FLOW -> resolveFlow(skb);
            case ERROR -> {
                FlowEntry about = table.find(tuple, table.bucketOf(tuple), clock.nanoTime());
                if (about != null) {
                    skb.flow(about, FlowState.RELATED);
                }
            }
            case NONE -> {}
        }
    }

    private void resolveFlow(SkBuff skb) {
        long nowNs = clock.nanoTime();
        int bucket = table.bucketOf(tuple);
        FlowEntry known = table.find(tuple, bucket, nowNs);
        FlowEntry entry = known == null ? new FlowEntry(tuple, bucket) : known;
        boolean reply = !entry.isOriginal(tuple);
        entry.see(reply);
        entry.expiresNs = nowNs + timeouts.of(entry.protocol(), entry.isAnswered());
        skb.flow(entry, entry.isAnswered() ? FlowState.ESTABLISHED : FlowState.NEW);
    }

    /** {@code nf_conntrack_confirm}; false if there is no room for another flow. */
    private boolean confirm(SkBuff skb) {
        if (!(skb.flow() instanceof FlowEntry entry) || entry.confirmed || skb.flowState() != FlowState.NEW) {
            return true;
        }
        FlowEntry kept = table.add(entry, clock.nanoTime());
        if (kept == null) {
            full++;
            return false;
        }
        kept.confirmed = true;
        skb.flow(kept, FlowState.NEW);
        return true;
    }

    /** {@return how many flows it remembers; may count some that have expired} */
    public int flows() {
        return table.size();
    }

    /**
     * {@return how many packets were dropped because no other flow could be remembered
     * ({@code nf_conntrack: table full})}
     */
    public long full() {
        return full;
    }
}
