package io.rdma4j.net;

import org.jspecify.annotations.Nullable;

/** An owner of packets that may be in a group of senders. */
@FunctionalInterface
public interface GroupMember {
    /** {@return the group it is in now, null if in none} Called for packets under way: allocates nothing. */
    @Nullable
    ClientGroup group();
}
