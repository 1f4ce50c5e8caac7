// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.filter;

import io.rdma4j.base.NanoClock;
import io.rdma4j.net.skb.FlowHash;
import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.net.skb.PacketFilter;
import io.rdma4j.net.skb.PacketHooks;
import io.rdma4j.packet.FlowState;
import io.rdma4j.packet.PacketDevice;
import io.rdma4j.packet.PacketMarks;
import io.rdma4j.packet.SkBuff;
import org.jspecify.annotations.Nullable;

/**
 * Assigns each packet to a flow ({@code nf_conntrack}): sets {@link PacketMarks#flow} and {@link
 * PacketMarks#flowState}, which later rules can match.
 *
 * <pre>
 *   NEW           no reply has arrived
 *   ESTABLISHED   packets have passed in both directions
 *   RELATED       an ICMP error about a packet of a tracked flow
 *   UNTRACKED     anything else: no IP, a fragment, other ICMP messages, packets of a load balancer
 * </pre>
 *
 * <p>The tracker looks a flow up when a packet enters the stack, and adds it to the table when its first packet has
 * passed all filters. Fragments are reassembled after the lookup, so they pass untracked. Called by the owner of the
 * loop; allocates per flow, not per packet.
 */
public final class FlowTracker implements PacketFilter {
    /** Priority of the lookup: rules with a higher number can match the states ({@code NF_IP_PRI_CONNTRACK}). */
    public static final int PRIORITY = -200;

    private final NanoClock clock;
    private final FlowTimeouts timeouts;
    private final FlowTable table;
    private final FlowTuple tuple = new FlowTuple();
    private long full;

    /**
     * Creates a tracker without flows.
     *
     * @param clock of the host
     * @param capacity maximum number of flows
     * @param timeouts times for which flows are tracked
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
     * Registers the tracker at the hook points of a namespace.
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

    /** Looks up or creates the flow of a packet ({@code resolve_normal_ct}). */
    private void resolve(SkBuff skb) {
        if (skb.marks().flow() != null || skb.marks().ipvsProperty()) {
            return;
        }
        switch (tuple.read(skb)) {
            case FLOW -> resolveFlow(skb);
            case ERROR -> {
                FlowEntry about = table.find(tuple, table.bucketOf(tuple), clock.nanoTime());
                if (about != null) {
                    skb.marks().flow(about, FlowState.RELATED);
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
        skb.marks().flow(entry, entry.isAnswered() ? FlowState.ESTABLISHED : FlowState.NEW);
    }

    /** Adds the flow of a packet to the table ({@code nf_conntrack_confirm}); false if the table is full. */
    private boolean confirm(SkBuff skb) {
        if (!(skb.marks().flow() instanceof FlowEntry entry)
                || entry.confirmed
                || skb.marks().flowState() != FlowState.NEW) {
            return true;
        }
        FlowEntry kept = table.add(entry, clock.nanoTime());
        if (kept == null) {
            full++;
            return false;
        }
        kept.confirmed = true;
        skb.marks().flow(kept, FlowState.NEW);
        return true;
    }

    /** {@return number of tracked flows; may include some that have expired} */
    public int flows() {
        return table.size();
    }

    /** {@return number of packets that were dropped because the table was full ({@code nf_conntrack: table full})} */
    public long full() {
        return full;
    }
}
