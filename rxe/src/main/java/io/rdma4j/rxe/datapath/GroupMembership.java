// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe.datapath;

import io.rdma4j.base.Gid;
import io.rdma4j.ip.IpInterface;

/** Makes queue pairs members of multicast groups that the interface has joined. For the owner of the port loop only. */
public final class GroupMembership<Q> {
    private final MulticastTable<Q> members;
    private final IpInterface ip;

    public GroupMembership(MulticastTable<Q> members, IpInterface ip) {
        this.members = members;
        this.ip = ip;
    }

    /** Adds a queue pair to a group. The interface joins the group for the first member. */
    void attach(Gid group, Q qp) {
        if (members.attach(group, qp)) {
            try {
                join(group);
            } catch (RuntimeException e) {
                members.detach(group, qp);
                throw e;
            }
        }
    }

    void detach(Gid group, Q qp) {
        if (members.detach(group, qp)) {
            leave(group);
        }
    }

    /** Makes the interface join a group. */
    void join(Gid group) {
        ip.join(group);
    }

    void leave(Gid group) {
        ip.leave(group);
    }
}
