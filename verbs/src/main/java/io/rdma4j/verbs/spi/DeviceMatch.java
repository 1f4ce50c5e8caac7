// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

/** An entry of a driver's match table, which selects devices. Corresponds to {@code struct verbs_match_ent}. */
public sealed interface DeviceMatch {
    /**
     * {@return true if the entry matches the device}
     *
     * @param found the device
     */
    boolean matches(FoundDevice found);

    /**
     * {@return an entry that compares the driver id of the device ({@code VERBS_DRIVER_ID()})}
     *
     * @param id not 0
     */
    static DeviceMatch driverId(int id) {
        return new DriverId(id);
    }

    /**
     * {@return an entry that compares the beginning of the device name ({@code VERBS_NAME_MATCH()})}
     *
     * @param prefix such as {@code rxe}
     */
    static DeviceMatch namePrefix(String prefix) {
        return new NamePrefix(prefix);
    }

    /**
     * Compares the driver id of the device.
     *
     * @param id not 0, because 0 means unknown
     */
    record DriverId(int id) implements DeviceMatch {
        @Override
        public boolean matches(FoundDevice found) {
            return id != 0 && id == found.driverId();
        }
    }

    /**
     * Compares the beginning of the device name.
     *
     * @param prefix of {@link FoundDevice#name}
     */
    record NamePrefix(String prefix) implements DeviceMatch {
        @Override
        public boolean matches(FoundDevice found) {
            return found.name().startsWith(prefix);
        }
    }
}
