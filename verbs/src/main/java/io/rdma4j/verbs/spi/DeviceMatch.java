package io.rdma4j.verbs.spi;

/** A line of a driver's match table: which devices it is for. Answers to {@code struct verbs_match_ent}. */
public sealed interface DeviceMatch {
    /** True if the line says so. */
    boolean matches(FoundDevice found);

    /** By the id that a device gives itself ({@code VERBS_DRIVER_ID()}). */
    static DeviceMatch driverId(int id) {
        return new DriverId(id);
    }

    /** By how its name begins ({@code VERBS_NAME_MATCH()}). */
    static DeviceMatch namePrefix(String prefix) {
        return new NamePrefix(prefix);
    }

    /** @param id not 0, which stands for an unknown one */
    record DriverId(int id) implements DeviceMatch {
        @Override
        public boolean matches(FoundDevice found) {
            return id != 0 && id == found.driverId();
        }
    }

    /** @param prefix of {@link FoundDevice#name} */
    record NamePrefix(String prefix) implements DeviceMatch {
        @Override
        public boolean matches(FoundDevice found) {
            return found.name().startsWith(prefix);
        }
    }
}
