// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The multicast groups of an id. On RoCE a join needs no other node: the queue pair of a full member is attached to the
 * group, which makes the device join the IP group. With the lock of rdma_cm.
 */
final class IdMulticast {
    private static final int MULTICAST_QPN = 0xFF_FFFF;

    private final IdView id;
    private final Set<Gid> groups = new LinkedHashSet<>();
    /** The groups to which the queue pair is attached. */
    private final Set<Gid> attached = new LinkedHashSet<>();

    IdMulticast(IdView id) {
        this.id = id;
    }

    void join(Gid group, JoinMode mode, @Nullable Object context) {
        if (!id.isDatagram() || !group.isMulticast()) {
            throw IdErrors.invalid(id + " cannot join " + group);
        }
        LocalDevice device = id.requireDevice();
        if (device.subnet() != null) {
            throw new RdmaException(Errno.EOPNOTSUPP, id + ": multicast groups of rdma_cm exist on RoCE only");
        }
        int status = 0;
        try {
            enter(group, mode);
        } catch (RdmaException e) {
            status = -e.errno().code();
        }
        GlobalRoute route = GlobalRoute.to(group, device.gidIndex(id.localGid));
        DatagramPeer peer =
                new DatagramPeer(AddressVector.global(device.port(), route), MULTICAST_QPN, IdConnection.QKEY);
        id.post(
                status == 0 ? ConnectionEventType.MULTICAST_JOIN : ConnectionEventType.MULTICAST_ERROR,
                status,
                EventDetails.of(peer, MemorySegment.NULL, context));
    }

    private void enter(Gid group, JoinMode mode) {
        if (mode == JoinMode.FULL_MEMBER) {
            attach(group);
        }
        groups.add(group);
    }

    private void attach(Gid group) {
        ManagedQp qp = id.qp;
        if (qp != null && !attached.contains(group)) {
            qp.attachMulticast(group);
            attached.add(group);
        }
    }

    void leave(Gid group) {
        if (!groups.remove(group)) {
            throw new RdmaException(Errno.EADDRNOTAVAIL, id + " has not joined " + group);
        }
        ManagedQp qp = id.qp;
        if (attached.remove(group) && qp != null) {
            qp.detachMulticast(group);
        }
    }

    /** Before the queue pair is closed. The id stays in its groups. */
    void detachAll(ManagedQp qp) {
        attached.forEach(qp::detachMulticast);
        attached.clear();
    }
}
