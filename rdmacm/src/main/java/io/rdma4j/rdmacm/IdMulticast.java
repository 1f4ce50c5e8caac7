// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The multicast groups of an id. On RoCE a join needs no other node: the queue pair of a full member is attached to the
 * group, which makes the device join the IP group. With the lock of rdma_cm.
 */
final class IdMulticast {
    private static final int MULTICAST_QPN = 0xFF_FFFF;

    private final IdView id;
    private final Map<Gid, JoinMode> groups = new LinkedHashMap<>();

    IdMulticast(IdView id) {
        this.id = id;
    }

    void join(Gid group, JoinMode mode, @Nullable Object context) {
        if (!id.isDatagram() || !group.isMulticast()) {
            throw IdErrors.invalid(id + " cannot join " + group);
        }
        LocalDevice device = id.requireDevice();
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
        if (mode != JoinMode.FULL_MEMBER) {
            groups.putIfAbsent(group, mode);
        } else if (groups.get(group) != JoinMode.FULL_MEMBER) {
            ManagedQp qp = id.qp;
            if (qp != null) {
                qp.attachMulticast(group);
            }
            groups.put(group, JoinMode.FULL_MEMBER);
        }
    }

    void leave(Gid group) {
        JoinMode mode = groups.remove(group);
        if (mode == null) {
            throw new RdmaException(Errno.EADDRNOTAVAIL, id + " has not joined " + group);
        }
        ManagedQp qp = id.qp;
        if (qp != null && mode == JoinMode.FULL_MEMBER) {
            qp.detachMulticast(group);
        }
    }

    /** Before the queue pair is closed. */
    void detachAll(ManagedQp qp) {
        groups.forEach((group, mode) -> {
            if (mode == JoinMode.FULL_MEMBER) {
                qp.detachMulticast(group);
            }
        });
        groups.values().removeIf(mode -> mode == JoinMode.FULL_MEMBER);
    }
}
