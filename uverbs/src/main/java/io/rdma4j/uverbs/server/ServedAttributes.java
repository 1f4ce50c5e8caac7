package io.rdma4j.uverbs.server;

import io.rdma4j.verbs.DeviceAttributes;
import io.rdma4j.verbs.DeviceCapability;
import io.rdma4j.verbs.DeviceLimit;
import java.util.EnumSet;
import java.util.Set;

/** What a device can do for other processes: no more than there are commands for. */
final class ServedAttributes {
    private static final Set<DeviceCapability> WITHOUT_COMMAND = EnumSet.of(DeviceCapability.RESIZE_MAX_WR);

    private static final Set<DeviceLimit> OF_MISSING_OBJECTS = EnumSet.of(
            DeviceLimit.MAX_WQ_TYPE_RQ,
            DeviceLimit.MAX_RWQ_INDIRECTION_TABLES,
            DeviceLimit.MAX_RWQ_INDIRECTION_TABLE_SIZE);

    private ServedAttributes() {}

    static DeviceAttributes of(DeviceAttributes own) {
        Set<DeviceCapability> capabilities = EnumSet.noneOf(DeviceCapability.class);
        capabilities.addAll(own.capabilities());
        capabilities.removeAll(WITHOUT_COMMAND);
        DeviceAttributes.Builder served = DeviceAttributes.builder()
                .firmwareVersion(own.firmwareVersion())
                .nodeGuid(own.nodeGuid())
                .systemImageGuid(own.systemImageGuid())
                .pageSizeCapability(own.pageSizeCapability())
                .vendor(own.vendorId(), own.vendorPartId(), own.hardwareVersion())
                .capabilities(capabilities.toArray(DeviceCapability[]::new))
                .atomics(own.atomicCapability(), own.maskedAtomicCapability())
                .localCaAckDelay(own.localCaAckDelay())
                .physicalPortCount(own.physicalPortCount());
        own.limits().forEach((limit, value) -> served.limit(limit, OF_MISSING_OBJECTS.contains(limit) ? 0 : value));
        return served.build();
    }
}
