// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A partition of a subnet (IBA 10.9). Ports of a partition can exchange packets if at least one of the two is a full
 * member.
 *
 * @param pkey 15 bits, from 1; {@link #DEFAULT} is the one that all ports have
 * @param adapters what the ports of channel adapters are that {@code members} does not name
 * @param switches what the ports 0 of switches are that {@code members} does not name
 * @param members what ports are, by GUID
 * @param broadcast group of the stations with IP over InfiniBand; null for a partition without such stations
 */
public record SubnetPartition(
        int pkey,
        Membership adapters,
        Membership switches,
        Map<Long, Membership> members,
        @Nullable BroadcastGroup broadcast) {
    /** The P_Key of the default partition. */
    public static final int DEFAULT = 0x7FFF;

    /** What a port is in a partition. */
    public enum Membership {
        /** It has no P_Key of the partition. */
        NONE,
        /** It can exchange packets with full members only. */
        LIMITED,
        /** It can exchange packets with all members. */
        FULL
    }

    /**
     * Checks the P_Key and copies the map.
     *
     * @throws RdmaException EINVAL for a P_Key that is 0 or has more than 15 bits, and for ports without the default
     * P_Key
     */
    public SubnetPartition {
        members = Map.copyOf(members);
        if (pkey < 1 || pkey > DEFAULT) {
            throw new RdmaException(
                    Errno.EINVAL, "0x" + Integer.toHexString(pkey) + ": a partition has a P_Key of 1..0x7fff");
        }
        boolean isEverywhere = adapters != Membership.NONE && switches != Membership.NONE;
        if (pkey == DEFAULT && (!isEverywhere || members.containsValue(Membership.NONE))) {
            throw new RdmaException(Errno.EINVAL, "all ports are members of the partition 0x7fff");
        }
    }

    /**
     * Creates a partition without a group for IP over InfiniBand.
     *
     * @param pkey 15 bits, from 1; {@link #DEFAULT} is the one that all ports have
     * @param others what the ports are that {@code members} does not name
     * @param members what ports are, by GUID
     * @throws RdmaException EINVAL as for the other constructor
     */
    public SubnetPartition(int pkey, Membership others, Map<Long, Membership> members) {
        this(pkey, others, others, members, null);
    }

    /**
     * {@return a copy with a group for IP over InfiniBand}
     *
     * @param group made at the first sweep
     */
    public SubnetPartition broadcast(BroadcastGroup group) {
        return new SubnetPartition(pkey, adapters, switches, members, group);
    }
}
