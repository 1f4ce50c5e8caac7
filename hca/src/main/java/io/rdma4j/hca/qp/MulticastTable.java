// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import io.rdma4j.base.Gid;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The queue pairs that receive the datagrams of each multicast group (IBA 10.5.2). Corresponds to {@code mcg_tree}. For
 * the owner of the port loop only.
 *
 * <p>Attach and detach rebuild an open-addressed hash table. At most a quarter of its slots is used, so that a lookup
 * needs one or two probes.
 */
public final class MulticastTable<Q> {
    private static final int SLOTS_PER_GROUP = 4;

    private final Q[] none;
    private final Map<Gid, Q[]> groups = new HashMap<>();
    private @Nullable Gid[] keys = new Gid[SLOTS_PER_GROUP];

    /** Each element is a {@code Q[]}. */
    private Object[][] members = new Object[SLOTS_PER_GROUP][];

    /** @param none an empty array */
    public MulticastTable(Q[] none) {
        this.none = none;
    }

    /**
     * Adds a queue pair that is not in the group.
     *
     * @return true if it is the first one of the group
     */
    public boolean attach(Gid group, Q qp) {
        Q[] before = groups.getOrDefault(group, none);
        Q[] after = Arrays.copyOf(before, before.length + 1);
        after[before.length] = qp;
        groups.put(group, after);
        rebuild();
        return before.length == 0;
    }

    /**
     * Removes a queue pair from a group.
     *
     * @return true if it was the last one of the group
     */
    public boolean detach(Gid group, Q qp) {
        Q[] after = Arrays.stream(groups.getOrDefault(group, none))
                .filter(member -> !member.equals(qp))
                .toArray(length -> Arrays.copyOf(none, length));
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
        members = new Object[slots][];
        groups.forEach((group, queuePairs) -> {
            int slot = slot(group.prefix(), group.interfaceId());
            keys[slot] = group;
            members[slot] = queuePairs;
        });
    }

    /** Returns the members of the group with these two halves; the caller must not change the array. */
    @SuppressWarnings("unchecked") // see members
    public Q[] find(long prefix, long interfaceId) {
        int slot = slot(prefix, interfaceId);
        return keys[slot] == null ? none : (Q[]) members[slot];
    }

    /** Returns the slot of a group, or the free slot where it would be. */
    private int slot(long prefix, long interfaceId) {
        int mask = keys.length - 1;
        // Fibonacci hashing: the upper bits of the product depend on all bits of the factor.
        int slot = (int) ((prefix * 31 + interfaceId) * 0x9E37_79B9_7F4A_7C15L >>> 32) & mask;
        Gid key = keys[slot];
        while (key != null && (key.prefix() != prefix || key.interfaceId() != interfaceId)) {
            slot = slot + 1 & mask;
            key = keys[slot];
        }
        return slot;
    }
}
