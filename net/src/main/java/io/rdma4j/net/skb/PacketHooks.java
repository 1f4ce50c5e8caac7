package io.rdma4j.net.skb;

import io.rdma4j.packet.PacketDevice;
import io.rdma4j.packet.SkBuff;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The filters of a device or of a namespace, those of each {@link HookPoint} in their order ({@code struct nf_hook_entries}).
 *
 * <p>Any thread registers; the loop scans arrays that are never changed. Where nobody is registered, a packet costs one look at
 * an empty array.
 */
public final class PacketHooks {
    private record Entry(int priority, PacketFilter filter) {}

    private static final Entry[] NONE = {};

    private volatile Entry[][] chains;
    private volatile boolean watched;

    /** Nobody looks at anything. */
    public PacketHooks() {
        chains = new Entry[HookPoint.values().length][];
        Arrays.fill(chains, NONE);
    }

    /**
     * Shows packets to {@code filter} at one point ({@code nf_register_net_hook}).
     *
     * @param point where packets come by
     * @param priority the least is asked first; among equals, who came first
     * @param filter runs on the thread that owns the loop
     */
    public synchronized void register(HookPoint point, int priority, PacketFilter filter) {
        Entry[] chain = chains[point.ordinal()];
        int at = 0;
        while (at < chain.length && chain[at].priority <= priority) {
            at++;
        }
        Entry[] longer = Arrays.copyOf(chain, chain.length + 1);
        System.arraycopy(chain, at, longer, at + 1, chain.length - at);
        longer[at] = new Entry(priority, filter);
        replace(point.ordinal(), longer);
    }

    /**
     * Shows it no packets of a point any more ({@code nf_unregister_net_hook}); nothing happens if it is not registered there.
     *
     * @param point where packets come by
     * @param filter the same object
     */
    @SuppressWarnings("ReferenceEquality") // a filter is itself
    public synchronized void unregister(HookPoint point, PacketFilter filter) {
        replace(
                point.ordinal(),
                Arrays.stream(chains[point.ordinal()])
                        .filter(entry -> entry.filter != filter)
                        .toArray(Entry[]::new));
    }

    private void replace(int point, Entry[] chain) {
        Entry[][] changed = chains.clone();
        changed[point] = chain;
        chains = changed;
        watched = Arrays.stream(changed).anyMatch(any -> any.length > 0);
    }

    /** {@return true if somebody looks at packets, at whatever point} */
    public boolean isWatched() {
        return watched;
    }

    /**
     * {@return true if somebody looks at packets at this point}
     *
     * @param point where packets come by
     */
    public boolean isWatched(HookPoint point) {
        return chains[point.ordinal()].length > 0;
    }

    /**
     * Asks all filters of a point ({@code nf_hook}). By the owner of the loop; allocates nothing.
     *
     * @param point where packets come by
     * @param skb the caller's unless it was dropped
     * @param in where the packet came in, null if it was made here
     * @param out where it leaves, null if that is not known
     * @return false if the packet was dropped, and freed: the caller counts it and forgets it
     */
    public boolean pass(HookPoint point, SkBuff skb, @Nullable PacketDevice in, @Nullable PacketDevice out) {
        if (skb.trace()) {
            PacketTrace.stage(skb, point.name(), in, out);
        }
        for (Entry entry : chains[point.ordinal()]) {
            if (!entry.filter.pass(point, skb, in, out)) {
                skb.free();
                return false;
            }
        }
        return true;
    }
}
