package io.rdma4j.verbs;

import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * What a device says of itself. Answers to {@code struct ibv_device_attr}; immutable.
 *
 * @param firmwareVersion {@code fw_ver}: text of at most 63 bytes
 * @param nodeGuid {@code node_guid}: EUI-64 of the device
 * @param systemImageGuid {@code sys_image_guid}: EUI-64 of the machine or card that the device is part of
 * @param pageSizeCapability {@code page_size_cap}: bits of the page sizes the device takes
 * @param vendorId {@code vendor_id}: IEEE OUI, 24 bits
 * @param vendorPartId {@code vendor_part_id}
 * @param hardwareVersion {@code hw_ver}
 * @param capabilities {@code device_cap_flags}
 * @param atomicCapability {@code atomic_cap}
 * @param maskedAtomicCapability {@code masked_atomic_cap}
 * @param localCaAckDelay {@code local_ca_ack_delay}: the device answers within 4.096 µs · 2^value; 5 bits
 * @param physicalPortCount {@code phys_port_cnt}
 * @param limits the {@code max_*} members; one that is not there is 0
 */
public record DeviceAttributes(
        String firmwareVersion,
        long nodeGuid,
        long systemImageGuid,
        long pageSizeCapability,
        int vendorId,
        int vendorPartId,
        int hardwareVersion,
        Set<DeviceCapability> capabilities,
        AtomicCapability atomicCapability,
        AtomicCapability maskedAtomicCapability,
        int localCaAckDelay,
        int physicalPortCount,
        Map<DeviceLimit, Long> limits) {

    public DeviceAttributes {
        capabilities = Set.copyOf(capabilities);
        limits = Map.copyOf(limits);
    }

    /** {@return the value of a limit, 0 if the device has none of that kind} */
    public long limit(DeviceLimit limit) {
        return limits.getOrDefault(limit, 0L);
    }

    /** {@return true if the device can do it} */
    public boolean has(DeviceCapability capability) {
        return capabilities.contains(capability);
    }

    /** Everything 0 and empty, one port. */
    public static Builder builder() {
        return new Builder();
    }

    /** Collects attributes; each setter has the name of the component that it sets. One thread. */
    public static final class Builder {
        private final Set<DeviceCapability> capabilities = EnumSet.noneOf(DeviceCapability.class);
        private final Map<DeviceLimit, Long> limits = new EnumMap<>(DeviceLimit.class);
        private String firmwareVersion = "";
        private long nodeGuid;
        private long systemImageGuid;
        private long pageSizeCapability;
        private int vendorId;
        private int vendorPartId;
        private int hardwareVersion;
        private AtomicCapability atomicCapability = AtomicCapability.NONE;
        private AtomicCapability maskedAtomicCapability = AtomicCapability.NONE;
        private int localCaAckDelay;
        private int physicalPortCount = 1;

        private Builder() {}

        public Builder firmwareVersion(String firmwareVersion) {
            this.firmwareVersion = firmwareVersion;
            return this;
        }

        public Builder nodeGuid(long nodeGuid) {
            this.nodeGuid = nodeGuid;
            return this;
        }

        public Builder systemImageGuid(long systemImageGuid) {
            this.systemImageGuid = systemImageGuid;
            return this;
        }

        public Builder pageSizeCapability(long pageSizeCapability) {
            this.pageSizeCapability = pageSizeCapability;
            return this;
        }

        /**
         * IEEE vendor id, part number and hardware version.
         *
         * @return this builder
         */
        public Builder vendor(int vendorId, int vendorPartId, int hardwareVersion) {
            this.vendorId = vendorId;
            this.vendorPartId = vendorPartId;
            this.hardwareVersion = hardwareVersion;
            return this;
        }

        /**
         * Adds capabilities.
         *
         * @return this builder
         */
        public Builder capabilities(DeviceCapability... capabilities) {
            Collections.addAll(this.capabilities, capabilities);
            return this;
        }

        /**
         * Against whom plain and masked atomics are atomic.
         *
         * @return this builder
         */
        public Builder atomics(AtomicCapability plain, AtomicCapability masked) {
            this.atomicCapability = plain;
            this.maskedAtomicCapability = masked;
            return this;
        }

        public Builder localCaAckDelay(int localCaAckDelay) {
            this.localCaAckDelay = localCaAckDelay;
            return this;
        }

        public Builder physicalPortCount(int physicalPortCount) {
            this.physicalPortCount = physicalPortCount;
            return this;
        }

        public Builder limit(DeviceLimit limit, long value) {
            limits.put(limit, value);
            return this;
        }

        public DeviceAttributes build() {
            return new DeviceAttributes(
                    firmwareVersion,
                    nodeGuid,
                    systemImageGuid,
                    pageSizeCapability,
                    vendorId,
                    vendorPartId,
                    hardwareVersion,
                    capabilities,
                    atomicCapability,
                    maskedAtomicCapability,
                    localCaAckDelay,
                    physicalPortCount,
                    limits);
        }
    }
}
