// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.state;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.ObjectKind;
import io.rdma4j.verbs.device.DeviceLimit;
import java.util.EnumMap;
import java.util.Map;

/** Counts the objects of each kind that a device has, over all its contexts. Any thread. */
public final class ObjectQuota {
    private final Map<ObjectKind, Integer> counts = new EnumMap<>(ObjectKind.class);

    /**
     * @throws RdmaException ENOMEM if the device already has {@code max} objects of this kind
     */
    public synchronized void take(ObjectKind kind, DeviceLimit limit, long max) {
        int count = counts.getOrDefault(kind, 0);
        if (count >= max) {
            throw new RdmaException(
                    Errno.ENOMEM, "the device has " + kind.count(count) + ", its " + limit.label() + ": close some");
        }
        counts.put(kind, count + 1);
    }

    public synchronized void give(ObjectKind kind) {
        counts.merge(kind, -1, Integer::sum);
    }
}
