// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The multicast groups of an id. The queue pair of a full member is attached to the group. On RoCE a join needs no
 * other node: the device joins the IP group. On InfiniBand the subnet administrator makes the id a member. With the
 * lock of rdma_cm.
 */
final class IdMulticast {
    private static final int MULTICAST_QPN = 0xFF_FFFF;

    /** The byte of an MGID that is 0x1B or 0x01: IP over InfiniBand, or datagram services of rdma_cm. */
    private static final int SIGNATURE_SHIFT = 32;

    private static final long SIGNATURE_MASK = 0xFFL << SIGNATURE_SHIFT;
    private static final long SIGNATURE_OF_DATAGRAMS = 0x01L << SIGNATURE_SHIFT;

    private final IdView id;
    private final Map<Gid, Member> members = new LinkedHashMap<>();

    IdMulticast(IdView id) {
        this.id = id;
    }

    /** The membership in a group. */
    private final class Member {
        private final Gid group;
        private final JoinMode mode;
        private final @Nullable Object context;
        private Gid mgid;
        private int lid;
        private boolean isAttached;
        private SubnetServices.@Nullable Membership membership;

        Member(Gid group, JoinMode mode, @Nullable Object context) {
            this.group = group;
            this.mode = mode;
            this.context = context;
            this.mgid = group;
        }

        void attach() {
            ManagedQp qp = id.qp;
            if (mode == JoinMode.FULL_MEMBER && qp != null && !isAttached) {
                qp.attachMulticast(mgid, lid);
                isAttached = true;
            }
        }

        void detach(@Nullable ManagedQp qp) {
            if (isAttached && qp != null) {
                qp.detachMulticast(mgid, lid);
            }
            isAttached = false;
        }

        void end() {
            detach(id.qp);
            SubnetServices.Membership joined = membership;
            membership = null;
            if (joined != null) {
                joined.leave();
            }
        }

        /** The administrator has answered, or the subnet has lost the group and the member has joined again. */
        void changed(@Nullable DatagramPeer peer, @Nullable Errno error) {
            if (peer == null) {
                post(null, error == null ? Errno.EINVAL : error);
                return;
            }
            try {
                if (lid != peer.addressVector().dlid()) {
                    detach(id.qp);
                    lid = peer.addressVector().dlid();
                }
                attach();
            } catch (RdmaException e) {
                post(null, e.errno());
                return;
            }
            post(peer, null);
        }

        void post(@Nullable DatagramPeer peer, @Nullable Errno error) {
            id.post(
                    error == null ? ConnectionEventType.MULTICAST_JOIN : ConnectionEventType.MULTICAST_ERROR,
                    error == null ? 0 : -error.code(),
                    EventDetails.of(group, peer, context));
        }
    }

    void join(Gid group, JoinMode mode, @Nullable Object context) {
        if (!id.isDatagram() || !group.isMulticast()) {
            throw IdErrors.invalid(id + " cannot join " + group);
        }
        LocalDevice device = id.requireDevice();
        Member member = new Member(group, mode, context);
        SubnetServices subnet = device.subnet();
        if (subnet == null) {
            joinLocal(member, device);
        } else {
            Gid mapped = device.gidOf(id.localGid, group);
            if (mapped == null) {
                throw IdErrors.invalid(id + ": the interface has no address for " + group);
            }
            member.mgid = new Gid(mapped.prefix() & ~SIGNATURE_MASK | SIGNATURE_OF_DATAGRAMS, mapped.interfaceId());
            member.membership = subnet.join(
                    new SubnetServices.Group(id.localGid, member.mgid, IdConnection.QKEY, mode), member::changed);
            replace(member);
        }
    }

    private void joinLocal(Member member, LocalDevice device) {
        Gid group = member.group;
        GlobalRoute route = GlobalRoute.to(group, device.gidIndex(id.localGid));
        DatagramPeer peer =
                new DatagramPeer(AddressVector.global(device.port(), route), MULTICAST_QPN, IdConnection.QKEY);
        Member before = members.get(group);
        member.isAttached = before != null && before.isAttached;
        try {
            member.attach();
            members.put(group, member);
            member.post(peer, null);
        } catch (RdmaException e) {
            member.post(peer, e.errno());
        }
    }

    /** The new membership begins before an earlier one ends, so that the port stays in the group. */
    private void replace(Member member) {
        Member before = members.put(member.group, member);
        if (before != null) {
            before.end();
        }
    }

    void leave(Gid group) {
        Member member = members.remove(group);
        if (member == null) {
            throw new RdmaException(Errno.EADDRNOTAVAIL, id + " has not joined " + group);
        }
        member.end();
    }

    /** Before the queue pair is closed. The id stays in its groups. */
    void detachAll(ManagedQp qp) {
        members.values().forEach(member -> member.detach(qp));
    }

    /** The id ends. */
    void leaveAll() {
        members.values().forEach(Member::end);
        members.clear();
    }
}
