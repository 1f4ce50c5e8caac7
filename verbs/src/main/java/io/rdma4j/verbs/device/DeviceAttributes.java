// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.device;

import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * Capabilities and limits of a device. Corresponds to {@code struct ibv_device_attr}. Immutable.
 *
 * @param firmwareVersion {@code fw_ver}: text of at most 63 bytes
 * @param nodeGuid {@code node_guid}: EUI-64 of the device
 * @param systemImageGuid {@code sys_image_guid}: EUI-64 of the machine or card that the device is part of
 * @param pageSizeCapability {@code page_size_cap}: bit mask of the supported page sizes
 * @param vendorId {@code vendor_id}: IEEE OUI, 24 bits
 * @param vendorPartId {@code vendor_part_id}
 * @param hardwareVersion {@code hw_ver}
 * @param capabilities {@code device_cap_flags}
 * @param atomicCapability {@code atomic_cap}
 * @param maskedAtomicCapability {@code masked_atomic_cap}
 * @param localCaAckDelay {@code local_ca_ack_delay}: maximum response time of the device, 4.096 µs · 2^value; 5 bits
 * @param physicalPortCount {@code phys_port_cnt}
 * @param limits the {@code max_*} members; an absent limit is 0
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

    /** Copies the collections. */
    public DeviceAttributes {
        capabilities = Set.copyOf(capabilities);
        limits = Map.copyOf(limits);
    }

    /**
     * {@return the value of a limit; 0 if the device has no objects of that kind}
     *
     * @param limit the limit to read
     */
    public long limit(DeviceLimit limit) {
        return limits.getOrDefault(limit, 0L);
    }

    /**
     * {@return true if the device has a capability}
     *
     * @param capability the capability to test
     */
    public boolean has(DeviceCapability capability) {
        return capabilities.contains(capability);
    }

    /** {@return a builder with one port; all other values are 0 or empty} */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds device attributes. Each setter has the name of the component that it sets. One thread. */
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

        /**
         * Sets {@link DeviceAttributes#firmwareVersion}.
         *
         * @param firmwareVersion {@code fw_ver}: text of at most 63 bytes
         * @return this builder
         */
        public Builder firmwareVersion(String firmwareVersion) {
            this.firmwareVersion = firmwareVersion;
            return this;
        }

        /**
         * Sets {@link DeviceAttributes#nodeGuid}.
         *
         * @param nodeGuid {@code node_guid}: EUI-64 of the device
         * @return this builder
         */
        public Builder nodeGuid(long nodeGuid) {
            this.nodeGuid = nodeGuid;
            return this;
        }

        /**
         * Sets {@link DeviceAttributes#systemImageGuid}.
         *
         * @param systemImageGuid {@code sys_image_guid}: EUI-64 of the machine or card that the device is part of
         * @return this builder
         */
        public Builder systemImageGuid(long systemImageGuid) {
            this.systemImageGuid = systemImageGuid;
            return this;
        }

        /**
         * Sets {@link DeviceAttributes#pageSizeCapability}.
         *
         * @param pageSizeCapability {@code page_size_cap}: bit mask of the supported page sizes
         * @return this builder
         */
        public Builder pageSizeCapability(long pageSizeCapability) {
            this.pageSizeCapability = pageSizeCapability;
            return this;
        }

        /**
         * Sets vendor id, part number and hardware version.
         *
         * @param vendorId IEEE OUI, 24 bits
         * @param vendorPartId 32 bits that the vendor chooses
         * @param hardwareVersion 32 bits that the vendor chooses
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
         * @param capabilities the capabilities to add
         * @return this builder
         */
        public Builder capabilities(DeviceCapability... capabilities) {
            Collections.addAll(this.capabilities, capabilities);
            return this;
        }

        /**
         * Sets the scope of atomicity of plain and masked atomics.
         *
         * @param plain {@code atomic_cap}
         * @param masked {@code masked_atomic_cap}
         * @return this builder
         */
        public Builder atomics(AtomicCapability plain, AtomicCapability masked) {
            this.atomicCapability = plain;
            this.maskedAtomicCapability = masked;
            return this;
        }

        /**
         * Sets {@link DeviceAttributes#localCaAckDelay}.
         *
         * @param localCaAckDelay {@code local_ca_ack_delay}: maximum response time of the device, 4.096 µs · 2^value; 5
         *     bits
         * @return this builder
         */
        public Builder localCaAckDelay(int localCaAckDelay) {
            this.localCaAckDelay = localCaAckDelay;
            return this;
        }

        /**
         * Sets {@link DeviceAttributes#physicalPortCount}.
         *
         * @param physicalPortCount {@code phys_port_cnt}
         * @return this builder
         */
        public Builder physicalPortCount(int physicalPortCount) {
            this.physicalPortCount = physicalPortCount;
            return this;
        }

        /**
         * Sets a limit.
         *
         * @param limit the limit to set
         * @param value in the limit's unit; 0 if the device has no objects of that kind
         * @return this builder
         */
        public Builder limit(DeviceLimit limit, long value) {
            limits.put(limit, value);
            return this;
        }

        /** {@return the attributes collected so far; the builder can be used further} */
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
