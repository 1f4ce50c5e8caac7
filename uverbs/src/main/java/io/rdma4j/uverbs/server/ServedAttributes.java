// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.DeviceLimit;
import java.util.EnumSet;
import java.util.Set;

/**
 * Reduces the attributes of a device to the objects that clients can create: limits of objects without commands are 0.
 */
final class ServedAttributes {
    private static final Set<DeviceLimit> OF_MISSING_OBJECTS = EnumSet.of(
            DeviceLimit.MAX_WQ_TYPE_RQ,
            DeviceLimit.MAX_RWQ_INDIRECTION_TABLES,
            DeviceLimit.MAX_RWQ_INDIRECTION_TABLE_SIZE);

    private ServedAttributes() {}

    static DeviceAttributes of(DeviceAttributes own) {
        DeviceAttributes.Builder served = DeviceAttributes.builder()
                .firmwareVersion(own.firmwareVersion())
                .nodeGuid(own.nodeGuid())
                .systemImageGuid(own.systemImageGuid())
                .pageSizeCapability(own.pageSizeCapability())
                .vendor(own.vendorId(), own.vendorPartId(), own.hardwareVersion())
                .capabilities(own.capabilities().toArray(DeviceCapability[]::new))
                .atomics(own.atomicCapability(), own.maskedAtomicCapability())
                .localCaAckDelay(own.localCaAckDelay())
                .physicalPortCount(own.physicalPortCount());
        own.limits().forEach((limit, value) -> served.limit(limit, OF_MISSING_OBJECTS.contains(limit) ? 0 : value));
        return served.build();
    }
}
