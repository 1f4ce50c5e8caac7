// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.skb;

import io.rdma4j.packet.PacketDevice;
import io.rdma4j.packet.SkBuff;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The filters of a device or of a namespace, by {@link HookPoint} and priority ({@code struct nf_hook_entries}).
 *
 * <p>Any thread may register filters; the loop scans immutable arrays. Without filters, a packet costs one check of an
 * empty array.
 */
public final class PacketHooks {
    private record Entry(int priority, PacketFilter filter) {}

    private static final Entry[] NONE = {};

    private volatile Entry[][] chains;
    private final Consumer<Boolean> onWatched;
    private volatile boolean watched;

    /** Creates the filters of a namespace, of which there are none. */
    public PacketHooks() {
        this(_ -> {});
    }

    /**
     * Creates the filters of a device, of which there are none.
     *
     * @param onWatched receives {@link #isWatched} after each change
     */
    public PacketHooks(Consumer<Boolean> onWatched) {
        this.onWatched = onWatched;
        chains = new Entry[HookPoint.values().length][];
        Arrays.fill(chains, NONE);
    }

    /**
     * Registers a filter at one point ({@code nf_register_net_hook}).
     *
     * @param point the point on the packets' path
     * @param priority the lowest is called first; with equal priority, the one registered first
     * @param filter called by the loop's owner
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
     * Unregisters a filter at one point ({@code nf_unregister_net_hook}). No effect if it is not registered there.
     *
     * @param point the point on the packets' path
     * @param filter the same object as for {@link #register}
     */
    @SuppressWarnings("ReferenceEquality") // identity is intended
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
        onWatched.accept(watched);
    }

    /** {@return true if a filter is registered at any point} */
    public boolean isWatched() {
        return watched;
    }

    /**
     * {@return true if a filter is registered at this point}
     *
     * @param point the point on the packets' path
     */
    public boolean isWatched(HookPoint point) {
        return chains[point.ordinal()].length > 0;
    }

    /**
     * Calls all filters of a point ({@code nf_hook}). Called by the loop's owner. Allocates nothing.
     *
     * @param point the point on the packet's path
     * @param skb the packet; the caller keeps it unless it was dropped
     * @param in the input device, null if this host created the packet
     * @param out the output device, null if not known
     * @return false if the packet was dropped and freed; the caller counts it
     */
    public boolean pass(HookPoint point, SkBuff skb, @Nullable PacketDevice in, @Nullable PacketDevice out) {
        if (skb.marks().trace()) {
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
