// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.ops;

import io.rdma4j.hca.HcaLimits;
import io.rdma4j.hca.NumberTable;
import io.rdma4j.hca.carrier.PathResolver;
import io.rdma4j.hca.qp.PortLoop;
import io.rdma4j.hca.qp.QpFactory;
import io.rdma4j.verbs.device.DeviceLimit;

/** What the contexts of a device create objects with, and the tables of those objects. */
public final class DeviceObjects {
    /** Handle 0 is never valid, so that an uninitialized handle or number is not found. */
    private static final int FIRST_HANDLE = 1;

    private final PortLoop loop;
    private final DeviceKeys keys;
    private final QpFactory queuePairs;
    private final PathResolver paths;
    private final NumberTable<HcaAh> addressHandles;
    private final NumberTable<HcaSrq> sharedReceiveQueues;
    private final XrcDomains xrcDomains;
    private final DeviceMemoryPool deviceMemory;

    /**
     * @param loop of the port
     * @param keys of regions and windows
     * @param queuePairs creates queue pairs
     * @param paths resolves address vectors
     * @param limits of the device
     */
    public DeviceObjects(PortLoop loop, DeviceKeys keys, QpFactory queuePairs, PathResolver paths, HcaLimits limits) {
        this.loop = loop;
        this.keys = keys;
        this.queuePairs = queuePairs;
        this.paths = paths;
        this.addressHandles = table(loop, limits, DeviceLimit.MAX_AH);
        this.sharedReceiveQueues = table(loop, limits, DeviceLimit.MAX_SRQ);
        this.xrcDomains = new XrcDomains(sharedReceiveQueues);
        this.deviceMemory = new DeviceMemoryPool(limits.of(DeviceLimit.MAX_DM_SIZE));
    }

    private static <T> NumberTable<T> table(PortLoop loop, HcaLimits limits, DeviceLimit limit) {
        return new NumberTable<>(loop, FIRST_HANDLE, (int) limits.of(limit), limit.label());
    }

    PortLoop loop() {
        return loop;
    }

    DeviceKeys keys() {
        return keys;
    }

    QpFactory queuePairs() {
        return queuePairs;
    }

    PathResolver paths() {
        return paths;
    }

    NumberTable<HcaAh> addressHandles() {
        return addressHandles;
    }

    NumberTable<HcaSrq> sharedReceiveQueues() {
        return sharedReceiveQueues;
    }

    XrcDomains xrcDomains() {
        return xrcDomains;
    }

    /** The device memory that is left. */
    DeviceMemoryPool deviceMemory() {
        return deviceMemory;
    }
}
