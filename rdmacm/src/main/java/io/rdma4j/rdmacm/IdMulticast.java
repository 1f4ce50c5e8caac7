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
 * The multicast groups of an id. On RoCE a join needs no other node: the queue pair is attached to the
 * group, which makes the device join the IP group. With the lock of rdma_cm.
 */
final class IdMulticast {
    private static final int MULTICAST_QPN = 0xFF_FFFF;

    private final IdView id;
    private final Set<Gid> groups = new LinkedHashSet<>();

    IdMulticast(IdView id) {
        this.id = id;
    }

    void join(Gid group, @Nullable Object context) {
        if (!id.portSpace().isDatagram() || !group.isMulticast()) {
            throw IdErrors.invalid(id + " cannot join " + group);
        }
        LocalDevice device = id.requireDevice();
        ManagedQp qp = id.qp;
        if (qp == null) {
            throw IdErrors.invalid(id + " has no queue pair for the group " + group);
        }
        if (groups.add(group)) {
            qp.attachMulticast(group);
        }
        GlobalRoute route = GlobalRoute.to(group, device.gidIndex(id.localGid));
        DatagramPeer peer =
                new DatagramPeer(AddressVector.global(device.port(), route), MULTICAST_QPN, IdConnection.QKEY);
        id.post(ConnectionEventType.MULTICAST_JOIN, 0, EventDetails.of(peer, MemorySegment.NULL, context));
    }

    void leave(Gid group) {
        if (!groups.remove(group)) {
            throw new RdmaException(Errno.EADDRNOTAVAIL, id + " has not joined " + group);
        }
        ManagedQp qp = id.qp;
        if (qp != null) {
            qp.detachMulticast(group);
        }
    }

    /** Before the queue pair is closed. */
    void detachAll(ManagedQp qp) {
        groups.forEach(qp::detachMulticast);
        groups.clear();
    }
}
