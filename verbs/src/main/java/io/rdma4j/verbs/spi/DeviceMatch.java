package io.rdma4j.verbs.spi;

/** A line of a driver's match table: which devices it is for. Answers to {@code struct verbs_match_ent}. */
public sealed interface DeviceMatch {
    /**
     * {@return true if the line says so}
     *
     * @param found what the directory says
     */
    boolean matches(FoundDevice found);

    /**
     * {@return a line that goes by the id that a device gives itself ({@code VERBS_DRIVER_ID()})}
     *
     * @param id not 0
     */
    static DeviceMatch driverId(int id) {
        return new DriverId(id);
    }

    /**
     * {@return a line that goes by how the name begins ({@code VERBS_NAME_MATCH()})}
     *
     * @param prefix such as {@code rxe}
     */
    static DeviceMatch namePrefix(String prefix) {
        return new NamePrefix(prefix);
    }

    /**
     * By the id that a device gives itself.
     *
     * @param id not 0, which stands for an unknown one
     */
    record DriverId(int id) implements DeviceMatch {
        @Override
        public boolean matches(FoundDevice found) {
            return id != 0 && id == found.driverId();
        }
    }

    /**
     * By how the name begins.
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
