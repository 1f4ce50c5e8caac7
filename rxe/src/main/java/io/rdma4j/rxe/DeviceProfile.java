// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import io.rdma4j.base.RdmaException;
import io.rdma4j.hca.HcaCapabilities;
import io.rdma4j.hca.HcaLimits;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.DeviceLimit;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Restrictions of a software device: lower limits and missing capabilities. Used to represent a smaller device, and by
 * tests that reach a limit. The device enforces the limits that it reports.
 *
 * @param limits lower than those of the device; other limits are unchanged
 * @param withheld capabilities that the device does not have
 * @param nonVolatile directory of the file that keeps M_Key and P_Keys of the port across restarts; null for none
 */
public record DeviceProfile(
        Map<DeviceLimit, Long> limits,
        Set<DeviceCapability> withheld,
        @Nullable Path nonVolatile) {
    /** No restrictions. Of type 2 memory windows the device has type 2B. */
    public static final DeviceProfile FULL = new DeviceProfile(Map.of(), Set.of(), null);

    /**
     * Checks limits and capabilities.
     *
     * @throws RdmaException EINVAL for a limit below 0 or above that of the device, or a capability that cannot be
     *     withheld
     */
    public DeviceProfile {
        limits = Map.copyOf(limits);
        withheld = Set.copyOf(withheld);
        limits.forEach(HcaLimits::checkLower);
        HcaCapabilities.checkWithheld(withheld);
    }

    /**
     * {@return this profile with a lower limit}
     *
     * @param limit to change
     * @param value 0 to the limit of the device
     */
    public DeviceProfile withLimit(DeviceLimit limit, long value) {
        Map<DeviceLimit, Long> lower = new EnumMap<>(DeviceLimit.class);
        lower.putAll(limits);
        lower.put(limit, value);
        return new DeviceProfile(lower, withheld, nonVolatile);
    }

    /**
     * {@return this profile without a capability}
     *
     * @param capability that can be withheld
     */
    public DeviceProfile without(DeviceCapability capability) {
        Set<DeviceCapability> less = EnumSet.of(capability);
        less.addAll(withheld);
        return new DeviceProfile(limits, less, nonVolatile);
    }

    /**
     * {@return this profile with non-volatile memory}
     *
     * @param directory writable
     */
    public DeviceProfile withNonVolatile(Path directory) {
        return new DeviceProfile(limits, withheld, directory);
    }
}
