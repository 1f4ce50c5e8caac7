package io.rdma4j.rxe;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.DeviceCapability;
import io.rdma4j.verbs.DeviceLimit;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a device in software is to be less than it could be: a stand-in for a smaller one, and for tests that reach a limit. What it
 * then says of itself it keeps.
 *
 * @param limits lower than {@link RxeLimits the device's own}; those that are not here stay
 * @param withheld capabilities that it is not to have
 * @param nonVolatile directory that stands for the memory of the port that survives a restart: its M_Key and P_Keys are kept there in
 *     a file; null for none
 */
public record DeviceProfile(
        Map<DeviceLimit, Long> limits,
        Set<DeviceCapability> withheld,
        @Nullable Path nonVolatile) {
    /** All that the device can. Of windows of type 2 it has those of type 2B. */
    public static final DeviceProfile FULL = new DeviceProfile(Map.of(), Set.of(), null);

    /**
     * Checks the limits.
     *
     * @throws RdmaException EINVAL for a limit above the device's own or below 0, or a capability that cannot be withheld
     */
    public DeviceProfile {
        limits = Map.copyOf(limits);
        withheld = Set.copyOf(withheld);
        limits.forEach(RxeLimits::checkLower);
        RxeCapabilities.checkWithheld(withheld);
    }

    /**
     * {@return the same with a lower limit}
     *
     * @param limit which one
     * @param value 0 to what the device has
     */
    public DeviceProfile withLimit(DeviceLimit limit, long value) {
        Map<DeviceLimit, Long> lower = new EnumMap<>(DeviceLimit.class);
        lower.putAll(limits);
        lower.put(limit, value);
        return new DeviceProfile(lower, withheld, nonVolatile);
    }

    /**
     * {@return the same without a capability}
     *
     * @param capability one that can be withheld
     */
    public DeviceProfile without(DeviceCapability capability) {
        Set<DeviceCapability> less = EnumSet.of(capability);
        less.addAll(withheld);
        return new DeviceProfile(limits, less, nonVolatile);
    }

    /**
     * {@return the same with memory that survives a restart}
     *
     * @param directory one that is there and can be written
     */
    public DeviceProfile withNonVolatile(Path directory) {
        return new DeviceProfile(limits, withheld, directory);
    }

    /** @throws RdmaException EOPNOTSUPP if a capability is withheld */
    void require(DeviceCapability capability) {
        if (withheld.contains(capability)) {
            throw new RdmaException(Errno.EOPNOTSUPP, "this device lacks the capability " + capability);
        }
    }
}
