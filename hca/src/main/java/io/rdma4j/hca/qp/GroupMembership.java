// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import io.rdma4j.base.Gid;
import io.rdma4j.hca.carrier.Carrier;

/** Makes queue pairs members of multicast groups that the carrier has joined. For the owner of the port loop only. */
public final class GroupMembership<Q> {
    private final MulticastTable<Q> members;
    private final Carrier carrier;

    public GroupMembership(MulticastTable<Q> members, Carrier carrier) {
        this.members = members;
        this.carrier = carrier;
    }

    /** Adds a queue pair to a group. The carrier joins the group for the first member. */
    void attach(Gid group, Q qp) {
        if (members.attach(group, qp)) {
            try {
                carrier.join(group);
            } catch (RuntimeException e) {
                members.detach(group, qp);
                throw e;
            }
        }
    }

    void detach(Gid group, Q qp) {
        if (members.detach(group, qp)) {
            carrier.leave(group);
        }
    }

    /** Returns true if queue pairs of the port are members of a group. */
    boolean hasMembers(Gid group) {
        return members.find(group.prefix(), group.interfaceId()).length > 0;
    }
}
