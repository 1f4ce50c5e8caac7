package io.rdma4j.rxe;

import io.rdma4j.base.Gid;
import io.rdma4j.packet.SkBuff;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which queue pairs get the datagrams that are sent to a multicast group (IBA 10.5.2). Answers to {@code mcg_tree}. Belongs to
 * the owner of the port loop.
 *
 * <p>Attaching and detaching build the open-addressed table anew, of which a quarter is used at most, so that each packet finds
 * its group, or that there is none, by a step or two.
 */
final class MulticastTable {
    private static final RxeQp[] NOBODY = {};
    private static final int SLOTS_PER_GROUP = 4;

    private final Map<Gid, RxeQp[]> groups = new HashMap<>();
    private @Nullable Gid[] keys = new Gid[SLOTS_PER_GROUP];
    private RxeQp[][] members = new RxeQp[SLOTS_PER_GROUP][];

    /**
     * Adds a queue pair that is not in the group.
     *
     * @return true if it is the group's first
     */
    boolean attach(Gid group, RxeQp qp) {
        RxeQp[] before = groups.getOrDefault(group, NOBODY);
        RxeQp[] after = Arrays.copyOf(before, before.length + 1);
        after[before.length] = qp;
        groups.put(group, after);
        rebuild();
        return before.length == 0;
    }

    /**
     * Takes a queue pair out of a group.
     *
     * @return true if it was the group's last
     */
    boolean detach(Gid group, RxeQp qp) {
        RxeQp[] after = Arrays.stream(groups.getOrDefault(group, NOBODY))
                .filter(member -> member != qp)
                .toArray(RxeQp[]::new);
        if (after.length == 0) {
            groups.remove(group);
        } else {
            groups.put(group, after);
        }
        rebuild();
        return after.length == 0;
    }

    private void rebuild() {
        int slots = Integer.highestOneBit(Math.max(1, groups.size())) * 2 * SLOTS_PER_GROUP;
        keys = new Gid[slots];
        members = new RxeQp[slots][];
        groups.forEach((group, queuePairs) -> {
            int slot = slot(group.prefix(), group.interfaceId());
            keys[slot] = group;
            members[slot] = queuePairs;
        });
    }

    /** Who gets a received packet; not to be changed. */
    RxeQp[] find(SkBuff skb) {
        int slot = slot(NetworkPath.destinationPrefix(skb), NetworkPath.destinationInterfaceId(skb));
        return keys[slot] == null ? NOBODY : members[slot];
    }

    /** Where a group is, or the free place where it would be. */
    private int slot(long prefix, long interfaceId) {
        int mask = keys.length - 1;
        // Fibonacci hashing: the upper bits of the product depend on all bits below.
        int slot = (int) ((prefix * 31 + interfaceId) * 0x9E37_79B9_7F4A_7C15L >>> 32) & mask;
        Gid key = keys[slot];
        while (key != null && (key.prefix() != prefix || key.interfaceId() != interfaceId)) {
            slot = slot + 1 & mask;
            key = keys[slot];
        }
        return slot;
    }
}
