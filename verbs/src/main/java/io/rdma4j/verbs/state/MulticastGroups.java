// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.state;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.spi.QpOps;
import java.util.HashMap;
import java.util.Map;

/**
 * Holds the attachments of a device's queue pairs to multicast groups. Enforces the device's limits, and detaches queue
 * pairs that are destroyed. Any thread.
 */
public final class MulticastGroups {
    private final Map<Gid, Map<QpOps, Integer>> groups = new HashMap<>();
    private int attachments;

    /** @throws RdmaException ENOMEM at a limit of the device */
    public synchronized void attach(QpOps qp, Gid group, int lid, DeviceAttributes device) {
        Map<QpOps, Integer> members = groups.getOrDefault(group, Map.of());
        if (members.containsKey(qp)) {
            return;
        }
        if (members.isEmpty()) {
            checkRoom(DeviceLimit.MAX_MCAST_GRP, groups.size(), device);
        }
        checkRoom(DeviceLimit.MAX_MCAST_QP_ATTACH, members.size(), device);
        checkRoom(DeviceLimit.MAX_TOTAL_MCAST_QP_ATTACH, attachments, device);
        qp.attachMulticast(group, lid);
        groups.computeIfAbsent(group, _ -> new HashMap<>()).put(qp, lid);
        attachments++;
    }

    private static void checkRoom(DeviceLimit limit, int count, DeviceAttributes device) {
        if (count >= device.limit(limit)) {
            throw new RdmaException(
                    Errno.ENOMEM, "the device's " + limit.label() + " is " + device.limit(limit) + ": detach some");
        }
    }

    /** @throws RdmaException EINVAL if the queue pair is not attached to the group */
    public synchronized void detach(QpOps qp, Gid group, int lid) {
        Map<QpOps, Integer> members = groups.getOrDefault(group, Map.of());
        if (!members.containsKey(qp)) {
            throw new RdmaException(Errno.EINVAL, "the queue pair is not attached to group " + group);
        }
        qp.detachMulticast(group, lid);
        members.remove(qp);
        attachments--;
        if (members.isEmpty()) {
            groups.remove(group);
        }
    }

    /** Detaches a queue pair that is destroyed from all its groups. */
    public synchronized void forget(QpOps qp) {
        groups.forEach((group, members) -> {
            Integer lid = members.remove(qp);
            if (lid != null) {
                qp.detachMulticast(group, lid);
                attachments--;
            }
        });
        groups.values().removeIf(Map::isEmpty);
    }
}
