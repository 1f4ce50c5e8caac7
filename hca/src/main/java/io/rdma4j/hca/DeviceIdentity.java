// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

/** The names of a device, which outlive its port. Any thread. */
public final class DeviceIdentity {
    private final String name;
    private final long nodeGuid;
    private volatile long systemImageGuid;

    /**
     * @param name unique within the host
     * @param nodeGuid EUI-64
     */
    public DeviceIdentity(String name, long nodeGuid) {
        this.name = name;
        this.nodeGuid = nodeGuid;
        this.systemImageGuid = nodeGuid;
    }

    public String name() {
        return name;
    }

    public long nodeGuid() {
        return nodeGuid;
    }

    /** Returns an EUI-64: the node GUID unless it was modified. */
    public long systemImageGuid() {
        return systemImageGuid;
    }

    public void systemImageGuid(long guid) {
        systemImageGuid = guid;
    }
}
